"""Study-response JSON lines with `metadata.csv`, as other tools read them, plus what these lack.

`responses.jsonl` and `metadata.csv` are exactly the format that the original study's scripts read. It has no
place for which text an `inputId` is, for revisions, or for what was never answered; so three more files
accompany it, and the whole study can be restored elsewhere (annotations/importing/responses/study_responses.py):

- `study.json`: settings, systems with the SHA-256 of their predictions, experts by number, how sides were drawn;
- `comparisons.jsonl`: which instance and which two sources each comparison shows, and its two `inputId`s;
- `history.jsonl`: every assignment given to an expert, with all revisions of both steps and reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Any

from annotations.designing.averaging import runs_averaged
from annotations.designing.keys import told_keys
from annotations.designing.testing_unit import unit_of
from annotations.exporting.cells import in_iso, to_json
from annotations.exporting.companion_files import versions_read
from annotations.exporting.formats import ExportFile, encoded, exporter
from annotations.exporting.rows import CHUNK, ResponseRow, ResponseSource, Source, input_id
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.saved import Saved
from annotations.ground.sides import LIMIT, RULE
from annotations.models import (
    Assignment,
    Compares,
    Guess,
    LabelResponse,
    Layout,
    Leaving,
    PreferenceResponse,
    Report,
    SideOrder,
    Study,
    System,
)
from annotations.models.comparisons import not_taken_along

FORMAT = "hlv-study-responses"
VERSION = 2  # 1: without turns and keys
READ = ("instrument__number", "page_language")
STUDY_SETTINGS = (
    "title",
    "instructions",
    "consent",
    "question_labels",
    "question_preference",
    "language",
    "direction",
    "compares",
    "runs",
    "systems",
    "assigning",
    "asks_guess",
    "display_threshold",
    "display_step",
    "display_rule",
    "give_aways",
    "instances_per_system",
    "experts_per_comparison",
    "seed",
    "state",
    "is_simulated",
)


FILES = {
    "responses.jsonl": "One object per response, exactly as the original study's scripts read it; without the pilot.",
    "metadata.csv": "`id,method,trueHLV` (the side that showed the human distribution), or `id,optionA,optionB`.",
    "study.json": "Settings; every version of what experts read (`instrument_versions`); what changes places in a "
    "permutation test by default and why (`exchangeable_by_default`); the SHA-256 of the dataset and of the "
    "predictions (of a mean, also of its runs); experts by number; how sides were drawn: the SHA-256 of each key, and "
    "the key itself once the study is closed.",
    "comparisons.jsonl": "Which instance and which two sources each comparison shows, its two `inputId`s, whether the "
    "text is withdrawn, and whether both sides looked the same (null: not known, all four answers were offered).",
    "history.jsonl": "Every assignment that was given, with all revisions of both steps (each with the version that "
    "its expert read, `instrument`, and `pageLanguage`), reports, guesses, and the pilot; of each whose step 2 was "
    "shown the side order, `turn`, `phase` (`pilot` or `main`) and `sideRule` (2: drawn by the key of the phase, 1: "
    "otherwise); `seenBefore` where an imported answer is about a text that its expert had judged before.",
}
"""What each file contains. The first two are the original format, which has no place for the other three's contents.

A comparison is shown in two side orders, each of which is a separate input: `inputId` is twice the comparison's
number, plus one if the second source was A. An unknown certainty or time is null.
"""


SAVED: dict[str, dict[str, Saved | None]] = {
    "responses.jsonl": {
        "inputId": None,
        "annotatorId": Saved.NUMBER,
        "timestamp": Saved.TIMES,
        "areasOfLawAnnotation.selectedAreas": Saved.ANSWERS,
        "areasOfLawAnnotation.elapsedTime": Saved.TIMES,
        "preferredHLVAnnotation.elapsedTime": Saved.TIMES,
        **{
            f"preferredHLVAnnotation.{name}": Saved.ANSWERS
            for name in ("isOptionAPreferred", "isOptionBPreferred", "confidence")
        },
    },
    "metadata.csv": dict.fromkeys(("id", "method", "trueHLV", "optionA", "optionB")),
    "study.json": {
        **dict.fromkeys(("format", "version", "simulated", "study", "dataset", "systems", "sides")),
        "instrument_versions": None,
        "experts.number": Saved.NUMBER,
        "experts.simulated": None,
        "experts.active": Saved.PART,
        "experts.profile": Saved.PROFILE,
    },
    "comparisons.jsonl": dict.fromkeys(
        ("comparison", "inputIds", "instance", "withdrawn", "first", "second", "identical")
    ),
    "history.jsonl": {
        **dict.fromkeys(("comparison", "sideOrder", "turn", "phase", "sideRule", "place", "pilot")),
        "annotatorId": Saved.NUMBER,
        "position": Saved.ANSWERS,
        "repeatOf": Saved.REPEATS,
        "seenBefore": Saved.ANSWERS,
        "claimedAt": Saved.TIMES,
        "comparisonShownAt": Saved.TIMES,
        "completedAt": Saved.TIMES,
        "releasedAt": Saved.REPORTS,
        "labelResponses.labels": Saved.ANSWERS,
        **{
            f"preferenceResponses.{name}": Saved.ANSWERS
            for name in ("isOptionAPreferred", "isOptionBPreferred", "confidence")
        },
        **{
            f"{step}.{name}": item
            for step in ("labelResponses", "preferenceResponses")
            for name, item in {
                "elapsedTime": Saved.TIMES,
                "createdAt": Saved.TIMES,
                "instrument": Saved.PAGES,
                "pageLanguage": Saved.PAGES,
            }.items()
        },
        "reports": Saved.REPORTS,
        "guess": Saved.GUESSES,
    },
}
"""What each key says about an expert (formats.py)."""


@exporter(
    "study_responses",
    title="Study responses (JSON lines and metadata.csv)",
    description=(
        "For other tools, and for restoring the study elsewhere, with its complete history. responses.jsonl leaves out "
        "the pilot; history.jsonl has it, marked."
    ),
    read_by="HLV Study (import_responses), the original study's scripts",
)
def study_responses(source: ResponseSource) -> list[ExportFile]:
    def stream(name: str, objects: Any) -> ExportFile:
        return file(name, lambda: encoded(to_json(row) + "\n" for row in objects(source)))

    def file(name: str, chunks: Callable[[], Iterable[bytes]]) -> ExportFile:
        return ExportFile(name, chunks, SAVED[name])

    return [
        stream("responses.jsonl", _responses),
        file("metadata.csv", lambda: encoded(_metadata(source))),
        file("study.json", lambda: [(json.dumps(_study(source), ensure_ascii=False, indent=2) + "\n").encode()]),
        stream("comparisons.jsonl", _comparisons),
        stream("history.jsonl", _history),
    ]


def iso(time: datetime | None, timespec: str = "microseconds") -> str | None:
    """ISO 8601 in UTC, as `2024-11-13T20:20:39+00:00`."""
    return in_iso(time, timespec) if time else None


def _responses(source: ResponseSource) -> Iterator[dict[str, Any]]:
    for row in source.rows():
        if not row.is_pilot:
            yield {
                "inputId": row.input_id,
                "timestamp": iso(row.completed_at, "seconds"),
                "annotatorId": row.expert,
                "areasOfLawAnnotation": {"elapsedTime": row.labels_ms, "selectedAreas": list(row.labels)},
                "preferredHLVAnnotation": {
                    "elapsedTime": row.preference_ms,
                    "isOptionAPreferred": row.a_chosen,
                    "isOptionBPreferred": row.b_chosen,
                    "confidence": row.certainty,
                },
            }


def _metadata(source: ResponseSource) -> Iterator[str]:
    """One line per input with a response, in order of inputId. Rows come by comparison, each of which has two
    inputs.
    """
    if source.study.compares == Compares.HUMAN_VS_SYSTEM:
        header = ["id", "method", "trueHLV"]
    else:
        header = ["id", "optionA", "optionB"]

    def lines() -> Iterator[list[object]]:
        answered = (row for row in source.rows() if not row.is_pilot)
        for _, rows in groupby(answered, key=lambda row: row.comparison):
            inputs = {row.input_id: row for row in rows}
            for number in sorted(inputs):
                yield [number, *_what(inputs[number])]

    return csv_lines(header, lines())


def _what(row: ResponseRow) -> list[str]:
    if row.first.is_human:
        return [row.second.name, "A" if row.side_order == SideOrder.FIRST_IS_A else "B"]
    return [row.option_a.name, row.option_b.name]


def _study(source: ResponseSource) -> dict[str, Any]:
    study = source.study
    dataset = study.dataset
    pairs = study.comparisons.values_list("first_system", "second_system").distinct().order_by()
    shown = {pk for pair in pairs for pk in pair if pk is not None}
    systems = System.compared.filter(dataset=dataset, pk__in=shown).order_by("model", "method", "run")
    averaged = runs_averaged(study)
    unit = unit_of([(s.model, s.method, s.run) for s in systems])
    found_by = {label.name: label.search_words for label in dataset.labels.all() if label.search_words}
    return {
        "format": FORMAT,
        "version": VERSION,
        "simulated": source.is_simulated,
        "study": {"slug": study.slug}
        | {name: getattr(study, name) for name in STUDY_SETTINGS}
        # Only if not the default, so that all other studies' files stay byte-identical.
        | ({"layout": study.layout} if study.layout != Layout.SEPARATE else {})
        | ({"share_meaning": study.share_meaning} if study.share_meaning else {})
        | ({"question_certainty": study.question_certainty} if study.question_certainty else {})
        | ({"leaving": study.leaving} if study.leaving != Leaving.KEPT else {})
        | ({"known_texts": study.known_texts} if study.known_texts else {})
        | ({"profile_questions": study.profile_questions} if study.profile_questions else {})
        | {"opened_at": iso(study.opened_at), "closed_at": iso(study.closed_at)}
        | {"exchangeable_by_default": unit and unit.record},
        "dataset": {
            "slug": dataset.slug,
            "task": dataset.task,
            "fingerprint": dataset.fingerprint,
            "labels": source.label_names,
        }
        | ({"search_words": found_by} if found_by else {}),
        "systems": [
            {"model": s.model, "method": s.method, "run": s.run, "fingerprint": s.fingerprint}
            # Only means have them.
            | ({"mean_of": [{"run": r.run, "fingerprint": r.fingerprint} for r in runs]} if runs else {})
            for s, runs in ((s, averaged.get(s.pk)) for s in systems)
        ],
        "experts": [
            {"number": number, "simulated": simulated, "active": active} | ({"profile": profile} if profile else {})
            for number, simulated, active, profile in study.memberships.answering()
            .order_by("number")
            .values_list("number", "is_simulated", "is_active", "profile")
        ],
        "sides": sides_record(study),
        # Only if there are any, so that all other studies' files stay byte-identical.
        **({"instrument_versions": versions} if (versions := versions_read(study)) else {}),
    }


def sides_record(study: Study) -> dict[str, Any]:
    """How sides were drawn, and the keys' SHA-256; once the study is closed, also the keys themselves."""
    return {"rule": RULE, "limit": LIMIT, "keys": [asdict(key) for key in told_keys(study)]}


def _comparisons(source: ResponseSource) -> Iterator[dict[str, Any]]:
    rows = source.study.comparisons.order_by("position").values_list(
        "position", "instance__external_id", "instance__withdrawn_at", "first_system", "second_system", "identical"
    )
    for position, instance, withdrawn, first_id, second_id, identical in rows.iterator(chunk_size=CHUNK):
        first, second, _ = source.sides(first_id, second_id, SideOrder.FIRST_IS_A)
        yield {
            "comparison": position,
            "inputIds": {side: input_id(position, side) for side in SideOrder.values},
            "instance": instance,
            "withdrawn": withdrawn is not None,
            "first": _parts(first),
            "second": _parts(second),
            "identical": identical,
        }


def _parts(source: Source) -> dict[str, str] | None:
    return None if source.is_human else {"model": source.model, "method": source.method, "run": source.run}


def _history(source: ResponseSource) -> Iterator[dict[str, Any]]:
    """Every assignment given to an expert, in order of expert and position, with everything attached to it.

    Five streams in the same order are read in parallel: five queries, whatever the size.
    """
    assignments: Any = (
        Assignment.objects.filter(not_taken_along(), study=source.study)
        .order_by("expert__number", "position")
        .values(
            "expert__number",
            "position",
            "repeat_of__position",
            "seen_before",
            "comparison__position",
            "comparison__first_system",
            "comparison__second_system",
            "side_order",
            "turn",
            "phase",
            "side_rule",
            "place",
            "is_pilot",
            "claimed_at",
            "comparison_shown_at",
            "completed_at",
            "released_at",
        )
    )
    cut = source.cut
    by_revision = ("assignment__expert__number", "assignment__position", "revision")
    labels = _Attached(
        LabelResponse.objects.filter(assignment__study=source.study, pk__lte=cut.label_response)
        .order_by(*by_revision)
        .values(*by_revision, "labels", "active_ms", "created_at", *READ)
    )
    preferences = _Attached(
        PreferenceResponse.objects.filter(assignment__study=source.study, pk__lte=cut.preference_response)
        .order_by(*by_revision)
        .values(*by_revision, "a_chosen", "b_chosen", "certainty", "active_ms", "created_at", *READ)
    )
    reports = _Attached(
        Report.objects.filter(assignment__study=source.study, pk__lte=cut.report)
        .order_by(*by_revision[:2], "created_at", "pk")
        .values(*by_revision[:2], "reason", "text", "skipped", "created_at", "assignment__instance__withdrawn_at")
    )
    guesses = _Attached(
        Guess.objects.filter(assignment__study=source.study, pk__lte=cut.guess)
        .order_by(*by_revision[:2])
        .values(*by_revision[:2], "side", "created_at")
    )
    for row in assignments.iterator(chunk_size=CHUNK):
        key = (row["expert__number"], row["position"])
        systems = (row["comparison__first_system"], row["comparison__second_system"])
        step_1 = [_label_revision(stored, source) for stored in labels.of(key)]
        was_shown = bool(step_1) and row["comparison_shown_at"] is not None
        step_2 = [_preference_revision(stored) for stored in preferences.of(key)]
        guess = next(iter(guesses.of(key)), None)
        yield {
            "annotatorId": row["expert__number"],
            "position": row["position"],
            "repeatOf": row["repeat_of__position"],
            # Only restored studies can have these, so all others' files stay byte-identical.
            **({"seenBefore": True} if row["seen_before"] else {}),
            "comparison": row["comparison__position"],
            # As far as this export knows, nothing has happened after the cut.
            "sideOrder": source.sides(*systems, row["side_order"])[2] if was_shown else None,
            "turn": row["turn"] if was_shown else None,
            "phase": (row["phase"] or None) if was_shown else None,
            "sideRule": row["side_rule"] if was_shown else None,
            "place": row["place"],
            "pilot": row["is_pilot"],
            "claimedAt": iso(row["claimed_at"]),
            "comparisonShownAt": iso(row["comparison_shown_at"]) if was_shown else None,
            "completedAt": iso(row["completed_at"]) if step_2 else None,
            "releasedAt": iso(row["released_at"]),
            "labelResponses": step_1,
            "preferenceResponses": step_2,
            "reports": [_report(stored) for stored in reports.of(key)],
            "guess": {"side": guess["side"], "createdAt": iso(guess["created_at"])} if guess and step_2 else None,
        }


def _label_revision(row: dict[str, Any], source: ResponseSource) -> dict[str, Any]:
    return {
        "labels": list(source.names(row["labels"])),
        "elapsedTime": row["active_ms"],
        "createdAt": iso(row["created_at"]),
        **_read(row),
    }


def _preference_revision(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "isOptionAPreferred": row["a_chosen"],
        "isOptionBPreferred": row["b_chosen"],
        "confidence": row["certainty"],
        "elapsedTime": row["active_ms"],
        "createdAt": iso(row["created_at"]),
        **_read(row),
    }


def _read(record: dict[str, Any]) -> dict[str, Any]:
    """What the expert read, if known; otherwise nothing, so that older answers stay byte-identical."""
    version, language = record["instrument__number"], record["page_language"]
    return ({"instrument": version} if version is not None else {}) | ({"pageLanguage": language} if language else {})


def _report(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "reason": row["reason"],
        # The remark may quote what identifies a person in a withdrawn text.
        "text": "" if row["assignment__instance__withdrawn_at"] else row["text"],
        "skipped": row["skipped"],
        "createdAt": iso(row["created_at"]),
    }


class _Attached:
    """A stream of what is attached to assignments, read along with the assignments in the same order."""

    def __init__(self, found: Any) -> None:
        self._rows: Iterator[dict[str, Any]] = iter(found.iterator(chunk_size=CHUNK))
        self._next = next(self._rows, None)

    def of(self, key: tuple[int, int]) -> Iterable[dict[str, Any]]:
        """What is attached to the assignment at this (expert, position)."""
        mine = []
        while self._next and _key(self._next) <= key:
            if _key(self._next) == key:
                mine.append(self._next)
            self._next = next(self._rows, None)
        return mine


def _key(row: dict[str, Any]) -> tuple[int, int]:
    return row["assignment__expert__number"], row["assignment__position"]
