"""The report for Word: a very plain HTML page, which pandoc converts into a .docx file."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_never

from annotations.ground.bounds import RENDERED, refuse_too_much
from annotations.ground.errors import HLVError
from metaeval import figures
from metaeval.documents.report import blocks
from metaeval.documents.report.blocks import REMEDY, SIMULATED, ReportContent
from metaeval.documents.report.tables import TablePart, table_parts, with_footnotes

LEVELS = 6
WIDTH = "16.5cm"
"""The width of a figure for both columns of a paper: an A4 page between its margins."""

CELL_SIZE = 16
"""The size of letters in the cells of tables, in half points."""

A4 = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1247" w:right="1247" w:bottom="1247" w:left="1247" '
    'w:header="680" w:footer="680" w:gutter="0"/></w:sectPr>'
)


class NoWord(HLVError):
    """The machine lacks pandoc, or pandoc failed."""

    code = "no_docx"


def as_word(report: ReportContent) -> bytes:
    """The report as a .docx file. Raises `NoWord` if pandoc is not installed."""
    pandoc = shutil.which("pandoc")
    if pandoc is None:
        raise NoWord(
            "This server cannot make Word files because pandoc is not installed (Debian and Ubuntu: apt "
            "install pandoc). Use the HTML report, which Word opens too."
        )
    with TemporaryDirectory() as folder:
        page = Page(report, Path(folder))
        html, bounds = page.html(), RENDERED["word"]
        refuse_too_much("The report", len(html), bounds.most_in, "characters", remedy=REMEDY)
        (Path(folder) / "page.html").write_text(html, encoding="utf-8")
        made = _finished(_converted(pandoc, folder))
        refuse_too_much("The Word file", len(made), bounds.most_out, "bytes", remedy=REMEDY)
        return made


def _converted(pandoc: str, folder: str) -> bytes:
    """Pandoc's conversion of the page. Its `--sandbox` would also prevent it from reading its template of Word files;
    without it, this is safe because the page is ours, every text in it is escaped, and it only refers to the figures
    beside it."""
    seconds = RENDERED["word"].seconds  # a long report takes two
    command = [pandoc, "--from=html", "--to=docx", "--output=report.docx", "page.html"]
    try:
        done = subprocess.run(  # noqa: S603 (fixed arguments, no shell)
            command, cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise NoWord(f"pandoc did not finish within {seconds} seconds. Use the HTML report.") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise NoWord(f"pandoc could not make a Word file: {lines[0] if lines else done.returncode}")
    return (Path(folder) / "report.docx").read_bytes()


def _finished(made: bytes) -> bytes:
    """The file on A4, with smaller letters in tables, for which pandoc has no options."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "word/document.xml":
                content = re.sub(rb"<w:sectPr ?/>", A4.encode(), content)
            if name == "word/styles.xml":
                content = _small_cells(content.decode()).encode()
            after.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _small_cells(styles: str) -> str:
    """Make the style Compact smaller, which pandoc uses for cells."""
    small = f'<w:rPr><w:sz w:val="{CELL_SIZE}"/><w:szCs w:val="{CELL_SIZE}"/></w:rPr></w:style>'
    return re.sub(
        r'(<w:style [^>]*w:styleId="Compact"[^>]*>(?:(?!</w:style>).)*)</w:style>', rf"\1{small}", styles, flags=re.S
    )


class Page:
    """The report as HTML for pandoc; its figures are written beside it."""

    def __init__(self, report: ReportContent, folder: Path) -> None:
        self._report, self._folder = report, folder

    def html(self) -> str:
        """The whole page."""
        report = self._report
        title = _text(report.title)
        made = _text(f"{report.slug} · made {report.made_at:%-d %B %Y, %H:%M} UTC")
        mark = f"<p><strong>{SIMULATED}</strong></p>" if report.is_simulated else ""
        sections = "\n".join(self._sections((*report.sections, *report.appendix), 1))
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>\n'
            f"<p>{made}</p>\n{mark}\n{sections}\n</body></html>\n"
        )

    def _sections(self, sections: Sequence[blocks.Section], level: int) -> Iterator[str]:
        for section in sections:
            at = min(level, LEVELS)
            yield f'<h{at} id="{_text(section.anchor)}">{_text(section.heading)}</h{at}>'
            for block in section.blocks:
                yield self._block(block)
            yield from self._sections(section.sections, level + 1)

    def _block(self, block: blocks.Block) -> str:  # noqa: PLR0911 (one return per kind of block)
        match block:
            case blocks.Paragraph():
                lead = f"<strong>{_text(block.lead)}</strong> " if block.lead else ""
                text = lead + _coded(block.text)
                return f"<p><strong>{text}</strong></p>" if block.tone in {"answer", "warning"} else f"<p>{text}</p>"
            case blocks.Items():
                return _listed(map(_coded, block.items), "ol" if block.ordered else "ul")
            case blocks.KeyFacts():
                facts = [f"<strong>{_text(name)}:</strong> {_coded(value)}" for name, value in block.facts]
                return f"<p>{' · '.join(facts)}</p>" if block.compact else _listed(facts)
            case blocks.FigureBlock():
                return self._figure(block)
            case blocks.TableBlock():
                return _table(block)
            case blocks.FileReference():
                return f"<p><code>{_text(block.name)}</code>: {_text(block.title)} (in the report as LaTeX).</p>"
            case blocks.Pointers():
                findings = (
                    f'<strong>{_text(row.asked)}</strong> <a href="#{_text(row.anchor)}">{_coded(row.where)}</a>'
                    for row in block.findings
                )
                return _listed(findings)
            case blocks.References():
                return "\n".join(f"<p>{_text(work)}</p>" for work in block.works)
        assert_never(block)

    def _figure(self, block: blocks.FigureBlock) -> str:
        name = f"{block.label.lower().replace(' ', '-')}.png"
        (self._folder / name).write_bytes(figures.image(block.chart, "png"))
        picture = f'<p><img src="{_text(name)}" alt="{_text(block.alt)}" style="width:{WIDTH}"></p>'
        return picture + _styled("Image Caption", f"<strong>{_text(block.label)}.</strong> {_text(block.caption)}")


def _table(block: blocks.TableBlock) -> str:
    marked, footnotes = with_footnotes(block.table)
    parts = table_parts(marked)
    made = []
    for at, part in enumerate(parts):
        more = " (continued)" if at else ""
        caption = f"<strong>{_text(block.label)}{more}.</strong> {_coded(block.caption)}"
        made.append(_styled("Table Caption", caption) + _rows(part))
    return "\n".join([*made, *(f"<p>{_coded(note)}</p>" for note in (*footnotes, *block.notes))])


def _rows(part: TablePart) -> str:
    groups = "".join(f'<th colspan="{group.span}">{_text(group.title)}</th>' for group in part.groups)
    heads = "".join(f"<th{_side(head.numeric)}>{_text(head.title)}</th>" for head in part.heads)
    above = f"<tr>{groups}</tr>" if groups else ""
    rows = [
        "<tr>" + "".join(f"<td{_side(cell.numeric)}>{_text(cell.text)}</td>" for cell in row) + "</tr>"
        for row in part.rows
    ]
    return f"<table><thead>{above}<tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _side(is_numeric: bool) -> str:
    return ' style="text-align:right"' if is_numeric else ""


def _styled(style: str, text: str) -> str:
    """A paragraph in one of the styles of Word's template."""
    return f'<div data-custom-style="{style}"><p>{text}</p></div>'


def _listed(items: Iterator[str] | Sequence[str], kind: str = "ul") -> str:
    listed = "".join(f"<li><p>{item}</p></li>" for item in items)
    return f"<{kind}>{listed}</{kind}>" if listed else ""


def _coded(text: str) -> str:
    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"<code>{_text(part)}</code>" if at % 2 else _text(part) for at, part in enumerate(parts))


def _text(text: str) -> str:
    """Plain text for HTML, without control characters, which are not allowed in Word files."""
    return escape("".join(letter for letter in text if letter >= " " or letter in "\n\t"))
