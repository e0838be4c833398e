"""Tables as files: JSON with all digits, CSV for spreadsheets, LaTeX (booktabs) and Markdown as papers print them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotations.exporting.spreadsheets import csv_lines

Table = dict[str, Any]


@dataclass(frozen=True)
class TableFormat:
    """How a table is written, and what the file is called and served as."""

    name: str
    ending: str
    media: str
    write: Callable[[Table], str]


def as_json(table: Table) -> str:
    """The table as it is, with all digits."""
    return json.dumps(table, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(table: Table) -> str:
    """All columns with all digits, under their keys. An undefined cell is empty, and no spreadsheet runs a text."""
    keys = [column["key"] for column in table["columns"]]
    return "".join(csv_lines(keys, ([row[key] for key in keys] for row in table["rows"])))


def as_markdown(table: Table) -> str:
    """A pipe table with three decimals, and the notes under it.

    >>> table = {
    ...     "title": "T",
    ...     "columns": [{"key": "a", "title": "A|B", "group": "", "kind": ""}],
    ...     "rows": [{"a": 0.12345}],
    ...     "notes": [],
    ... }
    >>> print(as_markdown(table).rstrip())
    | A\\|B |
    | ---: |
    | 0.123 |
    """
    columns = table["columns"]
    heads = [" ".join(dict.fromkeys(part for part in (c["group"], c["title"]) if part)) for c in columns]
    numeric = [_is_numeric(table, column["key"]) for column in columns]
    lines = [
        heads,
        ["---:" if right else "---" for right in numeric],
        *([cell_text(row[column["key"]], column["kind"]) for column in columns] for row in table["rows"]),
    ]
    rows = ["| " + " | ".join(_in_markdown(cell) for cell in line) + " |" for line in lines]
    return "\n".join([*rows, *(["", *table["notes"]] if table["notes"] else [])]) + "\n"


def as_latex(table: Table) -> str:
    """A `table` with booktabs rules, numbers with three decimals, groups of columns under a rule; notes below."""
    columns = table["columns"]
    shape = "".join("r" if _is_numeric(table, column["key"]) else "l" for column in columns)
    heads = " & ".join(_in_latex(column["title"]) for column in columns)
    body = [
        " & ".join(_in_latex(cell_text(row[column["key"]], column["kind"])) for column in columns) + r" \\"
        for row in table["rows"]
    ]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_in_latex(table['title'])}}}",
        rf"\label{{tab:{table['name'].replace('_', '-')}}}",
        rf"\begin{{tabular}}{{@{{}}{shape}@{{}}}}",
        r"\toprule",
        *_group_lines(columns),
        rf"{heads} \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip\footnotesize {_in_latex(note)}" for note in table["notes"]),
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


def cell_text(value: Any, kind: str = "") -> str:
    """A cell as papers print it: three decimals, p-values never 0, shares in per cent, undefined as a dash.

    >>> cell_text(0.69212), cell_text(0.00001, "p"), cell_text(None), cell_text(26), cell_text(0.25, "share")
    ('0.692', '<0.001', '–', '26', '25.0 %')
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
    text = f"{100 * value:.1f} %" if kind == "share" else f"{value:.3f}"
    return text.replace("-", "−")


def _is_numeric(table: Table, key: str) -> bool:
    return any(isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in table["rows"])


def _group_lines(columns: list[dict[str, Any]]) -> list[str]:
    """The line of group headings with its partial rules; none where no column has a group."""
    if not any(column["group"] for column in columns):
        return []
    cells, rules, at = [], [], 1
    for group, members in groupby(columns, key=lambda column: column["group"]):
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
    """A text that LaTeX prints as it stands.

    >>> _in_latex("50 % & a_b")
    '50 \\\\% \\\\& a\\\\_b'
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _in_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").replace("*", "\\*")
