"""The report as one HTML file, and the same page as a PDF."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.template import Context, Engine

from annotations.ground.bounds import RENDERED, refuse_too_much
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress, silent
from annotations.models import Study
from metaeval.documents.report.blocks import REMEDY, ReportContent
from metaeval.documents.report.gathering import report_of

if TYPE_CHECKING:
    from weasyprint import Document

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
        libraries={"report": "metaeval.documents.report.tags"},
        builtins=["metaeval.documents.report.tags"],
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
