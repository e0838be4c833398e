"""The report as one HTML file, and the same page on paper."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.template import Context, Engine

from annotations.errors import HLVError
from annotations.models import Study
from annotations.progress import Progress, silent
from metaeval.documents.report.gathering import gathered

HERE = Path(__file__).parent / "templates"


class NoPrinter(HLVError):  # noqa: N818
    """The machine lacks the libraries that set text on paper."""

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
    """The whole report in one file that asks nobody for anything: styles and figures are in it."""
    return _rendered(gathered(study, progress), printed=False).encode()


def as_pdf(study: Study, progress: Progress = silent) -> bytes:
    """The same page on A4. Raises `NoPrinter` where Pango is not installed."""
    page = _rendered(gathered(study, progress), printed=True)
    progress(99, 100, "Setting the pages")
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher
    except OSError as error:
        raise NoPrinter(
            "This server cannot make PDF files: the library Pango is not installed (Debian and Ubuntu: apt install "
            "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0). Take the HTML report, and print it."
        ) from error
    # Figures stand in the page as data; anything else would be a request, and there is none.
    fetcher = URLFetcher(allowed_protocols={"data"}, fail_on_errors=True)
    return bytes(HTML(string=page, url_fetcher=fetcher).write_pdf())


def _rendered(content: dict[str, Any], *, printed: bool) -> str:
    styles = (HERE / "report.css").read_text(encoding="utf-8")
    return str(_engine().get_template("report.html").render(Context({**content, "styles": styles, "printed": printed})))
