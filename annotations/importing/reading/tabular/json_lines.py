"""Open JSON lines: with pyarrow or, if that fails, line by line to say why or to read it anyway."""

import codecs
import json
from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as pajson
from django.utils.translation import gettext as _

from annotations.ground import bounded_json
from annotations.ground.progress import Progress
from annotations.importing.memory.limits import refuse_large_table, refuse_many_columns, unstorable
from annotations.importing.memory.problems import Place, Problems
from annotations.importing.reading.documents import RepeatedKey, without_repeats
from annotations.importing.reading.files import SourceFile, refuse_wrong_encoding
from annotations.importing.reading.tabular.sheets import Columns, Sheet
from annotations.shown.plurals import filled

KINDS = {list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
# Without these, pyarrow turns a text that looks like a date into a date.
ARROW_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64()}


def open_json_lines(file: SourceFile, *, problems: Problems, progress: Progress, numbers: Columns) -> Sheet:
    """Read the whole file. Every line that is not a JSON object is noted; then reading stops."""
    schema = _schema_of_first_line(file, numbers, problems)
    if schema is not None:
        # Lines with other keys are read line by line, which counts the columns first.
        parsing = pajson.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
        try:
            table = pajson.read_json(str(file.path), parse_options=parsing)
            plain = all(field.type in ARROW_TYPES.values() for field in table.schema) and table.column_names
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
            plain = False
        if plain:
            return Sheet(file, table, problems, find_lines=lambda: _filled_lines(file))
    rows, lines = read_objects(file, problems=problems, progress=progress)
    return Sheet(file, _table_of(rows, file, lines, problems, numbers), problems, find_lines=lambda: lines)


def read_objects(
    file: SourceFile, *, problems: Problems, progress: Progress
) -> tuple[list[dict[str, Any]], "array[int]"]:
    """All objects in the file and their lines. Every line that is not an object is noted; then reading stops."""
    refuse_wrong_encoding(file, problems)
    rows: list[dict[str, Any]] = []
    lines = array("q")
    with file.path.open("rb") as stream:
        done = 0
        for number, raw in enumerate(stream, start=1):
            done += len(raw)
            if number % 2000 == 1:
                progress(done, file.size, f"reading {file.name}")
            text = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            if not text.strip():
                continue
            row = _object_in(text, Place(problems, file.name, number))
            if row is not None:
                rows.append(row)
                lines.append(number)
    if not rows and not problems:
        problems.add(file.name, _("the file contains no data"), remedy=_remedy_line())
    problems.stop_if_any()
    return rows, lines


def _remedy_line() -> str:
    return filled(
        _("Use one JSON object per line, such as {example}."),
        example='{"instance": "a", "label": "tax", "probability": 0.25}',
    )


def _object_in(text: bytes, place: Place) -> dict[str, Any] | None:
    try:
        value = bounded_json.loads(text.decode(), object_pairs_hook=without_repeats)
    except RepeatedKey as error:
        place.problem(_("the object contains this key twice"), field=str(error), remedy=_remedy_line())
    except ValueError as error:  # a whole number with too many digits raises ValueError
        what, remedy = _("this line is not JSON"), _remedy_line()
        if place.line == 1 and text.strip() in (b"[", b"{"):
            what = _("this is one JSON document, not JSON lines")
        elif not text.endswith(b"\n"):
            what, remedy = (
                _("the last line is not complete JSON: the file is cut off"),
                _("Download the complete file again."),
            )
        elif isinstance(error, json.JSONDecodeError):
            what = filled(_("this line is not JSON (column {column})"), column=error.colno)
        place.problem(what, field="", remedy=remedy)
    else:
        if isinstance(value, dict):
            return value
        reason = _("this line is a JSON {value}, not an object").format(value=KINDS.get(type(value), "null"))
        place.problem(reason, field="", remedy=_remedy_line())
    return None


def _schema_of_first_line(file: SourceFile, numbers: Columns, problems: Problems) -> pa.Schema | None:
    """The columns in the first line; None if pyarrow would misread them."""
    try:
        first = bounded_json.loads(file.first_line())
    except ValueError:
        return None
    if isinstance(first, dict):
        refuse_many_columns(problems, file.name, len(first))
    if not isinstance(first, dict) or not all(type(value) in ARROW_TYPES for value in first.values()):
        return None
    numeric = numbers(first)
    return pa.schema(
        [(name, pa.float64() if name in numeric else ARROW_TYPES[type(value)]) for name, value in first.items()]
    )


def _table_of(
    rows: list[dict[str, Any]], file: SourceFile, lines: "array[int]", problems: Problems, numbers: Columns
) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    # Every line may have other keys, so that a table of them grows with the square of the file.
    refuse_many_columns(problems, file.name, len(names))
    refuse_large_table(problems, file.name, rows=len(rows), columns=len(names))
    numeric = numbers(names)
    # Of each column only the lines that have something in it, since most may have nothing.
    places: dict[str, array[int]] = {name: array("q") for name in names}
    values_of: dict[str, list[Any]] = {name: [] for name in names}
    for place, row in enumerate(rows):
        for name, value in row.items():
            if value is not None:
                places[name].append(place)
                values_of[name].append(value)
    columns = {}
    for name in names:
        values, where = values_of[name], (lines[place] for place in places[name])
        if name in numeric:
            for value, line in zip(values, where, strict=True):
                if not _is_number(value):
                    problems.add(
                        file.name,
                        _("this is not a number"),
                        line=line,
                        field=name,
                        value=value,
                        remedy=_("Enter a number such as 0.25, without quotation marks."),
                    )
            problems.stop_if_any()
            filled_in = pa.array([float(value) for value in values], pa.float64())
        else:
            texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
            filled_in = _texts(file, name, texts, where, problems)
        columns[name] = filled_in if len(values) == len(rows) else _spread(filled_in, places[name], len(rows))
    return pa.table(columns)


def _is_number(value: Any) -> bool:
    # A whole number may have any number of digits, but floats go no further than this.
    return type(value) is float or (type(value) is int and abs(value) < 10**300)


def _spread(values: pa.Array, places: "array[int]", rows: int) -> pa.Array:
    """As many rows, nothing in all but these places."""
    where = np.full(rows, -1)
    where[np.frombuffer(places, np.int64)] = np.arange(len(places))
    return values.take(pa.array(where, mask=where < 0))


def _texts(file: SourceFile, name: str, texts: list[str], lines: Iterable[int], problems: Problems) -> pa.Array:
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        for text, line in zip(texts, lines, strict=True):
            if text and (why := unstorable(text)):
                remedy = _("Write the complete character, or remove it.")
                problems.add(
                    file.name,
                    _("the text {why}").format(why=why),
                    line=line,
                    field=name,
                    value=ascii(text),
                    remedy=remedy,
                )
        raise problems.refusal() from None


def _filled_lines(file: SourceFile) -> "array[int]":
    with file.path.open("rb") as stream:
        return array("q", (number for number, line in enumerate(stream, start=1) if line.strip()))
