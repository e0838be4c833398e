"""Read study responses: this project's own complete export, or the bare files of the original format.

Complete: `study.json`, `comparisons.jsonl` and `history.jsonl` contain everything; `responses.jsonl` and
`metadata.csv` must agree with them, so that nobody analyses one thing and restores another.

Bare: `responses.jsonl` and `metadata.csv` alone do not say which text an `inputId` is. A file
`instances.csv` (`id,instance`) must; comparisons, side orders and assignments then follow from the three."""

from __future__ import annotations

import csv
import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotations.exporting.spreadsheets import restore
from annotations.ground.errors import HLVError
from annotations.ground.sides import ShownTurn, StatedKey
from annotations.ground.system_names import SEPARATOR
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.responses.study_records import (
    COMPARISONS,
    HISTORY,
    INSTANCES,
    METADATA,
    RESPONSES,
    STUDY,
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

Parsed = TypeVar("Parsed", bound=BaseModel)
REMEDY = "Export it again: an export from this program never contains this."
FILES = (RESPONSES, METADATA, STUDY, COMPARISONS, HISTORY)
MOST_BYTES = 2 * 1024**3
"""The most bytes of an export's files together, unpacked."""


def read_study_responses(folder: Path) -> StudyResponses:
    """The study in this folder.

    Raises:
        ImportRefused: with every problem by file, line, field, value, reason and remedy.
    """
    problems = Problems()
    for name in (RESPONSES, METADATA):
        if not (folder / name).is_file():
            problems.add(name, "the file is missing", remedy="Add it to the other files.")
    problems.stop_if_any()
    responses = [line for _, line in _json_lines(folder / RESPONSES, ResponseLine, problems)]
    if not (folder / STUDY).is_file():
        return from_bare_files(folder, responses, problems, digest=_digest(folder))
    for name in (COMPARISONS, HISTORY):
        if not (folder / name).is_file():
            problems.add(name, "the file is missing", remedy=f"Add {STUDY} from the same export.")
    problems.stop_if_any()
    record = _study_json(folder / STUDY, problems)
    comparisons = [line for _, line in _json_lines(folder / COMPARISONS, ComparisonRecord, problems)]
    history = [line for _, line in _json_lines(folder / HISTORY, AssignmentRecord, problems)]
    problems.stop_if_any()
    if record is None:
        raise problems.refusal()
    check_rules(record, comparisons, history, problems)
    problems.stop_if_any()
    check_agreement(responses, comparisons, history, problems)
    problems.stop_if_any()
    return StudyResponses(record, comparisons, history, _digest(folder))


def _study_json(path: Path, problems: Problems) -> StudyRecord | None:
    try:
        return _parse(path.read_text(encoding="utf-8"), StudyRecord, path.name, None, problems)
    except UnicodeDecodeError:
        problems.add(path.name, "the file is not UTF-8", remedy="Save it as UTF-8.")
        return None


def _json_lines(path: Path, kind: type[Parsed], problems: Problems) -> Iterator[tuple[int, Parsed]]:
    with path.open(encoding="utf-8") as lines:
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    parsed = _parse(line, kind, path.name, number, problems)
                    if parsed is not None:
                        yield number, parsed
        except UnicodeDecodeError:
            problems.add(path.name, "the file is not UTF-8", remedy="Save it as UTF-8.")


def _parse(text: str, kind: type[Parsed], file: str, line: int | None, problems: Problems) -> Parsed | None:
    try:
        return kind.model_validate_json(text, strict=True)
    except ValidationError as error:
        for flaw in error.errors(include_url=False):
            place = ".".join(str(part) for part in flaw["loc"])
            value = "" if flaw["type"] in {"json_invalid", "missing"} else flaw["input"]
            problems.add(file, flaw["msg"], line=line, field=place, value=value, remedy="Fix or export it again.")
        return None


def _digest(folder: Path) -> str:
    """SHA-256 over all files of the export, by which importing the same again is recognised."""
    digest = hashlib.sha256()
    for name in (RESPONSES, METADATA, STUDY, COMPARISONS, HISTORY, INSTANCES):
        path = folder / name
        if path.is_file():
            digest.update(f"{name} {path.stat().st_size}\n".encode())
            with path.open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
    return digest.hexdigest()


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
        turn = _wrong_turn(assignment, version=record.version, is_identical=assignment.comparison in identical)
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


def _wrong_turn(assignment: AssignmentRecord, *, version: int, is_identical: bool) -> Iterator[tuple[str, str]]:
    was_shown = assignment.comparisonShownAt is not None
    if was_shown and not assignment.sideOrder:
        yield "sideOrder", "step 2 was shown without sides"
    parts = (assignment.turn, assignment.phase, assignment.sideRule)
    if None in parts and parts != (None, None, None):
        yield "turn", "turn, phase and sideRule must go together"
    if assignment.turn is not None and not was_shown:
        yield "turn", "a turn is given when step 2 is shown"
    if version > 1 and was_shown and (assignment.turn is None) != is_identical:
        yield "turn", "what is shown uses up a turn, unless both sides look the same"


def _of_identical_sides(assignment: AssignmentRecord) -> Iterator[tuple[str, str]]:
    if any(
        preferenceResponse.isOptionAPreferred != preferenceResponse.isOptionBPreferred
        for preferenceResponse in assignment.preferenceResponses
    ):
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
    counted = {}
    for assignment in history:
        if assignment.preferenceResponses and not assignment.pilot and assignment.releasedAt is None:
            input_id = inputs[assignment.comparison][assignment.sideOrder or "first_is_a"]
            counted[input_id, assignment.annotatorId, assignment.position] = assignment
    if len(counted) != len(responses):
        problems.add(
            RESPONSES,
            f"{len(responses)} responses, but the history contains {len(counted)}",
            remedy="Export again, and keep the files together.",
        )
        return
    answers = {(input_id, expert, _answer_in(assignment)) for (input_id, expert, _), assignment in counted.items()}
    for number, response in enumerate(responses, 1):
        if (response.inputId, response.annotatorId, _answer_of(response)) not in answers:
            problems.add(
                RESPONSES,
                f"{HISTORY} contains a different answer by this annotator to this input",
                line=number,
                field="inputId",
                value=response.inputId,
                remedy="Export again, and keep the files together.",
            )


def _answer_in(assignment: AssignmentRecord) -> tuple[Any, ...]:
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


def _answer_of(response: ResponseLine) -> tuple[Any, ...]:
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


class NoSidesStated(HLVError):
    """The files contain no keys and turns."""

    code = "no_sides_told"


def sides_in_export(path: Path) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The keys and turns in a `study_responses` export: a folder or the downloaded archive.

    Raises:
        ImportRefused: with every problem in the files.
        NoSidesStated: the export was made by a version without keys, or is of another kind.
    """
    with _folder(path) as folder:
        responses = read_study_responses(folder)
    if responses.record.sides is None:
        raise NoSidesStated("These files contain no keys or turns, because they come from an earlier version.")
    keys = [StatedKey(key.phase, key.name, key.sha256, key.key) for key in responses.record.sides.keys]
    turns = [
        ShownTurn(
            record.annotatorId, record.phase or "", record.turn, record.sideRule or 0, record.sideOrder == "first_is_a"
        )
        for record in responses.history
        if record.turn is not None
    ]
    return keys, turns


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    try:
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as folder:
            here = [member for member in archive.infolist() if member.filename in FILES]
            if sum(member.file_size for member in here) > MOST_BYTES:
                raise NoSidesStated(f"{path.name} is larger than {MOST_BYTES:,} bytes when unpacked.")
            for member in here:
                archive.extract(member, folder)
            yield Path(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise NoSidesStated(f"{path.name} is neither a folder nor a readable zip archive.") from error


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
    earlier: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, str]] = set()
    taken: dict[int, int] = defaultdict(int)
    history = []
    for response in sorted(responses, key=lambda r: (r.annotatorId, r.timestamp)):
        instance, first, second, side = inputs[response.inputId]
        comparison = position[instance, first, second]
        mine = order[response.annotatorId]
        order[response.annotatorId] += 1
        repeat_of = earlier.get((response.annotatorId, comparison))
        seen_before = repeat_of is None and (response.annotatorId, instance) in seen
        earlier.setdefault((response.annotatorId, comparison), mine)
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
