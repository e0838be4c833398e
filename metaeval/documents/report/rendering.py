"""The report as one HTML file, and the same page as a PDF."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django import template
from django.template import Context, Engine
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotations.ground.bounds import RENDERED, refuse_too_much
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress, silent
from annotations.models import Study
from metaeval import figures
from metaeval.documents.report.blocks import (
    REMEDY,
    Block,
    FigureBlock,
    FileReference,
    Paragraph,
    ReportContent,
    Section,
    TableBlock,
    moment,
)
from metaeval.documents.report.gathering import report_of
from metaeval.documents.report.tables import TablePart, table_parts

if TYPE_CHECKING:
    from weasyprint import Document

register = template.Library()
register.filter(moment)

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


class Beside(NamedTuple):
    """A section whose figure is one column wide, beside its text and table."""

    before: Sequence[Block]
    """What comes before its first figure; it may be on the page before."""
    figure: Block
    left: Sequence[Block]
    """What is beside the figure: the table, and its remarks if they are short."""
    after: Sequence[Block]
    """What is below both, over the whole width."""


@register.filter
def beside(section: Section) -> Beside | None:
    """The section's parts, if its figure is beside its text; None: they follow one another."""
    charts = {place: block for place, block in enumerate(section.blocks) if isinstance(block, FigureBlock)}
    if not any(chart.columns == 1 for chart in charts.values()):
        return None
    first = min(charts)
    after = section.blocks[first + 1 :]
    tables = int(bool(after) and isinstance(after[0], TableBlock))
    remarks = list(takewhile(lambda block: isinstance(block, Paragraph), after[tables:]))
    is_short = sum(len(remark.text) for remark in remarks if isinstance(remark, Paragraph)) <= SHORT
    left = tables + (len(remarks) if is_short else 0)
    return Beside(section.blocks[:first], section.blocks[first], after[:left], after[left:])


@register.filter
def heading(report: ReportContent, anchor: str) -> str:
    """A section's heading."""
    return report.headings[anchor]


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


HERE = Path(__file__).parent / "templates"
DATA = re.compile(r"data:[\w/+.-]*;base64,[\w+/=]*")
"""Pictures and attached files, which cost nothing to lay out."""


class NoPrinter(HLVError):
    """The machine lacks the libraries for making PDF files."""

    code = "no_pdf"


@cache
def _engine() -> Engine:
    return Engine(
        dirs=[str(HERE)],
        autoescape=True,
        libraries={"report": "metaeval.documents.report.rendering"},
        builtins=["metaeval.documents.report.rendering"],
    )


def as_html(study: Study, progress: Progress = silent) -> bytes:
    """The whole report in one self-contained file: styles, figures and files are in it."""
    page = page_of(report_of(study, progress)).encode()
    refuse_too_much("The page", len(page), RENDERED["html"].most_out, "bytes", remedy=REMEDY)
    return page


def as_pdf(study: Study, progress: Progress = silent) -> bytes:
    """The same page on A4, with its files as attachments. Raises `NoPrinter` if Pango is not installed."""
    report = report_of(study, progress)
    progress(99, 100, "Setting the pages")
    from_page = printed(report)
    from weasyprint import Attachment

    attachments = [Attachment(string=file.content, name=file.name, description=file.title) for file in report.files]
    made = bytes(from_page.write_pdf(attachments=attachments))
    refuse_too_much("The PDF file", len(made), RENDERED["pdf"].most_out, "bytes", remedy=REMEDY)
    return made


def printed(report: ReportContent) -> Document:
    """The laid-out pages, with the position of every anchor."""
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher
    except OSError as error:
        raise NoPrinter(
            "This server cannot make PDF files because the library Pango is not installed (Debian and "
            "Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0). Use the HTML "
            "report and print it."
        ) from error
    # Figures are in the page as data; anything else would be a request, which is not allowed.
    fetcher = URLFetcher(allowed_protocols={"data"}, fail_on_errors=True)
    return HTML(string=page_of(report, printed=True), url_fetcher=fetcher).render()


def page_of(report: ReportContent, *, printed: bool = False) -> str:
    """A report as an HTML page, for the screen or for print. Raises TooMuchToRender if it is too long for that."""
    styles = (HERE / "report.css").read_text(encoding="utf-8")
    context = Context({"report": report, "styles": styles, "printed": printed})
    page = str(_engine().get_template("report.html").render(context))
    bounds = RENDERED["pdf" if printed else "html"]
    refuse_too_much("The report", len(DATA.sub("", page)), bounds.most_in, "characters", remedy=REMEDY)
    return page
