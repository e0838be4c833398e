"""What analyses will leave out of a restored study's answers, reported when it is restored."""

from __future__ import annotations

from collections.abc import Sequence

from annotations.importing.responses.study_records import AssignmentRecord


def notes_on(history: Sequence[AssignmentRecord]) -> tuple[str, ...]:
    """Sentences about answers that do not count, and those that count although the expert had seen the text before.

    The rules are those of the analyses (docs/results.md, "What counts"); each answer is listed under only one of them.
    """
    given = [record for record in history if record.preferenceResponses]
    skipped = sum(record.releasedAt is not None for record in given)
    repeats = sum(record.releasedAt is None and record.repeatOf is not None for record in given)
    pilot = sum(record.releasedAt is None and record.repeatOf is None and record.pilot for record in given)
    left_out = [
        f"{count:,} {what}"
        for count, what in (
            (repeats, "that repeat a comparison that the same expert had judged"),
            (pilot, "given in the pilot"),
            (skipped, "at places that were skipped afterwards"),
        )
        if count
    ]
    notes = [f"Analyses exclude {' and '.join(left_out)}, of {len(given):,} responses."] if left_out else []
    again = sum(record.seenBefore for record in given)
    if again:
        notes.append(
            f"{again:,} responses are about a text that the expert had judged before, beside another system. They "
            "count, but experts who saw the text twice may have recognised the human distribution."
        )
    return tuple(notes)
