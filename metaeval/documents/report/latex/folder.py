"""The folder: main.tex, one file per figure and long table, and how to compile it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from annotations.ground.bounds import RENDERED, refuse_too_much
from metaeval import figures
from metaeval.documents.report.blocks import (
    REMEDY,
    Block,
    FigureBlock,
    FileReference,
    Items,
    KeyFacts,
    Paragraph,
    Pointers,
    References,
    ReportContent,
    Section,
    TableBlock,
)
from metaeval.documents.report.latex.letters import clean, in_ascii, in_latex
from metaeval.documents.report.latex.tables import latex_table
from metaeval.figures.style import FONT

HERE = Path(__file__).parent.parent / "templates" / "latex"
HEADINGS = ("section", "subsection", "subsubsection", "paragraph")
ENVIRONMENTS = {"answer": "answer", "warning": "warning"}
PICTURE_SIZE = 20
"""The height of a line of another script in points, before LaTeX scales it to its own lines."""

SIMULATED = "Simulated data: these numbers say nothing about real people."

README = """\
{title}
{rule}

The report as LaTeX. `make` sets main.pdf with pdfLaTeX and standard packages (Debian and Ubuntu: apt install
texlive-latex-base texlive-latex-recommended texlive-fonts-recommended lmodern); so does a writing service on the web.

main.tex    the whole text
figures/    each figure as PDF in the one width that main.tex gives it, its data as CSV, its caption and alternative
            text as TXT (a result's page has every figure in both widths of a paper, 84 and 175 mm)
tables/     the tables that are too long for paper, as CSV with all digits
scripts/    words in scripts that pdfLaTeX has no letters for, as pictures; not there where nothing needs one
"""


def latex_files(report: ReportContent) -> dict[str, bytes]:
    """The files of the folder, by their names in it."""
    folder = Folder(report)
    main = folder.main().encode()
    bounds = RENDERED["latex"]
    refuse_too_much("The report", len(main), bounds.most_in, "characters", remedy=REMEDY)
    refuse_too_much("The folder", sum(map(len, folder.files.values())), bounds.most_out, "bytes", remedy=REMEDY)
    readme = README.format(title=clean(report.title), rule="=" * len(clean(report.title)))
    marked = f"{SIMULATED}\n\n" if report.is_simulated else ""
    return {
        "README.txt": (marked + readme).encode(),
        "Makefile": (HERE / "Makefile").read_bytes(),
        "main.tex": main,
        **folder.files,
    }


@dataclass
class Folder:
    """Writes the text, and collects the files that it refers to."""

    report: ReportContent
    files: dict[str, bytes] = field(default_factory=dict)
    _pictured: dict[str, str] = field(default_factory=dict)

    def main(self) -> str:
        """main.tex."""
        report = self.report
        appendix = [r"\clearpage", r"\appendix", *self._sections(report.appendix, 0)] if report.appendix else []
        parts = [
            *self._head(),
            r"\begin{document}",
            *self._title(),
            *self._sections(report.sections, 0),
            *appendix,
            r"\end{document}",
        ]
        return (HERE / "preamble.tex").read_text(encoding="utf-8") + "\n" + "\n".join(parts) + "\n"

    def write(self, text: str) -> str:
        """The text, escaped so that LaTeX prints it as it is."""
        return in_latex(text, self._picture)

    def _head(self) -> list[str]:
        mark = self.write("Simulated data") if self.report.is_simulated else ""
        return [
            rf"\hypersetup{{pdftitle={{{in_ascii(self.report.title)}}},pdflang=en}}",
            r"\pagestyle{fancy}\fancyhf{}\renewcommand{\headrulewidth}{0pt}",
            rf"\fancyhead[L]{{\small {mark}}}\fancyfoot[C]{{\thepage}}",
        ]

    def _title(self) -> list[str]:
        made = f"{self.report.slug} · made {self.report.made_at:%-d %B %Y, %H:%M} UTC"
        marked = [rf"\begin{{warning}}{self.write(SIMULATED)}\end{{warning}}"] if self.report.is_simulated else []
        return [
            r"\thispagestyle{fancy}",
            rf"{{\raggedright\LARGE\bfseries {self.write(self.report.title)}\par}}",
            rf"{{\small {self.write(made)}\par}}",
            *marked,
        ]

    def _sections(self, sections: Sequence[Section], depth: int) -> list[str]:
        lines = []
        for section in sections:
            heading = " ".join(part for part in (section.number, section.title) if part)
            command = HEADINGS[min(depth, len(HEADINGS) - 1)]
            lines += ["", rf"\{command}{{{self.write(heading)}}}\label{{{section.anchor}}}"]
            for block in section.blocks:
                lines += ["", *self._block(block)]
            lines += self._sections(section.sections, depth + 1)
        return lines

    def _block(self, block: Block) -> list[str]:  # noqa: PLR0911 (one return per kind of block)
        match block:
            case Paragraph():
                return self._paragraph(block)
            case Items():
                return self._listed("enumerate" if block.ordered else "itemize", [self.write(i) for i in block.items])
            case KeyFacts():
                said = [rf"\textbf{{{self.write(name)}:}} {self.write(value)}" for name, value in block.facts]
                return [r"\quad ".join(said)] if block.compact else self._listed("facts", said)
            case FigureBlock():
                return self._figure(block)
            case TableBlock():
                return [
                    latex_table(
                        block.table,
                        anchor=block.anchor,
                        label=block.label,
                        caption=block.caption,
                        notes=block.notes,
                        write=self.write,
                    )
                ]
            case FileReference():
                name = f"tables/{file_name(block.name)}"
                self.files[name] = block.content
                return [rf"{self.write(f'`{name}`')}: {self.write(block.title)}"]
            case Pointers():
                return self._listed(
                    "facts",
                    [
                        rf"\textbf{{{self.write(one.asked)}}} {self.write(one.where)} (page~\pageref{{{one.anchor}}})"
                        for one in block.findings
                    ],
                )
            case References():
                works = [rf"\bibitem{{{key}}} {self.write(work)}" for key, work in _keyed(block.works)]
                return [r"\begin{works}", *works, r"\end{works}"] if works else []
        assert_never(block)

    def _paragraph(self, block: Paragraph) -> list[str]:
        lead = rf"\textbf{{{self.write(block.lead)}}} " if block.lead else ""
        text = lead + self.write(block.text)
        if environment := ENVIRONMENTS.get(block.tone):
            return [rf"\begin{{{environment}}}{text}\end{{{environment}}}"]
        return [rf"{{\small {text}\par}}" if block.tone == "soft" else text]

    @staticmethod
    def _listed(environment: str, items: list[str]) -> list[str]:
        """A list, or nothing, since LaTeX refuses an empty list."""
        written = [rf"\begin{{{environment}}}", *(rf"\item {item}" for item in items), rf"\end{{{environment}}}"]
        return written if items else []

    def _figure(self, block: FigureBlock) -> list[str]:
        name = file_name(block.label.lower().replace(" ", "-"))
        for kind in ("pdf", "csv", "txt"):
            self.files[f"figures/{name}.{kind}"] = figures.image(block.chart, kind)
        return [
            rf"\begin{{figure}}[!htbp]\renewcommand{{\thefigure}}{{{block.label.rsplit(maxsplit=1)[-1]}}}",
            rf"% {in_ascii(block.alt)}",
            rf"\drawn{{figures/{name}.pdf}}",
            rf"\caption{{{self.write(block.caption)}}}\label{{{block.anchor}}}",
            r"\end{figure}",
        ]

    def _picture(self, line: str) -> str:
        """A line of letters that pdfLaTeX does not have, as a picture one line high."""
        if line not in self._pictured:
            most = RENDERED["latex"].most_steps
            refuse_too_much("The report", len(self._pictured) + 1, most, "lines in other scripts", remedy=REMEDY)
            name = f"script-{len(self._pictured) + 1:03}"
            self._pictured[line] = name
            self.files[f"scripts/{name}.pdf"] = drawn_line(line)
        return self._pictured[line]


def drawn_line(line: str) -> bytes:
    """A line of text as a PDF as wide as the text, in the typeface of the figures."""
    import vl_convert  # takes most of a second to import

    size = PICTURE_SIZE
    mark = {"type": "text", "text": line, "font": FONT, "fontSize": 0.7 * size, "align": "left"}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": [{}]},
        "padding": 0,
        "width": 1,
        "height": size,
        "config": {"view": {"stroke": None}},
        "mark": {**mark, "baseline": "alphabetic", "x": 0, "y": 0.76 * size},
    }
    return bytes(vl_convert.vegalite_to_pdf(spec))


def file_name(name: str) -> str:
    """A name that works on every system and in TeX.

    >>> file_name("Table A1: r & p.csv")
    'Table-A1-r-p.csv'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.") or "file"


def _keyed(works: Sequence[str]) -> list[tuple[str, str]]:
    """Each work with a unique key: the first author's name and the year."""
    found: dict[str, str] = {}
    for work in works:
        author = re.match(r"[^\W\d_]+", work)
        year = re.search(r"\b(1[89]|20)\d\d\b", work)
        key = in_ascii((author[0] if author else "work") + (year[0] if year else "")).lower() or "work"
        while key in found:
            key += "x"
        found[key] = work
    return list(found.items())
