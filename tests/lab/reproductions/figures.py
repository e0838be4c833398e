"""Published figures beside ours, in groups, and the page that shows them: docs/reference/reproductions.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.lab.reproductions.bench import Bench

HEAD = """\
# Published figures, computed again

Written by `python -m tests.lab.reproductions --data DATA`; a test fails when it is out of date. `DATA` is a folder with
the real files, and beside it `golden` with the published figures. The command makes a database of its own,
imports each file as a user would, starts a run, does it as a worker does, reads the stored result, and throws
the database away.

A figure *agrees* when ours rounds to what is printed. Where a paper only draws a line, ours stands alone and is not
counted. A group of figures is a function in `tests/lab/reproductions`.

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


@dataclass(frozen=True)
class PublishedFigure:
    """A figure as it was printed (empty: only drawn), and our value; if they differ, `why` gives the reason."""

    what: str
    where: str
    published: str
    ours: float
    agrees: bool
    why: str = ""

    @classmethod
    def printed(cls, what: str, where: str, published: str, ours: float, *, why: str = "") -> PublishedFigure:
        """A figure that agrees if our value rounds to the printed one; `why` is kept only if it does not.

        >>> PublishedFigure.printed("kappa", "Table 1", "0.48", 0.4797, why="a typo").agrees
        True
        """
        agrees = as_printed(ours, published)
        return cls(what, where, published, ours, agrees, "" if agrees else why)

    @classmethod
    def drawn(cls, what: str, where: str, ours: float) -> PublishedFigure:
        """A point of a picture, whose value the paper does not print: there is nothing to compare ours with."""
        return cls(what, where, "", ours, agrees=True)

    @property
    def difference(self) -> float:
        return self.ours - float(self.published)


def as_printed(value: float, published: str) -> bool:
    """Whether the value rounds to what is printed: half a unit of its last digit.

    >>> as_printed(0.625495, "0.625"), as_printed(0.6256, "0.625")
    (True, False)
    """
    return abs(value - float(published)) <= 0.5 * 10.0 ** -digits(published) + 1e-9


def digits(published: str) -> int:
    """How many decimals are printed."""
    return len(published.partition(".")[2])


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A group of figures: from which paper, from which files, by which analysis, and how they are computed."""

    name: str
    title: str
    source: str
    files: Sequence[str]
    analysis: str
    note: str
    figures: Callable[[Bench], list[PublishedFigure]]


Figures = Callable[[Bench], list[PublishedFigure]]


def reproduction(
    *, title: str, source: str, files: Sequence[str], analysis: str, note: str
) -> Callable[[Figures], Reproduction]:
    """Make a group of the decorated function, which computes its figures. Files are relative to the data folder."""
    return lambda figures: Reproduction(figures.__name__, title, source, files, analysis, note, figures)


def rows_of(checks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks of a golden file that have a published figure, each once."""
    seen = {(check["name"], check["published_where"]): check for check in reversed(checks) if "published" in check}
    return list(reversed(seen.values()))


def page(figures_of: Mapping[Reproduction, Sequence[PublishedFigure]]) -> str:
    """The whole page."""
    sections = [section(entry, figures) for entry, figures in figures_of.items()]
    return "".join([HEAD, _summary(figures_of), *sections, PRIVATE])


def _summary(figures_of: Mapping[Reproduction, Sequence[PublishedFigure]]) -> str:
    rows = ["| figures | of | agree | differ | analysis |", "|---|---|---:|---:|---|"]
    for entry, all_figures in figures_of.items():
        figures = [figure for figure in all_figures if figure.published]
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
