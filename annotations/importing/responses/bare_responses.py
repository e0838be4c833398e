"""The original study's files alone: `responses.jsonl`, `metadata.csv`, and which text each input is."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils.translation import gettext as _

from annotations.exporting.spreadsheets import restore
from annotations.ground.system_names import SEPARATOR
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.responses.study_records import (
    INSTANCES,
    METADATA,
    RESPONSES,
    AssignmentRecord,
    ComparisonRecord,
    ExpertRecord,
    LabelRevision,
    PreferenceRevision,
    ResponseLine,
    SideOrder,
    StudyRecord,
    StudyResponses,
    SystemKey,
)

EARLIEST = 1970
Shown = tuple[str, SystemKey | None, SystemKey, SideOrder]


def from_bare_files(folder: Path, responses: list[ResponseLine], problems: Problems, *, digest: str) -> StudyResponses:
    """A study reconstructed from the bare files: comparisons in order of their first `inputId`.

    If an expert judged one comparison twice (the original study allowed it), later answers are repeats. If they judged
    the same text with another system, that is a separate answer, which counts and is marked `seenBefore`.
    """
    if not (folder / INSTANCES).is_file():
        problems.stop(
            INSTANCES,
            "the file is missing, and the other two do not say which text an inputId stands for",
            remedy="Write one with the columns id,instance: each inputId and the instance's id as imported.",
        )
    inputs, compares = _inputs(folder, problems)
    _check_responses(responses, inputs, problems)
    comparisons = _comparisons(inputs)
    position = {(c.instance, c.first, c.second): c.comparison for c in comparisons}
    history = _history(responses, inputs, position)
    places = max((record.place for record in history), default=0) + 1
    per_system: dict[SystemKey, set[str]] = defaultdict(set)
    for comparison in comparisons:
        per_system[comparison.second].add(comparison.instance)
    record = StudyRecord(
        study={
            "compares": compares,
            "experts_per_comparison": places,
            "instances_per_system": max((len(instances) for instances in per_system.values()), default=1),
            "state": "closed",
        },
        experts=[ExpertRecord(number=number) for number in sorted({r.annotatorId for r in responses})],
    )
    return StudyResponses(record, comparisons, history, digest)


def _inputs(folder: Path, problems: Problems) -> tuple[dict[int, Shown], str]:
    """What each inputId showed: instance, first and second source, side order; and what kind of comparison the
    study makes.
    """
    instances = dict(_numbered(folder / INSTANCES, {"id", "instance"}, problems))
    rows = dict(_numbered(folder / METADATA, {"id"}, problems))
    problems.stop_if_any()
    human = any("trueHLV" in row for _, row in rows.values())
    inputs: dict[int, Shown] = {}
    for number, (line, row) in rows.items():
        if number not in instances:
            problems.add(
                INSTANCES, "an input is missing", field="id", value=number, remedy=f"{METADATA} has it: add it."
            )
            continue
        instance = instances[number][1]["instance"]
        if human and row.get("method") and row.get("trueHLV") in {"A", "B"}:
            side: SideOrder = "first_is_a" if row["trueHLV"] == "A" else "second_is_a"
            inputs[number] = (instance, None, _system(row["method"]), side)
        elif not human and row.get("optionA") and row.get("optionB"):
            a, b = _system(row["optionA"]), _system(row["optionB"])
            if a == b:
                remedy = "A comparison shows two different systems."
                problems.add(
                    METADATA, "both options are one system", line=line, field="optionB", value=a.name, remedy=remedy
                )
            first, second = sorted((a, b), key=lambda system: system.key)
            inputs[number] = (instance, first, second, "first_is_a" if first == a else "second_is_a")
        else:
            problems.add(
                METADATA,
                "neither a method with trueHLV A or B, nor optionA and optionB",
                line=line,
                remedy="Use the columns id,method,trueHLV or id,optionA,optionB.",
            )
    problems.stop_if_any()
    return inputs, "human_vs_system" if human else "system_vs_system"


def _numbered(path: Path, needed: set[str], problems: Problems) -> Iterator[tuple[int, tuple[int, dict[str, str]]]]:
    """Every inputId in a table with its line and row; invalid or repeated ones are noted."""
    seen: set[int] = set()
    for line, row in _table(path, needed, problems):
        text = row["id"]
        if not (text.isascii() and text.isdecimal() and len(text) <= 10 and int(text) < 2**31):
            problems.add(path.name, "not an inputId", line=line, field="id", value=text, remedy="Use 0, 1, 2 ...")
            continue
        number = int(text)
        if number in seen:
            problems.add(
                path.name, "the input appears twice", line=line, field="id", value=text, remedy=_("Keep only one.")
            )
            continue
        seen.add(number)
        yield number, (line, row)


def _table(path: Path, needed: set[str], problems: Problems) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        try:
            missing = needed - set(reader.fieldnames or ())
            if missing:
                problems.stop(path.name, "columns are missing", value=", ".join(sorted(missing)), remedy="Add them.")
            return [
                (reader.line_num, {key: restore(value or "") for key, value in row.items() if key is not None})
                for row in reader
            ]
        except UnicodeDecodeError:
            problems.stop(path.name, "the file is not UTF-8", remedy="Save it as UTF-8.")
        except csv.Error as error:
            problems.stop(path.name, f"this is not CSV: {error}", line=reader.line_num, remedy="Save it as CSV again.")


def _check_responses(responses: list[ResponseLine], inputs: dict[int, Shown], problems: Problems) -> None:
    """Check what the format promises beyond types: known inputs, no label twice, plausible times."""
    for number, response in enumerate(responses, 1):
        areas = response.areasOfLawAnnotation.selectedAreas
        if response.inputId not in inputs:
            problems.add(
                RESPONSES,
                "there is no such input",
                line=number,
                field="inputId",
                value=response.inputId,
                remedy=f"List it in {METADATA} and {INSTANCES}.",
            )
        if len(set(areas)) < len(areas):
            problems.add(
                RESPONSES,
                _("a label is listed twice"),
                line=number,
                field="areasOfLawAnnotation.selectedAreas",
                value=listed(areas),
                remedy=_("List each label only once."),
            )
        if response.timestamp.year < EARLIEST:
            problems.add(
                RESPONSES,
                f"the time is before {EARLIEST}",
                line=number,
                field="timestamp",
                value=response.timestamp.isoformat(),
                remedy="Use the time of the response, such as 2024-11-13T20:20:39+00:00.",
            )
    problems.stop_if_any()


def _system(name: str) -> SystemKey:
    """`model / method / run` in this project's notation; any other name is one part, matched when restoring."""
    parts = name.split(SEPARATOR)
    return SystemKey(model=parts[0], method=parts[1] if len(parts) > 1 else "", run=SEPARATOR.join(parts[2:]))


def _comparisons(inputs: dict[int, Shown]) -> list[ComparisonRecord]:
    ids: dict[tuple[str, SystemKey | None, SystemKey], dict[SideOrder, int]] = {}
    for number in sorted(inputs):
        instance, first, second, side = inputs[number]
        ids.setdefault((instance, first, second), {})[side] = number
    return [
        ComparisonRecord(comparison=position, inputIds=both, instance=instance, first=first, second=second)
        for position, ((instance, first, second), both) in enumerate(ids.items())
    ]


def _history(
    responses: list[ResponseLine],
    inputs: dict[int, Shown],
    position: dict[tuple[str, SystemKey | None, SystemKey], int],
) -> list[AssignmentRecord]:
    """One assignment per response, in each annotator's chronological order."""
    order: dict[int, int] = defaultdict(int)
    given: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, str]] = set()
    taken: dict[int, int] = defaultdict(int)
    history = []
    for response in sorted(responses, key=lambda r: (r.annotatorId, r.timestamp)):
        instance, first, second, side = inputs[response.inputId]
        comparison = position[instance, first, second]
        mine = order[response.annotatorId]
        order[response.annotatorId] += 1
        repeat_of = given.get((response.annotatorId, comparison))
        seen_before = repeat_of is None and (response.annotatorId, instance) in seen
        given.setdefault((response.annotatorId, comparison), mine)
        seen.add((response.annotatorId, instance))
        place = taken[comparison]
        taken[comparison] += 1
        labels, preference = response.areasOfLawAnnotation, response.preferredHLVAnnotation
        shown_at = response.timestamp - timedelta(milliseconds=preference.elapsedTime or 0)
        history.append(
            AssignmentRecord(
                annotatorId=response.annotatorId,
                position=mine,
                repeatOf=repeat_of,
                seenBefore=seen_before,
                comparison=comparison,
                sideOrder=side,
                place=place,
                claimedAt=shown_at - timedelta(milliseconds=labels.elapsedTime or 0),
                comparisonShownAt=shown_at,
                completedAt=response.timestamp,
                labelResponses=[
                    LabelRevision(labels=labels.selectedAreas, elapsedTime=labels.elapsedTime, createdAt=shown_at)
                ],
                preferenceResponses=[
                    PreferenceRevision(
                        isOptionAPreferred=preference.isOptionAPreferred,
                        isOptionBPreferred=preference.isOptionBPreferred,
                        confidence=preference.confidence,
                        elapsedTime=preference.elapsedTime,
                        createdAt=response.timestamp,
                    )
                ],
            )
        )
    return history
