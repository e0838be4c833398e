"""CSV that spreadsheets do not run as formulas.

A cell that begins with `=`, `+`, `-`, `@`, a tab, a carriage return or a line feed may be taken for a formula by the
program that opens the file. Such a text gets a leading apostrophe, which is how spreadsheets mark text. A text that
already begins with apostrophes followed by one of these gets one more, so that the way back is unambiguous: remove one
apostrophe where one was added.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

LINES = 500  # written at once
_RUNS_AS_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_WAS_NEUTRALISED = re.compile(r"'+[=+\-@\t\r\n]")


def neutralise(text: str) -> str:
    """The text in a form that no spreadsheet runs.

    >>> neutralise("=1+1"), neutralise("Consumer law"), neutralise("'=1+1")
    ("'=1+1", 'Consumer law', "''=1+1")
    """
    return f"'{text}" if _RUNS_AS_FORMULA.match(text) else text


def restore(text: str) -> str:
    """The original text of `neutralise`.

    >>> restore(neutralise("@home")), restore("'quoted'")
    ('@home', "'quoted'")
    """
    return text[1:] if _WAS_NEUTRALISED.match(text) else text


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a CSV file (RFC 4180): the header's, then many at a time. Texts are neutralised, numbers are left
    alone.
    """
    remaining = iter(rows)
    part: list[Sequence[object]] = [header]
    while part:
        yield written([neutralise(cell) if isinstance(cell, str) else cell for cell in cells] for cells in part)
        part = list(islice(remaining, LINES))


def quoted(text: str) -> str:
    """A cell as the writer of CSV writes it.

    >>> quoted("a, b"), quoted("a b"), quoted("")
    ('"a, b"', 'a b', '')
    """
    return written([(text, "")])[: -len(",\r\n")]  # alone, an empty text would be quoted


def written(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV, unchanged."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()
