"""What must hold between the lines of a study-response export for it to become a study here."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _

from annotations.importing.memory.problems import Problems
from annotations.importing.responses.study_records import (
    COMPARISONS,
    HISTORY,
    RESPONSES,
    AssignmentRecord,
    ComparisonRecord,
    ResponseLine,
    StudyRecord,
)
from annotations.importing.responses.turns import wrong_turns

REMEDY = "Export it again: an export from this program never contains this."


def check_rules(
    record: StudyRecord, comparisons: list[ComparisonRecord], history: list[AssignmentRecord], problems: Problems
) -> None:
    """Check the rules of collecting (docs/architecture.md), which the database enforces, line by line."""
    _check_comparisons(comparisons, problems)
    if not problems:
        _check_history(record, comparisons, history, problems)


def _check_comparisons(comparisons: list[ComparisonRecord], problems: Problems) -> None:
    for line, _again in _repeated(c.comparison for c in comparisons):
        problems.add(COMPARISONS, "this comparison appears twice", line=line, field="comparison", remedy=REMEDY)
    for line, _again in _repeated((c.instance, c.first, c.second) for c in comparisons):
        problems.add(COMPARISONS, "the same instance and sources appear twice", line=line, remedy=REMEDY)
    for line, comparison in enumerate(comparisons, 1):
        if set(comparison.inputIds) != {"first_is_a", "second_is_a"}:
            problems.add(COMPARISONS, "two inputIds are needed", line=line, field="inputIds", remedy=REMEDY)
        if comparison.first is not None and not comparison.first.key < comparison.second.key:
            problems.add(COMPARISONS, "systems are not in order of name", line=line, field="first", remedy=REMEDY)


def _check_history(
    record: StudyRecord, comparisons: list[ComparisonRecord], history: list[AssignmentRecord], problems: Problems
) -> None:
    instances = {comparison.comparison: comparison.instance for comparison in comparisons}
    identical = {comparison.comparison for comparison in comparisons if comparison.identical}
    experts = {expert.number for expert in record.experts}
    if len(experts) < len(record.experts):
        problems.add("study.json", "an expert is listed twice", field="experts", remedy=REMEDY)
    for line, assignment in enumerate(history, 1):
        turn = wrong_turns(assignment, version=record.version, is_identical=assignment.comparison in identical)
        for field, reason in (*_alone(assignment, instances, experts), *turn):
            problems.add(HISTORY, reason, line=line, field=field, remedy=REMEDY)
        if assignment.comparison in identical:
            for field, reason in _of_identical_sides(assignment):
                problems.add(HISTORY, reason, line=line, field=field, remedy=REMEDY)
    if problems:
        return
    positions = {(a.annotatorId, a.position): a for a in history}
    for line, assignment in enumerate(history, 1):
        original = positions.get((assignment.annotatorId, assignment.repeatOf or 0))
        if assignment.repeatOf is not None and (original is None or original.repeatOf is not None):
            problems.add(HISTORY, "repeats nothing", line=line, field="repeatOf", remedy=REMEDY)
    first_times = {
        (a.annotatorId, instances[a.comparison]): a.position for a in history if a.repeatOf is None and not a.seenBefore
    }
    for line, assignment in enumerate(history, 1):
        first = first_times.get((assignment.annotatorId, instances[assignment.comparison]))
        is_later = first is not None and first < assignment.position and assignment.repeatOf is None
        if assignment.seenBefore and not is_later:
            problems.add(HISTORY, "the expert had not seen this text", line=line, field="seenBefore", remedy=REMEDY)
    once = {
        "position": ((a.annotatorId, a.position) for a in history),
        "repeatOf": ((a.annotatorId, a.comparison) if a.repeatOf is None else None for a in history),
        "comparison": (
            (a.annotatorId, instances[a.comparison]) if a.repeatOf is None and not a.seenBefore else None
            for a in history
        ),
        "place": (
            (a.comparison, a.place, a.pilot) if a.releasedAt is None and a.repeatOf is None else None for a in history
        ),
        "turn": ((a.annotatorId, a.phase, a.turn) if a.turn is not None else None for a in history),
    }
    reasons = {
        "position": "the expert has another assignment at this position",
        "repeatOf": "the expert already had this comparison, and this is not a repeat",
        "comparison": "the expert already had this instance, and this is not a repeat",
        "place": "this place of the comparison is taken",
        "turn": "the expert already had this turn",
    }
    for field, keys in once.items():
        for line, _again in _repeated(keys):
            problems.add(HISTORY, reasons[field], line=line, field=field, remedy=REMEDY)


def _alone(assignment: AssignmentRecord, instances: dict[int, str], experts: set[int]) -> Iterator[tuple[str, str]]:
    """What is wrong with one line of history on its own: field and reason."""
    if assignment.comparison not in instances:
        yield "comparison", "there is no such comparison"
    if assignment.annotatorId not in experts:
        yield "annotatorId", "there is no such expert in study.json"
    if assignment.comparisonShownAt and not assignment.labelResponses:
        yield "comparisonShownAt", "step 2 was shown before step 1 was stored"
    if assignment.preferenceResponses and not assignment.comparisonShownAt:
        yield "preferenceResponses", "step 2 was answered before it was shown"
    if bool(assignment.completedAt) != bool(assignment.preferenceResponses):
        yield "completedAt", "completed and answered must go together"
    if assignment.guess and (not assignment.completedAt or assignment.releasedAt):
        yield "guess", "a guess comes after the answer"
    for revision in assignment.labelResponses:
        if len(set(revision.labels)) < len(revision.labels):
            yield "labelResponses", _("a label is listed twice")


def _of_identical_sides(assignment: AssignmentRecord) -> Iterator[tuple[str, str]]:
    """What is wrong with a line of history whose two sides look the same: field and reason."""
    if any(one.isOptionAPreferred != one.isOptionBPreferred for one in assignment.preferenceResponses):
        yield "preferenceResponses", "one side was preferred, but both are the same"
    if assignment.guess:
        yield "guess", "both sides are the same, so there was nothing to guess"


def _repeated(keys: Iterable[Hashable | None]) -> Iterator[tuple[int, Hashable]]:
    """Line and key of every repetition; None is never one."""
    seen: set[Hashable] = set()
    for line, key in enumerate(keys, 1):
        if key is None:
            continue
        if key in seen:
            yield line, key
        seen.add(key)


def check_agreement(
    responses: list[ResponseLine],
    comparisons: list[ComparisonRecord],
    history: list[AssignmentRecord],
    problems: Problems,
) -> None:
    """Check that the bare format's rows match the history."""
    inputs = {comparison.comparison: comparison.inputIds for comparison in comparisons}
    told = {}
    for assignment in history:
        if assignment.preferenceResponses and not assignment.pilot and assignment.releasedAt is None:
            input_id = inputs[assignment.comparison][assignment.sideOrder or "first_is_a"]
            told[input_id, assignment.annotatorId, assignment.position] = assignment
    if len(told) != len(responses):
        problems.add(
            RESPONSES,
            f"{len(responses)} responses, but the history contains {len(told)}",
            remedy="Export again, and keep the files together.",
        )
        return
    known = {(key[0], key[1], _said(assignment)) for key, assignment in told.items()}
    for number, response in enumerate(responses, 1):
        if (response.inputId, response.annotatorId, _said_in(response)) not in known:
            problems.add(
                RESPONSES,
                f"{HISTORY} contains a different answer by this annotator to this input",
                line=number,
                field="inputId",
                value=response.inputId,
                remedy="Export again, and keep the files together.",
            )


def _said(assignment: AssignmentRecord) -> tuple[Any, ...]:
    newest, labels = assignment.preferenceResponses[-1], assignment.labelResponses[-1]
    return (
        tuple(labels.labels),
        newest.isOptionAPreferred,
        newest.isOptionBPreferred,
        newest.confidence,
        labels.elapsedTime,
        newest.elapsedTime,
        newest.createdAt.replace(microsecond=0),
    )


def _said_in(response: ResponseLine) -> tuple[Any, ...]:
    preference = response.preferredHLVAnnotation
    return (
        tuple(response.areasOfLawAnnotation.selectedAreas),
        preference.isOptionAPreferred,
        preference.isOptionBPreferred,
        preference.confidence,
        response.areasOfLawAnnotation.elapsedTime,
        preference.elapsedTime,
        response.timestamp,
    )
