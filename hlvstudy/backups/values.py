"""Values of SQLite as PostgreSQL writes them in `COPY ... TO STDOUT`, and back: the one form of all copies.

Dates, floats, UUIDs and bytes get exactly PostgreSQL's text, so that digests of both databases can be compared.
"""

import json
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from django.db.models import Field

from hlvstudy.backups import NotCopied

NULL = "\\N"


class ColumnKind(StrEnum):
    """How a column's values are stored."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    FLOAT = "float"
    TEXT = "text"
    TIME = "time"
    UUID = "uuid"
    JSON = "json"
    BYTES = "bytes"


_KINDS = {
    "BooleanField": ColumnKind.BOOLEAN,
    "FloatField": ColumnKind.FLOAT,
    "DateTimeField": ColumnKind.TIME,
    "UUIDField": ColumnKind.UUID,
    "JSONField": ColumnKind.JSON,
    "BinaryField": ColumnKind.BYTES,
    **dict.fromkeys(
        ["CharField", "TextField", "SlugField", "FileField", "FilePathField", "GenericIPAddressField", "DateField"],
        ColumnKind.TEXT,
    ),
    **dict.fromkeys(
        [
            *("AutoField", "BigAutoField", "SmallAutoField", "IntegerField", "BigIntegerField", "SmallIntegerField"),
            *("PositiveIntegerField", "PositiveBigIntegerField", "PositiveSmallIntegerField"),
        ],
        ColumnKind.INTEGER,
    ),
}


def kind_of(field: "Field[Any, Any]") -> ColumnKind:
    """How a field's column is stored; a reference is stored as what it points to.

    Raises:
        NotCopied: nobody has said yet how such values get from one database to another.
    """
    target: Any = field
    while target.remote_field is not None:
        target = target.target_field
    kind = _KINDS.get(target.get_internal_type())
    if kind is None:
        raise NotCopied(
            f"{field.model._meta.label}.{field.name} is a {target.get_internal_type()}: "
            "it is not known how to copy one."
        )
    return kind


_ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\"}
_MEANT = {"b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def escaped(text: str) -> str:
    """A text without the characters that end a column or a row.

    >>> print(escaped("a\\tb"))
    a\\tb
    """
    return text.translate(_ESCAPES)


def unescaped(text: str) -> str:
    """The inverse of `escaped`."""
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), text) if "\\" in text else text


def float_text(value: float) -> str:
    """A float as PostgreSQL prints it: the shortest digits that give it back.

    >>> [float_text(x) for x in (1.0, 0.1, 1e15, 123456789012345.6, -0.0, 1e-05, float("nan"))]
    ['1', '0.1', '1e+15', '123456789012345.6', '-0', '1e-05', 'NaN']
    """
    text = repr(float(value))
    if text in {"nan", "inf", "-inf"}:
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[text]
    if 1e15 <= abs(value) < 1e16:  # Python writes these without an exponent
        digits = text.removesuffix(".0").lstrip("-")
        whole, _, rest = digits.partition(".")
        mantissa = f"{whole[0]}.{whole[1:]}{rest}".rstrip("0").rstrip(".")
        return f"{'-' if value < 0 else ''}{mantissa}e+15"
    return text.removesuffix(".0")


def _time_text(value: str) -> str:
    bare = value.removesuffix("+00:00")
    return (bare.rstrip("0").rstrip(".") if "." in bare else bare) + "+00"


def _time_of(text: str) -> str:
    whole, _, fraction = text.removesuffix("+00").partition(".")
    return f"{whole}.{fraction:0<6}" if fraction else whole


def _uuid_text(value: str) -> str:
    return f"{value[:8]}-{value[8:12]}-{value[12:16]}-{value[16:20]}-{value[20:]}" if len(value) == 32 else value


_TO_TEXT: dict[ColumnKind, Callable[[Any], str]] = {
    ColumnKind.INTEGER: str,
    ColumnKind.BOOLEAN: lambda value: "t" if value else "f",
    ColumnKind.FLOAT: float_text,
    ColumnKind.TEXT: lambda value: escaped(str(value)),
    ColumnKind.TIME: _time_text,
    ColumnKind.UUID: _uuid_text,
    ColumnKind.JSON: lambda value: escaped(str(value)),
    ColumnKind.BYTES: lambda value: f"\\\\x{value.hex()}",
}

_OF_TEXT: dict[ColumnKind, Callable[[str], Any]] = {
    ColumnKind.INTEGER: int,
    ColumnKind.BOOLEAN: lambda text: 1 if text == "t" else 0,
    ColumnKind.FLOAT: float,
    ColumnKind.TEXT: unescaped,
    ColumnKind.TIME: _time_of,
    ColumnKind.UUID: lambda text: text.replace("-", ""),
    ColumnKind.JSON: unescaped,
    ColumnKind.BYTES: lambda text: bytes.fromhex(text[3:]),
}


def writer_of(kinds: list[ColumnKind]) -> Callable[[tuple[Any, ...]], str]:
    """A function from a row of SQLite to its line, without the end of the line."""
    converters = [_TO_TEXT[kind] for kind in kinds]

    def line_of(row: tuple[Any, ...]) -> str:
        return "\t".join(
            [NULL if value is None else convert(value) for convert, value in zip(converters, row, strict=True)]
        )

    return line_of


def reader_of(kinds: list[ColumnKind], *, json_as_django: bool) -> Callable[[str], tuple[Any, ...]]:
    """A function from a line to a row for SQLite.

    Args:
        json_as_django: write JSON anew, as Django would; for lines of PostgreSQL, which keeps it in a form of its own.
    """
    converters = [_OF_TEXT[kind] for kind in kinds]
    if json_as_django:
        for place, kind in enumerate(kinds):
            if kind is ColumnKind.JSON:
                converters[place] = lambda text: json.dumps(json.loads(unescaped(text)))

    def row_of(line: str) -> tuple[Any, ...]:
        return tuple(
            None if text == NULL else convert(text) for convert, text in zip(converters, line.split("\t"), strict=True)
        )

    return row_of


def canonical_of(kinds: list[ColumnKind]) -> Callable[[bytes], bytes] | None:
    """A function that writes a line's JSON in one way, whichever database it was in; None if there is none in it."""
    places = [place for place, kind in enumerate(kinds) if kind is ColumnKind.JSON]
    if not places:
        return None

    def canonical(line: bytes) -> bytes:
        cells = line.split(b"\t")
        for place in places:
            if cells[place] != b"\\N":
                # PostgreSQL's numbers know no negative zero.
                value = json.loads(unescaped(cells[place].decode()), parse_float=lambda digits: float(digits) + 0.0)
                cells[place] = json.dumps(value, sort_keys=True).encode()
        return b"\t".join(cells)

    return canonical
