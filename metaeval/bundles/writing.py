"""A study's inputs, plan and results as the files of a bundle, and the Frictionless data package around them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from annotations.exporting.formats import ExportFile
from annotations.exporting.spreadsheets import csv_lines, neutralise
from annotations.ground.arrays import AnyArray
from annotations.ground.fingerprints import matrix_fingerprint
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.datasets import AnnotationRow
from metaeval.analyses.inputs.studies import FACTS
from metaeval.bundles import layout
from metaeval.bundles.archive import PACKAGE
from metaeval.bundles.layout import Field
from metaeval.bundles.rebuilding import TurnRow

MEDIA = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown",
}


Chunks = Callable[[], Iterable[bytes]]
ROWS = 5_000
"""Rows of a matrix that are in memory as text at a time."""


@dataclass(frozen=True)
class BundleFile:
    """A file of the archive. Those with `fields` are tables (CSV); the others are JSON, text or JSON lines."""

    path: str
    title: str
    chunks: Chunks
    fields: tuple[Field, ...] = ()


def table_part(
    path: str, title: str, fields: Sequence[Field], rows: Callable[[], Iterable[Sequence[Any]]]
) -> BundleFile:
    """A CSV file of rows; undefined cells are empty, and no text can run as a formula in a spreadsheet."""
    header = [field.name for field in fields]

    def chunks() -> Iterator[bytes]:
        pending: list[str] = []
        for line in csv_lines(header, ([cell(value) for value in row] for row in rows())):
            pending.append(line)
            if len(pending) >= ROWS:
                yield "".join(pending).encode()
                pending = []
        yield "".join(pending).encode()

    return BundleFile(path, title, chunks, tuple(fields))


def cell(value: Any) -> Any:
    """A value for CSV: NaN and None are empty, booleans are words, numbers have all their digits.

    >>> cell(np.float64(0.1)), cell(np.bool_(True)), cell(float("nan")), cell("text")
    (0.1, 'true', '', 'text')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else float(value)  # which the csv module writes with all its digits
    return int(value)


def matrix_part(path: str, title: str, labels: Sequence[str], matrix: Callable[[], AnyArray]) -> BundleFile:
    """A matrix as CSV: one row per instance, in the order of `data/instances.csv`; one column per label."""
    names = [neutralise(label) for label in labels]

    def chunks() -> Iterator[bytes]:
        yield "".join(csv_lines(labels, [])).encode()
        values = matrix()
        for start in range(0, len(values), ROWS):
            block = values[start : start + ROWS].tolist()
            yield "".join(",".join(map(_number, row)) + "\r\n" for row in block).encode()

    return BundleFile(path, title, chunks, tuple(Field(name, "number") for name in names))


def _number(value: float) -> str:
    """The number with all digits; an empty cell for NaN, quoted so that a row with one cell is not an empty line."""
    return '""' if math.isnan(value) else repr(value)


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What goes into a bundle. `described` holds facts about the study for readers; no number depends on them."""

    inputs: StudyInputs
    dataset_fingerprint: str
    annotations: Callable[[], Iterable[AnnotationRow]] = tuple
    withdrawn: frozenset[int] = frozenset()
    texts: Callable[[], Iterable[Mapping[str, Any]]] | None = None
    sides: Mapping[str, Any] | None = None
    turns: Callable[[], Iterable[TurnRow]] = tuple
    plan: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[Mapping[str, Any]] = ()
    left_out: Sequence[str] = ()
    versions: Mapping[str, Any] = field(default_factory=dict)
    described: Mapping[str, Any] = field(default_factory=dict)
    readme: str = ""


def parts_of(contents: Contents) -> list[BundleFile]:
    """All files of the bundle except the package itself."""
    inputs = contents.inputs
    data = inputs.data
    systems = list(enumerate(data.systems))
    predicted = list(enumerate(data.answers))
    files = [
        BundleFile(layout.README, "Read this first", lambda: [contents.readme.encode()]),
        _json(layout.STUDY, "The study, its dataset and its systems", lambda: _study(contents)),
        _json(layout.PLAN, "The analysis plan", lambda: dict(contents.plan)),
        _json(layout.VERSIONS, "What computed the results", lambda: dict(contents.versions)),
        table_part(
            layout.INSTANCES,
            "Instances",
            layout.INSTANCE_FIELDS,
            lambda: [(name, place in contents.withdrawn) for place, name in enumerate(data.instances)],
        ),
        matrix_part(layout.PEOPLE, "Judgement distributions of people", data.labels, lambda: data.P),
        table_part(
            layout.ANNOTATIONS,
            "Human annotations",
            layout.ANNOTATION_FIELDS,
            lambda: ((row[0], row[1], _positions(row[2]), row[3]) for row in contents.annotations()),
        ),
        table_part(
            layout.ANSWERS, "What the experts did", layout.answer_fields(inputs.answers), lambda: _answers(inputs)
        ),
        *_turns(contents),
        table_part(layout.REPORTS, "Reported problems", layout.REPORT_FIELDS, lambda: _reports(inputs)),
        *(
            matrix_part(
                layout.system_path(place),
                f"Predictions of {name}",
                data.labels,
                partial(data.Q.__getitem__, name),
            )
            for place, name in systems
        ),
        *(
            matrix_part(
                layout.predicted_path(place),
                f"Annotations predicted by {name}",
                data.labels,
                partial(data.answers.__getitem__, name),
            )
            for place, name in predicted
        ),
    ]
    if inputs.showing is not None:
        shown = {"rule": asdict(inputs.showing.rule), "people": inputs.showing.people.tolist()}
        files.append(_json(layout.SHOWING, "How distributions are shown to experts", lambda: shown))
    if contents.texts is not None:
        texts = contents.texts

        def lines() -> Iterator[bytes]:
            return (f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in texts())

        files.append(BundleFile(layout.TEXTS, "Texts of the instances", lines))
    for place, result in enumerate(contents.results, start=1):
        path = layout.result_path(place, str(result["analysis"]))
        files.append(_json(path, f"Result: {result['title']}", partial(dict, result)))
    return files


def _turns(contents: Contents) -> list[BundleFile]:
    """How the sides were drawn; the key only if the study is closed (`annotations.designing.keys`)."""
    if contents.sides is None:
        return []
    sides = contents.sides
    return [
        _json(layout.SIDES, "How sides were drawn, and the keys once the study is closed", lambda: dict(sides)),
        table_part(layout.TURNS, "Turns, row by row of data/answers.csv", layout.TURN_FIELDS, contents.turns),
    ]


def _json(path: str, title: str, content: Callable[[], Mapping[str, Any]]) -> BundleFile:
    def chunks() -> list[bytes]:
        return [(json.dumps(content(), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()]

    return BundleFile(path, title, chunks)


def _study(contents: Contents) -> dict[str, Any]:
    inputs = contents.inputs
    data = inputs.data
    return {
        "format": layout.FORMAT,
        "version": layout.VERSION,
        "study": {
            **contents.described.get("study", {}),
            **{name: list(fact) if isinstance(fact := getattr(inputs, name), tuple) else fact for name in FACTS},
            "fingerprint": inputs.fingerprint,
        },
        "dataset": {
            "slug": data.slug,
            "title": data.title,
            "task": data.task,
            "labels": list(data.labels),
            "values": None if data.values is None else list(data.values),
            "exclusive": data.exclusive,
            "is_simulated": data.is_simulated,
            "fingerprint": contents.dataset_fingerprint,
            **contents.described.get("dataset", {}),
        },
        "systems": [
            {
                **origin,
                "name": name,
                "path": layout.system_path(place),
                "fingerprint": matrix_fingerprint(data.Q[name]),
                **({"below_scale": data.below[name].tolist()} if name in data.below else {}),
                **({"mean_of": list(data.means[name])} if name in data.means else {}),
            }
            for place, (name, origin) in enumerate(zip(data.systems, data.origins, strict=True))
        ],
        "predicted_annotations": [
            {
                "name": name,
                "path": layout.predicted_path(place),
                "rows": len(data.answers[name]),
                "fingerprint": matrix_fingerprint(np.asarray(data.answers[name], dtype=np.float64)),
            }
            for place, name in enumerate(data.answers)
        ],
        "left_out": list(contents.left_out),
    }


def _answers(inputs: StudyInputs) -> Iterable[list[Any]]:
    columns = [(column, getattr(inputs.answers, column.name)) for column in layout.answer_fields(inputs.answers)]
    for row in range(len(inputs.answers)):
        yield [_value(column, values[row]) for column, values in columns]


def _value(column: Field, value: Any) -> Any:
    return _positions(np.flatnonzero(value).tolist()) if column.name == layout.LABELS else value


def _positions(labels: Sequence[int]) -> str:
    return ";".join(map(str, labels))


def _reports(inputs: StudyInputs) -> Iterable[tuple[Any, ...]]:
    reports = inputs.reports
    return zip(reports.answer.tolist(), reports.reason, reports.skipped.tolist(), strict=True)


def packed(parts: Sequence[BundleFile], about: Mapping[str, Any]) -> list[ExportFile]:
    """The files of the archive: every part, and finally the package with the checksums of those before it.

    They must be written in this order. The same parts give the same bytes: they contain no creation time.
    """
    tallies = {part.path: _Tally() for part in parts}
    files = [ExportFile(part.path, partial(tallies[part.path].counted, part)) for part in parts]
    return [*files, ExportFile(PACKAGE, lambda: [_package(parts, tallies, about)])]


class _Tally:
    """Length and SHA-256 of what was written."""

    def __init__(self) -> None:
        self.bytes = 0
        self.digest = hashlib.sha256()

    def counted(self, part: BundleFile) -> Iterator[bytes]:
        self.bytes, self.digest = 0, hashlib.sha256()
        for chunk in part.chunks():
            self.bytes += len(chunk)
            self.digest.update(chunk)
            yield chunk


def _package(parts: Sequence[BundleFile], tallies: Mapping[str, _Tally], about: Mapping[str, Any]) -> bytes:
    package = {
        "profile": "data-package",
        **about,
        "resources": [_resource(part, tallies[part.path]) for part in parts],
    }
    return (json.dumps(package, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _resource(part: BundleFile, tally: _Tally) -> dict[str, Any]:
    ending = PurePosixPath(part.path).suffix.removeprefix(".")
    resource: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", part.path.lower()),
        "path": part.path,
        "profile": "tabular-data-resource" if part.fields else "data-resource",
        "title": part.title,
        "format": ending,
        "mediatype": MEDIA[ending],
        "encoding": "utf-8",
        "bytes": tally.bytes,
        "hash": f"sha256:{tally.digest.hexdigest()}",
    }
    if part.fields:
        resource["dialect"] = {"delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True}
        resource["schema"] = {"fields": [field.described for field in part.fields], "missingValues": [""]}
    return resource
