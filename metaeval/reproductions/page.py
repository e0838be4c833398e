"""docs/reference/reproductions.md, written from what was computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.reproductions.figures import PublishedFigure, Reproduction, digits

HEAD = """\
# Published figures, computed again

Written by `.venv/bin/python manage.py reproduce --data DATA`; a test fails when it is out of date. `DATA` is a folder
with the real files, and beside it `golden` with the published figures. The command makes a database of its own,
imports each file as a user would, starts a run, does it as a worker does, reads the stored result, and throws
the database away.

A figure *agrees* when ours rounds to what is printed. Where a paper only draws a line, ours stands alone and is not
counted. A group of figures is one file in `metaeval/reproductions`.

"""

PRIVATE = """
## What cannot be reproduced

The texts and the lawyers' answers of the first study (Kurniawan et al. 2026, TAG) are confidential. Its figures
need them, and are listed here so that nobody looks for them: of 25 systems, Pearson's r with the lawyers'
preferences .442 (micro F1), .318 (macro F1), −.196 (entropy correlation), .692 (PO-JSD), .611 (soft micro F1),
.291 (soft macro F1); Krippendorff's alpha .167 of their preferences, and .454 of areas of law (mean of 33
alphas, on a tenth of the data). The same analyses (`preference_correlation`, `agreement`) run on any study made
here.

Golden values of other programs, not of papers, are in tests: agreement of ten datasets, rankings, metrics on
ChaosNLI, tests of correlations. They are computed through the analyses too (`tests/metaeval/analyses`).
"""


def page(found: Mapping[str, Sequence[PublishedFigure]], entries: Sequence[Reproduction]) -> str:
    """The whole page; `found` has the figures of each entry by its name."""
    parts = [HEAD, _summary(found, entries)]
    parts += [section(entry, found[entry.name]) for entry in entries]
    return "".join([*parts, PRIVATE])


def _summary(found: Mapping[str, Sequence[PublishedFigure]], entries: Sequence[Reproduction]) -> str:
    rows = ["| figures | of | agree | differ | analysis |", "|---|---|---:|---:|---|"]
    for entry in entries:
        figures = [figure for figure in found[entry.name] if figure.published]
        agree = sum(figure.agrees for figure in figures)
        link = f"[{entry.title}](#{entry.name})"
        rows.append(f"| {link} | {entry.source} | {agree} | {len(figures) - agree} | `{entry.analysis}` |")
    return "\n".join(rows) + "\n"


def section(entry: Reproduction, figures: Sequence[PublishedFigure]) -> str:
    """One group: where it comes from, how it is computed, and its table."""
    files = ", ".join(f"`{name}`" for name in entry.files) or "none"
    rows = ["| figure | where | published | ours | difference | why |", "|---|---|---:|---:|---:|---|"]
    rows += [_row(figure) for figure in figures]
    head = f'<a id="{entry.name}"></a>\n## {entry.title}'
    about = f"{entry.source}. Analysis: `{entry.analysis}`. Files: {files}."
    return "\n" + "\n\n".join([head, about, entry.note, "\n".join(rows)]) + "\n"


def _row(figure: PublishedFigure) -> str:
    if not figure.published:
        return f"| {_cell(figure.what)} | {figure.where} |  | {_cell(_decimals(figure.ours, 4))} |  |  |"
    places = digits(figure.published) + 2
    ours, difference = _decimals(figure.ours, places), _decimals(figure.difference, places, sign="+")
    mark = "" if figure.agrees else "**differs**: "
    cells = (figure.what, figure.where, figure.published, ours, difference, mark + figure.why)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _decimals(value: float, places: int, *, sign: str = "-") -> str:
    """The same digits on every machine: the last bits of a sum differ between processors, and so would the sign of zero
    and the rounding of an exact half."""
    text = f"{round(value, 10):{sign}.{places}f}"
    return text if float(text) else f"{0:.{places}f}"


def _cell(text: str) -> str:
    """A cell of a pipe table; numbers with a real minus."""
    is_number = text.lstrip("+-").replace(".", "", 1).isdigit()
    return text.replace("-", "−") if is_number else text.replace("|", "\\|")
