"""What the report's templates need besides Django's own tags: how a block becomes HTML."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from metaeval import figures
from metaeval.documents.report import words
from metaeval.documents.report.blocks import (
    Block,
    FigureBlock,
    FileReference,
    Paragraph,
    ReportContent,
    Section,
    TableBlock,
)
from metaeval.documents.report.tabling import TablePart, table_parts

register = template.Library()

SHORT = 400
"""Letters of remarks that fit into half the width, below a table and beside its figure."""


@register.filter(name="template")
def template_of(block: Block) -> str:
    """The template that writes a block: one file for each type."""
    return f"blocks/{type(block).__name__.lower()}.html"


@register.filter
def image(figure: FigureBlock) -> str:
    """A chart as an image in the page itself."""
    return _as_data("image/svg+xml", figures.image(figure.chart, "svg"))


@register.filter
def address(file: FileReference) -> str:
    """A file in the page itself."""
    return _as_data(file.media, file.content)


@register.filter
def parts(block: TableBlock) -> list[TablePart]:
    """A table in parts that fit the page."""
    return table_parts(block.table)


@register.filter
def is_beside(section: Section) -> bool:
    """Whether its figure is beside its text and table, i.e. one column wide."""
    return any(isinstance(block, FigureBlock) and block.columns == 1 for block in section.blocks)


@register.filter
def before_figure(section: Section) -> list[Block]:
    """What comes before a section's first figure; it may be on the page before."""
    return list(section.blocks[: _first_figure(section)])


@register.filter
def own_figure(section: Section) -> Block:
    """The figure beside a section's table."""
    return section.blocks[_first_figure(section)]


@register.filter
def beside_figure(section: Section) -> list[Block]:
    """What is beside the figure: the table, and its remarks if they are short."""
    return list(_after_figure(section)[0])


@register.filter
def after_figure(section: Section) -> list[Block]:
    """What is below both, over the whole width."""
    return list(_after_figure(section)[1])


def _first_figure(section: Section) -> int:
    return next(place for place, block in enumerate(section.blocks) if isinstance(block, FigureBlock))


def _after_figure(section: Section) -> tuple[Sequence[Block], Sequence[Block]]:
    after = section.blocks[_first_figure(section) + 1 :]
    tables = int(bool(after) and isinstance(after[0], TableBlock))
    remarks = list(takewhile(lambda block: isinstance(block, Paragraph), after[tables:]))
    is_short = sum(len(remark.text) for remark in remarks if isinstance(remark, Paragraph)) <= SHORT
    beside = tables + (len(remarks) if is_short else 0)
    return after[:beside], after[beside:]


@register.filter
def heading(report: ReportContent, anchor: str) -> str:
    """A section's heading."""
    return report.headings[anchor]


@register.filter
def moment(at: datetime | None) -> str:
    """A time in UTC."""
    return words.moment(at)


@register.filter
def code(text: str) -> SafeString:
    """Plain text as HTML, with text between backticks as code. Numbers such as .84 are not broken.

    >>> code("Run `a < b` now"), code("to .84")
    ('Run <code>a &lt; b</code> now', 'to <span class="short">.84</span>')
    """
    with_code = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return mark_safe(re.sub(r"(?<![\w.])−?\.\d+", r'<span class="short">\g<0></span>', with_code))  # noqa: S308 (escaped)


def _as_data(media: str, content: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"
