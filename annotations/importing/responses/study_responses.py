"""Read study responses: this project's own complete export, or the bare files of the original format.

Complete: `study.json`, `comparisons.jsonl` and `history.jsonl` contain everything; `responses.jsonl` and
`metadata.csv` must agree with them, so that nobody analyses one thing and restores another.

Bare: `responses.jsonl` and `metadata.csv` alone do not say which text an `inputId` is. A file
`instances.csv` (`id,instance`) must; comparisons, side orders and assignments then follow from the three.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

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
from annotations.importing.responses.study_rules import check_agreement, check_rules

Parsed = TypeVar("Parsed", bound=BaseModel)


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
