"""The turns of a restored study, and the keys with which its sides were drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from annotations.ground.sides import EARLIER
from annotations.importing.responses.study_records import AssignmentRecord, StudyRecord
from annotations.models import SideKey, Study

GivenTurn = tuple[int, str, int]
"""A turn: its number, its phase and its rule."""


def wrong_turns(assignment: AssignmentRecord, *, version: int, is_identical: bool) -> Iterator[tuple[str, str]]:
    """What is wrong with the turn of one line of history: field and reason."""
    was_shown = assignment.comparisonShownAt is not None
    if was_shown and not assignment.sideOrder:
        yield "sideOrder", "step 2 was shown without sides"
    told = (assignment.turn, assignment.phase, assignment.sideRule)
    if None in told and told != (None, None, None):
        yield "turn", "turn, phase and sideRule must go together"
    if assignment.turn is not None and not was_shown:
        yield "turn", "a turn is given when step 2 is shown"
    if version > 1 and was_shown and (assignment.turn is None) != is_identical:
        yield "turn", "what is shown uses up a turn, unless both sides look the same"


def restored_keys(study: Study, record: StudyRecord) -> set[str]:
    """Store the keys in the files (of a closed study); returns their phases."""
    told = [one for one in (record.sides.keys if record.sides else []) if one.key is not None]
    SideKey.objects.bulk_create(
        SideKey(study=study, phase=one.phase, name=one.name, key=bytes.fromhex(one.key or "")) for one in told
    )
    return {one.phase for one in told}


def given_turns(
    history: Sequence[AssignmentRecord], *, version: int, keyed: Collection[str], identical: Collection[int]
) -> dict[tuple[int, int], GivenTurn]:
    """(expert, position) -> the turn of what was shown.

    Files of version 1 have no turns: they follow from the times. Without its key, a side counts as drawn in another
    way, because no key here determines it. `identical`: numbers of the comparisons that use up no turn.
    """
    if version > 1:
        return {
            (one.annotatorId, one.position): (one.turn, one.phase, one.sideRule if one.phase in keyed else EARLIER)
            for one in history
            if one.turn is not None and one.phase is not None and one.sideRule is not None
        }
    shown = [one for one in history if one.comparisonShownAt is not None and one.comparison not in identical]
    following: dict[tuple[int, str], int] = defaultdict(int)
    found: dict[tuple[int, int], GivenTurn] = {}
    for one in sorted(shown, key=lambda one: (one.annotatorId, one.comparisonShownAt, one.position)):
        phase = "pilot" if one.pilot else "main"
        found[one.annotatorId, one.position] = (following[one.annotatorId, phase], phase, EARLIER)
        following[one.annotatorId, phase] += 1
    return found
