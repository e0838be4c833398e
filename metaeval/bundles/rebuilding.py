"""A study's inputs, and the keys and turns of its sides, from a bundle alone, on a machine without the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotations.ground.arrays import Matrix, absent_rows
from annotations.ground.display_rule import DisplayRule
from annotations.ground.errors import HLVError
from annotations.ground.fingerprints import matrix_fingerprint, prediction_fingerprint
from annotations.ground.sides import ShownTurn, StatedKey, order_of_names
from metaeval.analyses.inputs import Answers, DatasetInputs, Origin, Reports, StudyInputs
from metaeval.analyses.inputs.datasets import Annotated, AveragedFrom, annotated, data_fingerprint
from metaeval.analyses.inputs.kinds import column_of, is_later
from metaeval.analyses.inputs.studies import FACTS, Showing, study_fingerprint
from metaeval.bundles import layout
from metaeval.bundles.archive import MAX_BYTES, Archive, BundleError
from metaeval.bundles.layout import Field

UNREADABLE = (KeyError, ValueError, TypeError, IndexError, OverflowError, AttributeError)
TRUTH = {"true": True, "false": False}


def rebuilt(archive: Archive) -> StudyInputs:
    """The inputs of the study in the archive, with a fingerprint of what was read. Raises `BundleError`."""
    stated = archive.json(layout.STUDY)
    try:
        if (stated["format"], stated["version"]) != (layout.FORMAT, layout.VERSION):
            raise BundleError(f"This is not a {layout.FORMAT} of version {layout.VERSION}.")
        return _study(archive, stated)
    except BundleError:
        raise
    except (*UNREADABLE, HLVError) as error:
        raise BundleError("The data of this bundle do not fit together: it was not made by this program.") from error


def results_in(archive: Archive) -> list[tuple[str, dict[str, Any]]]:
    """The stored results with their paths, in order."""
    paths = [path for path in archive.paths if path.startswith("results/")]
    return [(path, archive.json(path)) for path in paths]


def _study(archive: Archive, stated: Mapping[str, Any]) -> StudyInputs:
    data = _data(archive, stated)
    answers = _answers(archive, data)
    facts: dict[str, Any] = {
        column.name: _fact(column.name, stated["study"][column.name])
        for column in fields(StudyInputs)
        if column.name in FACTS and (column.name in stated["study"] or not is_later(column))
    }
    inputs = StudyInputs(
        **facts,
        data=data,
        answers=answers,
        reports=_reports(archive, len(answers)),
        showing=_showing(archive, len(data.P)),
        fingerprint="",
    )
    return replace(inputs, fingerprint=study_fingerprint(inputs))


KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
TYPES = {column.name: str(column.type) for column in fields(StudyInputs)}


def _fact(name: str, value: Any) -> Any:
    """A plain value of a study, of the type that its field declares; else ValueError."""
    kind = TYPES[name]
    if kind == "tuple[int, ...]":
        return tuple(_of_type(int, number) for number in value)
    if kind == "tuple[tuple[int, str, str], ...]":
        return tuple(
            (_of_type(int, number), _of_type(str, question), _of_type(str, answer))
            for number, question, answer in value
        )
    return float(value) if kind == "float" else _of_type(KINDS[kind], value)


def _of_type(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(value)
    return value


def _data(archive: Archive, stated: Mapping[str, Any]) -> DatasetInputs:
    dataset, systems, predicted = stated["dataset"], stated["systems"], stated["predicted_annotations"]
    labels = tuple(map(str, dataset["labels"]))
    header = [column.name for column in layout.INSTANCE_FIELDS]
    instances = tuple(row["instance"] for row in archive.table(layout.INSTANCES, header))
    values = None if dataset["values"] is None else tuple(map(float, dataset["values"]))
    task = str(dataset["task"])
    Q = _Stored(archive, {system["name"]: (system["path"], len(instances)) for system in systems}, len(labels))
    answers = _Stored(archive, {system["name"]: (system["path"], system["rows"]) for system in predicted}, len(labels))
    below = {
        str(system["name"]): np.array([float(share) for share in system["below_scale"]])
        for system in systems
        if "below_scale" in system
    }

    def annotations() -> Annotated | None:
        return annotated(
            _annotation_rows(archive, len(instances), len(labels)),
            task=task,
            names=labels,
            scale=values,
            instances=len(instances),
        )

    return DatasetInputs(
        slug=str(dataset["slug"]),
        title=str(dataset["title"]),
        task=task,
        labels=labels,
        values=values,
        exclusive=None if dataset["exclusive"] is None else int(dataset["exclusive"]),
        P=read_matrix(archive.read(layout.PEOPLE), path=layout.PEOPLE, rows=len(instances), columns=len(labels)),
        systems=tuple(str(system["name"]) for system in systems),
        origins=tuple(
            Origin(model=str(system["model"]), method=str(system["method"]), run=str(system["run"]))
            for system in systems
        ),
        Q=Q,
        means={
            str(system["name"]): tuple(
                AveragedFrom(run=str(run["run"]), fingerprint=str(run["fingerprint"])) for run in system["mean_of"]
            )
            for system in systems
            if system.get("mean_of")
        },
        answers=answers,
        below=below,
        is_simulated=bool(dataset["is_simulated"]),
        # The dataset's statement covers its texts, which may be missing here; everything else comes from the files.
        fingerprint=data_fingerprint(
            str(dataset["fingerprint"]),
            systems=[(name, prediction_fingerprint(Q[name], below.get(name))) for name in Q],
            answers=[(name, matrix_fingerprint(answers[name])) for name in answers],
        ),
        read_annotations=annotations,
        read_instances=lambda: instances,
    )


class _Stored(Mapping[str, Matrix]):
    """Matrices by name, each read when needed."""

    def __init__(self, archive: Archive, places: Mapping[str, tuple[str, int]], columns: int) -> None:
        self._archive, self._places, self._columns = archive, dict(places), columns

    def __getitem__(self, name: str) -> Matrix:
        path, rows = self._places[name]
        content = self._archive.read(path)
        return read_matrix(content, path=path, rows=rows, columns=self._columns, may_lack=True)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_matrix(content: bytes, *, path: str, rows: int, columns: int, may_lack: bool = False) -> Matrix:
    """The matrix of `matrix_part`, to the last digit. Raises `BundleError` for another shape, and for a row without
    numbers, unless rows may be missing."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(pa.BufferReader(content), parse_options=csv.ParseOptions(newlines_in_values=True))
        read = [np.asarray(column.cast(pa.float64())) for column in table.columns] if rows else []
    except (pa.ArrowException, ValueError) as error:
        raise BundleError(f"{path} cannot be read as a table of numbers.") from error
    values = np.column_stack(read).astype(np.float64) if read else np.empty((0, columns))
    present = ~absent_rows(values) if may_lack and values.shape == (rows, columns) else slice(None)
    if values.shape != (rows, columns) or not np.isfinite(values[present]).all():
        raise BundleError(f"{path} has the shape {values.shape}; expected {rows} rows of {columns} numbers.")
    return values


def _annotation_rows(archive: Archive, instances: int, labels: int) -> Iterator[tuple[int, str, list[int], int]]:
    header = [column.name for column in layout.ANNOTATION_FIELDS]
    for row in archive.table(layout.ANNOTATIONS, header):
        yield (
            _within(int(row["instance"]), 0, instances),
            row["annotator"],
            [_within(place, 0, labels) for place in _positions(row["labels"])],
            _within(int(row["count"]), 1, 10**7),
        )


def _answers(archive: Archive, data: DatasetInputs) -> Answers:
    rows = archive.table(layout.ANSWERS, [column.name for column in layout.ANSWER_FIELDS], later=layout.LATER)
    present = set(rows[0]) if rows else {column.name for column in layout.ANSWER_FIELDS}
    columns_there = {
        column.name: _column(column, rows, len(data.labels))
        for column in layout.ANSWER_FIELDS
        if column.name in present
    }
    columns = {column.name: column_of(column, columns_there, rows=len(rows)) for column in fields(Answers)}
    limits = {"instance": (0, len(data.P)), "first": (-1, len(data.systems)), "second": (0, len(data.systems))}
    for name, (low, high) in {**limits, "repeat_of": (-1, len(rows))}.items():
        if len(rows) and not (low <= columns[name].min() and columns[name].max() < high):
            raise BundleError(f"{layout.ANSWERS} holds a value of {name!r} that leads nowhere.")
    return Answers(**columns)


def _column(column: Field, rows: list[dict[str, str]], labels: int) -> Any:
    cells = [row[column.name] for row in rows]
    if column.name == layout.LABELS:
        if len(rows) * labels > MAX_BYTES:  # a short row stands for all labels
            raise BundleError(f"{len(rows):,} answers of {labels:,} labels would take more than {MAX_BYTES:,} bytes.")
        chosen = np.zeros((len(rows), labels), dtype=np.bool_)
        for place, text in enumerate(cells):
            chosen[place, [_within(label, 0, labels) for label in _positions(text)]] = True
        return chosen
    if column.kind == "boolean":
        return np.fromiter((TRUTH[text] for text in cells), dtype=np.bool_, count=len(rows))
    if column.kind == "integer":
        return np.fromiter(map(int, cells), dtype=np.int64, count=len(rows))
    return np.fromiter((float(text) if text else np.nan for text in cells), dtype=np.float64, count=len(rows))


def _reports(archive: Archive, answers: int) -> Reports:
    rows = archive.table(layout.REPORTS, [column.name for column in layout.REPORT_FIELDS])
    return Reports(
        answer=np.fromiter((_within(int(row["answer"]), 0, answers) for row in rows), dtype=np.int64, count=len(rows)),
        reason=tuple(row["reason"] for row in rows),
        skipped=np.fromiter((TRUTH[row["skipped"]] for row in rows), dtype=np.bool_, count=len(rows)),
    )


def _showing(archive: Archive, instances: int) -> Showing | None:
    """How distributions were shown; bundles of earlier versions do not say."""
    if layout.SHOWING not in archive.paths:
        return None
    stated = archive.json(layout.SHOWING)
    rule, people = stated["rule"], stated["people"]
    if len(people) != instances:
        raise ValueError(people)
    return Showing(
        DisplayRule(
            threshold=float(rule["threshold"]),
            mode=rule["mode"],
            step=None if rule["step"] is None else float(rule["step"]),
            version=_of_type(int, rule["version"]),
        ),
        np.fromiter((_within(_of_type(int, count), 1, 10**7) for count in people), dtype=np.int64, count=instances),
    )


def _positions(text: str) -> list[int]:
    return [int(part) for part in text.split(";")] if text else []


def _within(value: int, low: int, high: int) -> int:
    if not low <= value < high:
        raise ValueError(value)
    return value


TurnRow = tuple[int | None, str, int | None]
"""Turn, phase and rule of a row of `data/answers.csv`; empty if no side was drawn."""


def told_in_bundle(path: Path) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The keys and turns of a bundle. Raises `BundleError`, also for a bundle from before there were keys."""
    with Archive(path) as archive:
        return told_in(archive, rebuilt(archive))


def told_in(archive: Archive, inputs: StudyInputs) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The same for an open archive and the inputs rebuilt from it."""
    if layout.SIDES not in archive.paths or layout.TURNS not in archive.paths:
        raise BundleError("This bundle has no keys and turns: it comes from a version without them.")
    rows = archive.table(layout.TURNS, [column.name for column in layout.TURN_FIELDS])
    answers, origins = inputs.answers, [(origin["model"], origin["method"], origin["run"]) for origin in inputs.origins]
    try:
        if len(rows) != len(answers):
            raise BundleError(f"{layout.TURNS} has {len(rows)} rows, {layout.ANSWERS} {len(answers)}.")
        keys = [StatedKey(**_key(stated)) for stated in archive.json(layout.SIDES)["keys"]]
        turns = []
        for place, row in enumerate(rows):
            if row["turn"]:
                first, second = int(answers.first[place]), int(answers.second[place])
                in_order = order_of_names(None if first < 0 else origins[first], origins[second])
                shown = bool(answers.first_is_a[place]) == in_order
                expert = int(answers.expert[place])
                turns.append(ShownTurn(expert, row["phase"], int(row["turn"]), int(row["rule"]), shown))
    except UNREADABLE as error:
        raise BundleError("The keys and turns of this bundle were not written by this program.") from error
    return keys, turns


def _key(stated: Mapping[str, Any]) -> dict[str, Any]:
    key = {name: stated[name] for name in ("phase", "name", "sha256", "key")}
    bytes.fromhex(key["key"] or "")
    return key
