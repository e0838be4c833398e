"""Tables as files: JSON with all digits, CSV for spreadsheets, LaTeX (booktabs) and Markdown as papers print them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from annotations.exporting.spreadsheets import csv_lines
from metaeval.analyses.base.printed import PrintedColumn, printed_cell, printed_columns
from metaeval.analyses.base.table import Table


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
