"""A report as data: sections of blocks. It is made once, by `gathering`, and written by a renderer a format.

A renderer walks over `ReportContent.sections` and then `ReportContent.appendix`, and writes each block by its type. All
text is plain text, to be escaped by whoever writes it; what stands between `backticks` is code. Figures and tables have
their numbers (`Figure 2`, `Table A1`) already, so that every format calls them the same, and a sentence can name them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from metaeval.analyses.base.table import Table

if TYPE_CHECKING:  # Altair takes most of a second to import: only who draws pays
    from altair.typing import ChartType as Chart

Tone = Literal["plain", "answer", "warning", "soft"]
"""What a paragraph is: text; what an analysis answers; something not to be overlooked; something by the way."""


@dataclass(frozen=True)
class Paragraph:
    """Running text. `lead` stands before it, in bold."""

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
    """Names with their values: few and short (`compact`, side by side), or as many and as long as need be."""

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
    """A table as it is to be printed: `table` has only the rows and columns that are shown.

    `caption` is a sentence; `notes` stand below (the table's own, and what is not shown and where it is).
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
    """A line of the list of where things stand: what is asked, what is to be said of it here, and the section."""

    asked: str
    where: str
    anchor: str


@dataclass(frozen=True)
class Pointers:
    """A list of where a reader finds what they look for; a format with pages adds their numbers."""

    findings: Sequence[Pointer]


@dataclass(frozen=True)
class References:
    """The works that are cited, as they are to be printed."""

    works: Sequence[str]


Block = Paragraph | Items | KeyFacts | FigureBlock | TableBlock | FileReference | Pointers | References


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it: blocks, then sections of its own. `number` is empty where there is none."""

    anchor: str
    title: str
    blocks: Sequence[Block] = ()
    sections: Sequence[Section] = ()
    number: str = ""


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
        """Every file that the report names, in order."""
        return [block for block in self.blocks() if isinstance(block, FileReference)]

    @property
    def headings(self) -> dict[str, str]:
        """By anchor what each section is called, with its number."""
        sections = [inner for section in (*self.sections, *self.appendix) for inner in _all_of(section)]
        return {section.anchor: f"{section.number} {section.title}".strip() for section in sections}

    def blocks(self) -> Iterator[Block]:
        """All blocks, in the order in which they stand."""
        for section in (*self.sections, *self.appendix):
            yield from _blocks_of(section)


def _blocks_of(section: Section) -> Iterator[Block]:
    for inner in _all_of(section):
        yield from inner.blocks


def _all_of(section: Section) -> Iterator[Section]:
    yield section
    for inner in section.sections:
        yield from _all_of(inner)
