"""A report as data: sections of blocks. It is built once, by `gathering`, and written by one renderer per format.

A renderer walks over `ReportContent.sections` and then `ReportContent.appendix`, and writes each block by its type. All
text is plain text, which the renderer escapes; text between `backticks` is code. Figures and tables are already
numbered (`Figure 2`, `Table A1`), so that they have the same names in every format and sentences can refer to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from metaeval.analyses.base.table import Table

if TYPE_CHECKING:  # Altair takes most of a second to import, so only when drawing
    from altair.typing import ChartType as Chart

SIMULATED = "Simulated data: these numbers say nothing about real people."
REMEDY = "Delete results that you do not need, or create a bundle, which has all of them as files."
"""What to do about a report that is too long for its format (annotations/ground/bounds.py)."""

Tone = Literal["plain", "answer", "warning", "soft"]
"""What a paragraph is: text; an analysis's answer; a warning; an aside."""


@dataclass(frozen=True)
class Paragraph:
    """Running text, preceded by `lead` in bold."""

    text: str
    tone: Tone = "plain"
    lead: str = ""


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: Sequence[str]
    ordered: bool = False


@dataclass(frozen=True)
class KeyFacts:
    """Names with their values: few and short (`compact`, side by side), or any number of any length."""

    facts: Sequence[tuple[str, str]]
    compact: bool = False


@dataclass(frozen=True)
class FigureBlock:
    """A chart, as wide as one or two columns of a paper (`metaeval.figures.image` writes it as SVG, PDF or PNG)."""

    anchor: str
    label: str
    caption: str
    alt: str
    chart: Chart
    columns: Literal[1, 2] = 2


@dataclass(frozen=True)
class TableBlock:
    """A table for print: `table` has only the rows and columns that are shown.

    `caption` is a sentence; `notes` are printed below (the table's own, and what is not shown and where to find it).
    """

    anchor: str
    label: str
    caption: str
    table: Table
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class FileReference:
    """A table too long for paper, as a file beside the report: all rows and columns, with all digits."""

    name: str
    title: str
    content: bytes
    media: str = "text/csv"


@dataclass(frozen=True)
class Pointer:
    """A line of the list of where to find things: the question, a short answer, and the section."""

    asked: str
    where: str
    anchor: str


@dataclass(frozen=True)
class Pointers:
    """A list of where readers find what they look for; a format with pages adds page numbers."""

    findings: Sequence[Pointer]


@dataclass(frozen=True)
class References:
    """The cited works, formatted for print."""

    works: Sequence[str]


Block = Paragraph | Items | KeyFacts | FigureBlock | TableBlock | FileReference | Pointers | References


@dataclass(frozen=True)
class Section:
    """A heading with its content: blocks, then subsections. `number` is empty if there is none."""

    anchor: str
    title: str
    blocks: Sequence[Block] = ()
    sections: Sequence[Section] = ()
    number: str = ""

    @property
    def heading(self) -> str:
        return f"{self.number} {self.title}".strip()


@dataclass(frozen=True)
class ReportContent:
    """The whole report. The first section is its first page: question, design, answer, figure, table, limits."""

    title: str
    slug: str
    made_at: datetime
    is_simulated: bool
    sections: Sequence[Section]
    appendix: Sequence[Section] = field(default=())

    @property
    def files(self) -> list[FileReference]:
        """Every file that the report refers to, in order."""
        return [block for block in self.blocks() if isinstance(block, FileReference)]

    @property
    def headings(self) -> dict[str, str]:
        """Each section's heading, with its number, by anchor."""
        sections = [inner for section in (*self.sections, *self.appendix) for inner in _all_of(section)]
        return {section.anchor: section.heading for section in sections}

    def blocks(self) -> Iterator[Block]:
        """All blocks, in order."""
        for section in (*self.sections, *self.appendix):
            for inner in _all_of(section):
                yield from inner.blocks


def _all_of(section: Section) -> Iterator[Section]:
    yield section
    for inner in section.sections:
        yield from _all_of(inner)


def moment(at: datetime | None) -> str:
    """A time in UTC.

    >>> moment(datetime(2026, 11, 20, 12, 5, tzinfo=UTC)), moment(None)
    ('20 November 2026, 12:05 UTC', '–')
    """
    return f"{at.astimezone(UTC):%-d %B %Y, %H:%M} UTC" if at else "–"
