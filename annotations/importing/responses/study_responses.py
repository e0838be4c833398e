"""Read study responses: this project's own complete export, or the bare files of the original format.

Complete: `study.json`, `comparisons.jsonl` and `history.jsonl` contain everything; `responses.jsonl` and
`metadata.csv` must agree with them, so that nobody analyses one thing and restores another.

Bare: `responses.jsonl` and `metadata.csv` alone do not say which text an `inputId` is. A file
`instances.csv` (`id,instance`) must; comparisons, side orders and assignments then follow from the three."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotations.ground.errors import HLVError
from annotations.ground.sides import ShownTurn, StatedKey
from annotations.importing.memory.problems import Problems
from annotations.importing.responses.bare_responses import from_bare_files
from annotations.importing.responses.study_records import (
    COMPARISONS,
    HISTORY,
    INSTANCES,
    METADATA,
    RESPONSES,
    STUDY,
    AssignmentRecord,
    ComparisonRecord,
    ResponseLine,
    StudyRecord,
    StudyResponses,
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
        for found in error.errors(include_url=False):
            place = ".".join(str(part) for part in found["loc"])
            value = "" if found["type"] in {"json_invalid", "missing"} else found["input"]
            problems.add(file, found["msg"], line=line, field=place, value=value, remedy="Fix or export it again.")
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


def _wrong_turn(assignment: AssignmentRecord, *, version: int, is_identical: bool) -> Iterator[tuple[str, str]]:
    """What is wrong with the turn of one line of history: field and reason."""
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
    keys = [StatedKey(one.phase, one.name, one.sha256, one.key) for one in responses.record.sides.keys]
    turns = [
        ShownTurn(one.annotatorId, one.phase or "", one.turn, one.sideRule or 0, one.sideOrder == "first_is_a")
        for one in responses.history
        if one.turn is not None
    ]
    return keys, turns


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    try:
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as folder:
            here = [one for one in archive.infolist() if one.filename in FILES]
            if sum(one.file_size for one in here) > MOST_BYTES:
                raise NoSidesStated(f"{path.name} is larger than {MOST_BYTES:,} bytes when unpacked.")
            for one in here:
                archive.extract(one, folder)
            yield Path(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise NoSidesStated(f"{path.name} is neither a folder nor a readable zip archive.") from error
