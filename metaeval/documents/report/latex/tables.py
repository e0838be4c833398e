"""Tables in LaTeX: with the rules of booktabs, as a float if they fit on half a page, else over several pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaeval.analyses.base.table import Table
from metaeval.documents.report.remarks import with_footnotes
from metaeval.documents.report.tabling import GroupHead, TablePart, table_parts

Write = Callable[[str], str]

FLOATS = 24
"""The maximum number of rows of a table that is kept together."""

ROOM = {r"\footnotesize": 114, r"\scriptsize": 130}
"""Letters in a line of a table across all columns, by font size."""

GAP = 0.0125
"""The share of the line that is between two columns."""

LEAST, MOST = 4, 60
"""Letters in the narrowest and in the widest column."""

LEAST_WORDS = 12
"""Letters that a column of words keeps if the table is too wide."""


def latex_table(table: Table, *, anchor: str, label: str, caption: str, notes: Sequence[str], write: Write) -> str:
    """The table under its label and caption, in parts if it is too wide; the notes below the last part."""
    marked, footnotes = with_footnotes(table)
    parts = table_parts(marked)
    return "\n".join(
        _part(
            part,
            number=_number(label),
            caption=write(caption) + (" (continued)" if at else ""),
            anchor="" if at else rf"\label{{{anchor}}}",
            notes=[write(note) for note in (*footnotes, *notes)] if at == len(parts) - 1 else [],
            write=write,
        )
        for at, part in enumerate(parts)
    )


def _number(label: str) -> str:
    """The number in a label such as `Table A1`: the label is already numbered, so LaTeX must not count."""
    return label.rsplit(maxsplit=1)[-1]


def _part(part: TablePart, *, number: str, caption: str, anchor: str, notes: list[str], write: Write) -> str:
    size = next((size for size, room in ROOM.items() if sum(_needed(part)) <= room), list(ROOM)[-1])
    widths = zip(part.heads, _widths(part, ROOM[size]), strict=True)
    shape = "".join(f"{'R' if head.numeric else 'L'}{{{width:.3f}}}" for head, width in widths)
    heads = [
        *_groups(part.groups, write),
        " & ".join(rf"\heads{{{write(head.title)}}}" for head in part.heads) + r" \\",
    ]
    rows = [" & ".join(write(cell.text) for cell in row) + r" \\" for row in part.rows]
    rows = rows or [rf"\multicolumn{{{len(part.heads)}}}{{@{{}}l@{{}}}}{{Nothing.}} \\"]
    said = [rf"\par\smallskip\raggedright {note}\par" for note in notes]
    numbered = rf"\renewcommand{{\thetable}}{{{number}}}"
    if len(rows) <= FLOATS:
        return "\n".join(
            [
                rf"\begin{{table}}[!htbp]{numbered}{size}",
                rf"\caption{{{caption}}}{anchor}",
                rf"\begin{{tabular}}{{@{{}}{shape}@{{}}}}",
                *[r"\toprule", *heads, r"\midrule", *rows, r"\bottomrule"],
                r"\end{tabular}",
                *said,
                r"\end{table}",
            ]
        )
    return "\n".join(
        [
            rf"\begingroup{numbered}{size}",
            rf"\begin{{longtable}}{{@{{}}{shape}@{{}}}}",
            rf"\caption{{{caption}}}{anchor}\\",
            *[r"\toprule", *heads, r"\midrule", r"\endfirsthead"],
            *[r"\toprule", *heads, r"\midrule", r"\endhead"],
            *[r"\bottomrule", r"\endfoot"],
            *rows,
            r"\end{longtable}",
            *said,
            r"\endgroup",
        ]
    )


def _groups(groups: Sequence[GroupHead], write: Write) -> list[str]:
    """The line of headings over several columns, each with its rule."""
    cells, rules, at = [], [], 1
    for group in groups:
        if group.title:
            cells.append(rf"\multicolumn{{{group.span}}}{{c}}{{{write(group.title)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + group.span - 1}}}")
        else:
            cells += [""] * group.span
        at += group.span
    return [" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])] if groups else []


def _widths(part: TablePart, room: float) -> list[float]:
    """The share of the line that each column gets: what its longest cell needs, or less if all together are too wide.
    A table that needs less than the line stays narrow."""
    needed = _needed(part)
    over = sum(needed) - room
    if over > 0:
        # Columns of words give way before columns of numbers do.
        columns = zip(part.heads, needed, strict=True)
        spare = [0.0 if head.numeric else max(0.0, need - LEAST_WORDS) for head, need in columns]
        share = min(1.0, over / sum(spare)) if sum(spare) else 0.0
        needed = [need - share * less for need, less in zip(needed, spare, strict=True)]
    between = GAP * (len(part.heads) - 1)
    total = max(sum(needed), room)
    return [(1 - between) * need / total for need in needed]


def _needed(part: TablePart) -> list[float]:
    """The letters of each column's longest cell, or of its heading's longest word; a group's columns fit its
    heading."""
    found = []
    for at, head in enumerate(part.heads):
        words = max((len(word) for word in head.title.split()), default=0)
        cells = max((len(row[at].text) for row in part.rows), default=0)
        found.append(float(min(max(words + 2, cells + 1, LEAST), MOST)))
    at = 0
    for group in part.groups:
        of_group = range(at, at + group.span)
        lacking = len(group.title) - sum(found[place] for place in of_group)
        for place in of_group:
            found[place] += max(0.0, lacking / group.span)
        at += group.span
    return found
