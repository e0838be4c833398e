"""Figures and tables as blocks, numbered in order of creation, in the body and in the appendix."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from annotations.ground.bounds import TooMuchToRender
from metaeval.analyses.base.table import Table
from metaeval.analyses.base.table_formats import as_csv
from metaeval.documents.report.blocks import FigureBlock, FileReference, TableBlock
from metaeval.documents.report.entries import ReportedResult
from metaeval.documents.report.shortening import COLUMNS, FIRST, first_rows, shortened
from metaeval.figures.captions import words_of

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

APPENDIX_ROWS = 40
"""A table with more rows is in the appendix with its first rows, and complete in a file."""
HIGH, BESIDE, ASIDE = 450, 270, 300
"""The maximum height of a figure in points: for the main question, for anything else, and in the appendix. A page has
734, and what does not fit is moved to the next one, so low figures avoid half-empty pages."""

OVER = 12
"""How many points a figure may be higher than requested."""


@dataclass
class Numbering:
    """Counts what it creates. A table that is cut in the body is complete in the appendix, or in a file."""

    figures: int = 0
    tables: int = 0
    appendix_figures: int = 0
    appendix_tables: int = 0

    def figure(self, chart: Chart, *, appendix: bool = False, columns: Literal[1, 2] = 2) -> FigureBlock:
        """The chart under the next number, with its own caption and alternative text."""
        if appendix:
            self.appendix_figures += 1
        else:
            self.figures += 1
        number, said = f"A{self.appendix_figures}" if appendix else str(self.figures), words_of(chart)
        return FigureBlock(f"figure-{number.lower()}", f"Figure {number}", said.caption, said.alt, chart, columns)

    def table(
        self, table: Table, *, caption: str = "", notes: Sequence[str] = (), appendix: bool = False
    ) -> TableBlock:
        """The table, printed as it is, under the next number."""
        if appendix:
            self.appendix_tables += 1
        else:
            self.tables += 1
        number = f"A{self.appendix_tables}" if appendix else str(self.tables)
        return TableBlock(f"table-{number.lower()}", f"Table {number}", caption or table.title, table, tuple(notes))

    def short_table(self, table: Table, *, where: str, columns: int = COLUMNS, appendix: bool = False) -> TableBlock:
        """The main rows and columns of a table, and where to find the rest, which includes its notes."""
        cut = shortened(table, columns=columns)
        return self.table(cut.table, notes=cut.not_shown(where), appendix=appendix)

    def long_table(self, entry: str, table: Table) -> list[TableBlock | FileReference]:
        """The whole table for the appendix; of a very long one the first rows and a file with all."""
        if len(table.rows) <= APPENDIX_ROWS:
            return [self.table(table, notes=table.notes, appendix=True)]
        name = f"{entry}-{table.name}.csv".replace("_", "-")
        said = f"The first {FIRST} of {len(table.rows):,} rows; the file {name} has all of it."
        block = self.table(first_rows(table, FIRST), notes=[said, *table.notes], appendix=True)
        return [block, FileReference(name, f"{table.title}: {len(table.rows):,} rows", as_csv(table).encode())]


def is_cut(table: Table, *, columns: int = COLUMNS) -> bool:
    """Whether the body does not show all of a table."""
    return not shortened(table, columns=columns).is_whole


@dataclass(frozen=True)
class MainFigure:
    """A figure that the body has room for."""

    name: str
    chart: Chart
    columns: Literal[1, 2]


def main_figure(entry: ReportedResult, *, is_central: bool = True) -> MainFigure | None:
    """The first of an entry's figures for which the body has room.

    For the study's main question, this is half a page. Anything else has its figure beside its table, or a low one
    above.
    """
    widths: tuple[Literal[1, 2], ...] = (2,) if is_central else (1, 2)
    most = HIGH if is_central else BESIDE
    for name in entry.figure_names():
        for columns in widths:
            chart = entry.chart(name, columns=columns, height=most)
            if height_of(chart) <= most + OVER:
                return MainFigure(name, chart, columns)
    return None


def height_of(chart: Chart) -> float:
    """The height of a chart, in points; without end if it is too large to be drawn."""
    from metaeval import figures

    try:
        found = re.search(rb'<svg[^>]* height="([\d.]+)', figures.image(chart, "svg"))
    except TooMuchToRender:
        return math.inf
    return float(found[1]) if found else math.inf
