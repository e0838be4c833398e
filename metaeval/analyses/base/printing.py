"""A table as it is printed: both ends of an interval in one cell, a mean with its deviation in another, remarks only
if there are any.

Pages, Markdown, LaTeX (booktabs) and the report print a table with these columns. CSV and JSON keep the two numbers
apart, with all digits, under the keys that the table declares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from pydantic import Field

from annotations.exporting.spreadsheets import csv_lines
from metaeval.analyses.base.table import NOTES, Cell, Column, Kind, Name, Row, Table
from metaeval.analyses.inputs.parts import Part

LOW = re.compile(r"(^|_)low$")
FROM, OF_LOW = "from", " low"
"""The title of an interval's lower end: alone in its group, or as in "95% low"."""

MEAN, DEVIATION, DEVIATION_ENDING = "mean", "SD", "_sd"
"""The titles of a mean and of its standard deviation, whose key ends like this: `po_jsd` and `po_jsd_sd`."""

FIRST_OF_A_GROUP = 2
"""How many columns of a group are main columns, besides its interval and every p."""


MOST_MAIN = 10
"""How many columns a wide table shows at first; a later group that exceeds this is not shown."""


class PrintedColumn(Part):
    """A column as it is printed: one of the table's, or two as one: the ends of an interval, a mean and its
    deviation."""

    key: Name
    high: Name | None = Field(
        default=None, description="For an interval: the key of its upper end; `key` is the lower one."
    )
    spread: Name | None = Field(
        default=None, description="For a mean: the key of its standard deviation, printed after ±."
    )
    title: str
    group: str
    kind: Kind
    is_numeric: bool = Field(description="Whether it holds numbers, and is aligned to the right.")
    is_whole: bool = Field(description="Whether all its numbers are counts, printed without decimals.")
    is_main: bool = Field(description="Whether a wide table shows it by default.")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the cells that it prints."""
        return tuple(key for key in (self.key, self.high, self.spread) if key is not None)


def printed_columns(table: Table) -> list[PrintedColumn]:
    """The columns of a table as printed, an interval after its estimate and before its tests, a mean with its spread.

    >>> ends = [Column(key="r_low", title="95% low"), Column(key="r_high", title="95% high")]
    >>> p = Column(key="p", title="p", kind="p")
    >>> columns = printed_columns(Table(name="t", title="T", columns=[Column(key="r", title="r"), p, *ends], rows=[]))
    >>> [(column.title, column.high) for column in columns]
    [('r', None), ('95% interval', 'r_high'), ('p', None)]
    """
    has_remarks = any(row.get(NOTES) for row in table.rows)
    columns = [column for column in table.columns if column.key != NOTES or has_remarks]
    highs = {column.key: high for column in columns if (high := _upper_end(column, columns))}
    spreads = {column.key: spread for column in columns if (spread := _deviation(column, columns))}
    shown: list[Column] = []
    for column in columns:
        if column.key in highs.values() or column.key in spreads.values():
            continue
        if column.key not in highs:
            shown.append(column)
            continue
        tests = (at for at, other in enumerate(shown) if other.kind == "p" and other.group == column.group)
        shown.insert(next(tests, len(shown)), column)
    main = _main_keys(shown, highs)
    return [
        PrintedColumn(
            key=column.key,
            high=highs.get(column.key),
            spread=spreads.get(column.key),
            title=_title(column, highs, spreads),
            group=column.group,
            kind=column.kind,
            is_numeric=any(_is_number(row[column.key]) for row in table.rows),
            is_whole=not any(isinstance(row[column.key], float) for row in table.rows),
            is_main=column.key in main,
        )
        for column in shown
    ]


def printed_cell(row: Row, column: PrintedColumn) -> str:
    """A cell as papers print it: a whole interval, a mean with its standard deviation (if it has one), or a dash.

    >>> printed_cell(
    ...     {"low": -0.1, "high": 0.25},
    ...     PrintedColumn(
    ...         key="low",
    ...         high="high",
    ...         title="interval",
    ...         group="",
    ...         kind="",
    ...         is_numeric=True,
    ...         is_whole=False,
    ...         is_main=True,
    ...     ),
    ... )
    '[−0.100, 0.250]'
    """
    if column.spread is not None:
        mean, deviation = (cell_text(row[key], column.kind) for key in column.keys)
        return mean if row[column.spread] is None else f"{mean} ± {deviation}"
    if column.high is None:
        return cell_text(row[column.key], column.kind)
    low, high = (row[key] for key in column.keys)
    if not (_is_number(low) and _is_number(high)):
        return cell_text(None)
    return f"[{cell_text(low, column.kind)}, {cell_text(high, column.kind)}]"


def naming_columns(columns: Sequence[PrintedColumn]) -> list[PrintedColumn]:
    """The leading columns that hold words: what a row is about, different for every row."""
    ends = (
        at
        for at, column in enumerate(columns)
        if column.is_numeric or column.high or column.group or column.key == NOTES
    )
    return list(columns[: max(1, next(ends, len(columns)))])


def row_keys(table: Table) -> list[tuple[str, ...]]:
    """What each row is about, in words; rows about the same thing are numbered in order."""
    naming = naming_columns(printed_columns(table))
    names = [tuple(cell_text(row[column.key], column.kind) for column in naming) for row in table.rows]
    times: dict[tuple[str, ...], count[int]] = {}
    keys = []
    for name in names:
        number = next(times.setdefault(name, count(1)))
        keys.append(name if number == 1 else (*name, str(number)))
    return keys


def cell_text(value: Cell, kind: str = "") -> str:
    """A cell as papers print it: three decimals, p-values never 0, shares in per cent, undefined values as a dash.

    >>> cell_text(0.69212), cell_text(0.00001, "p"), cell_text(None), cell_text(26), cell_text(0.25, "share")
    ('0.692', '<0.001', '–', '26', '25.0%')
    >>> cell_text(-0.5), cell_text(True)
    ('−0.500', 'yes')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if kind == "p" and value < 0.0005:
        return "<0.001"
    text = f"{100 * value:.1f}%" if kind == "share" else f"{value:.3f}"
    return text.replace("-", "−")


def _upper_end(column: Column, columns: Sequence[Column]) -> str | None:
    """The key of the upper end, if the column is the lower end of an interval: both share one heading."""
    if not LOW.search(column.key) or not (column.title == FROM or column.title.endswith(OF_LOW)):
        return None
    high = LOW.sub(r"\1high", column.key)
    return high if any((other.key, other.group) == (high, column.group) for other in columns) else None


def _deviation(column: Column, columns: Sequence[Column]) -> str | None:
    """The key of the standard deviation, if the column is a mean beside one: both share one heading."""
    key = f"{column.key}{DEVIATION_ENDING}"
    is_beside = any((other.key, other.title, other.group) == (key, DEVIATION, column.group) for other in columns)
    return key if is_beside and column.title == MEAN else None


def _title(column: Column, lows: Collection[str], means: Collection[str]) -> str:
    """`95% low` is the lower end of the `95% interval`; a mean and its SD are `mean ± SD`."""
    if column.key in means:
        return f"{MEAN} ± {DEVIATION}"
    if column.key not in lows:
        return column.title
    return "interval" if column.title == FROM else f"{column.title.removesuffix(OF_LOW)} interval"


def _main_keys(columns: Sequence[Column], lows: Collection[str]) -> set[str]:
    """No details: for each group its first two columns, its interval and every p; as many groups as fit."""
    places: dict[str, count[int]] = {}
    groups: dict[str, list[str]] = {"": []}
    for column in columns:
        is_interval = column.key in lows
        if column.detail and not is_interval:
            continue
        place = next(places.setdefault(column.group, count(1)))
        if not column.group or is_interval or column.kind == "p" or place <= FIRST_OF_A_GROUP:
            groups.setdefault(column.group, []).append(column.key)
    main = set(groups.pop(""))
    for number, keys in enumerate(groups.values()):
        if number and len(main) + len(keys) > MOST_MAIN:
            break
        main.update(keys)
    # With many columns, remarks would be out of sight and make their rows tall.
    return main - {NOTES} if len(main) > MOST_MAIN else main


def _is_number(value: Cell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class TableFormat:
    """How a table is written, the file extension, and the content type."""

    name: str
    ending: str
    media: str
    write: Callable[[Table], str]


def as_json(table: Table) -> str:
    """The table as it is, with all digits."""
    return json.dumps(table.plain(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(table: Table) -> str:
    """All columns with all digits, under their keys. An undefined cell is empty, and no text can run as a formula in a
    spreadsheet."""
    keys = [column.key for column in table.columns]
    return "".join(csv_lines(keys, ([row[key] for key in keys] for row in table.rows)))


def as_markdown(table: Table) -> str:
    """A pipe table with three decimals, intervals in one cell, and the notes below.

    >>> from metaeval.analyses.base.table import column, table
    >>> print(as_markdown(table("t", "T", [column("a", "A|B")], [{"a": 0.12345}])).rstrip())
    | A\\|B |
    | ---: |
    | 0.123 |
    """
    columns = printed_columns(table)
    heads = [" ".join(dict.fromkeys(part for part in (c.group, c.title) if part)) for c in columns]
    lines = [
        heads,
        ["---:" if column.is_numeric else "---" for column in columns],
        *([printed_cell(row, column) for column in columns] for row in table.rows),
    ]
    rows = ["| " + " | ".join(_in_markdown(cell) for cell in line) + " |" for line in lines]
    return "\n".join([*rows, *(["", *table.notes] if table.notes else [])]) + "\n"


def as_latex(table: Table) -> str:
    """A `table` with booktabs rules, numbers with three decimals, groups of columns under a rule; notes below."""
    columns = printed_columns(table)
    shape = "".join("r" if column.is_numeric else "l" for column in columns)
    heads = " & ".join(_in_latex(column.title) for column in columns)
    body = [" & ".join(_in_latex(printed_cell(row, column)) for column in columns) + r" \\" for row in table.rows]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_in_latex(table.title)}}}",
        rf"\label{{tab:{table.name.replace('_', '-')}}}",
        rf"\begin{{tabular}}{{@{{}}{shape}@{{}}}}",
        r"\toprule",
        *_group_lines(columns),
        rf"{heads} \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip\footnotesize {_in_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


FORMATS = {
    kind.name: kind
    for kind in (
        TableFormat("json", "json", "application/json", as_json),
        TableFormat("csv", "csv", "text/csv", as_csv),
        TableFormat("latex", "tex", "application/x-tex", as_latex),
        TableFormat("markdown", "md", "text/markdown", as_markdown),
    )
}


def _group_lines(columns: list[PrintedColumn]) -> list[str]:
    """The line of group headings with its partial rules; none if no column has a group."""
    if not any(column.group for column in columns):
        return []
    cells, rules, at = [], [], 1
    for group, members in groupby(columns, key=lambda column: column.group):
        span = len(list(members))
        if group:
            cells.append(rf"\multicolumn{{{span}}}{{c}}{{{_in_latex(group)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + span - 1}}}")
        else:
            cells += [""] * span
        at += span
    return [" & ".join(cells) + r" \\", " ".join(rules)]


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "−": "$-$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "–": "--",
    "ʷ": r"\textsuperscript{w}",
    "′": r"$'$",
    "\n": " ",
    "\r": " ",
}


def _in_latex(text: str) -> str:
    """The text, escaped so that LaTeX prints it as it is.

    >>> _in_latex("50% & a_b")
    '50\\\\% \\\\& a\\\\_b'
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _in_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").replace("*", "\\*")
