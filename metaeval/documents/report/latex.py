"""The report as a LaTeX folder for writing a paper: main.tex, one file per figure and long table, how to compile it.

pdfLaTeX has no letters beyond the Latin ones. Words in other scripts become small pictures, line by line, so that an
Arabic title looks as written and the folder compiles with the smallest TeX installation.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import assert_never

from annotations.ground.bounds import RENDERED, refuse_too_much
from metaeval import figures
from metaeval.documents.report import blocks
from metaeval.documents.report.blocks import REMEDY, SIMULATED, ReportContent
from metaeval.documents.report.tables import GroupHead, TablePart, table_parts, with_footnotes
from metaeval.figures.style import FONT

Pictured = Callable[[str], str]
"""Keeps a picture of a line of text, and returns the name of its file."""

KEPT = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŠšŞşŢţŤťŮůŰűŸŹźŻżŽž"
    "“”‘’‚„«»‹›–—…†‡•€£¥§¶©®™°¡¿"
)
"""Letters and signs that are written unchanged: pdfLaTeX knows them in its T1 encoding."""

WRITTEN = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    # At the beginning of a row, these would be read as options of the end of the row before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "\u2011": "-",
    "\u2010": "-",
    "\u00ad": r"\-",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "·": r"$\cdot$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "∑": r"$\sum$",
    "∈": r"$\in$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "¹": r"\textsuperscript{1}",
    "²": r"\textsuperscript{2}",
    "³": r"\textsuperscript{3}",
    "ʷ": r"\textsuperscript{w}",
    "′": r"$'$",
    "½": r"$\frac12$",
    "¼": r"$\frac14$",
    "¾": r"$\frac34$",
    "¢": r"\textcent{}",
    "ª": r"\textsuperscript{a}",
    "º": r"\textsuperscript{o}",
}

GREEK = {
    letter: f"$\\{unicodedata.name(letter).split()[-1].lower().replace('lamda', 'lambda')}$"
    for letter in "αβγδεζηθικλμνξπρστυφχψω"
} | {
    letter: f"$\\{unicodedata.name(letter).split()[-1].capitalize().replace('Lamda', 'Lambda')}$"
    for letter in "ΓΔΘΛΞΠΣΦΨΩ"
}
WRITTEN |= GREEK | {"µ": r"$\mu$"}

ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0328": "k",
    "\u0331": "b",
}
"""Accents over or under a Latin letter, as commands."""

LIGATURES = re.compile(r"([-,'!?])(?=[-,'`])")
"""Signs that TeX would draw as one."""

LONGEST_WORD, PIECE = 24, 8
"""Words longer than this may be broken by TeX, into pieces of this length: hashes, addresses, names of systems."""

LINE_OF_PICTURE = 56
"""Letters in one line of another script: about three quarters of a line."""


def in_latex(text: str, pictured: Pictured) -> str:
    """The text, escaped so that LaTeX prints it as it is, with text between `backticks` as code.

    >>> in_latex("50% of a_b & `x[1]`", str)
    '50\\\\% of a\\\\_b \\\\& \\\\texttt{x{[}1{]}}'
    >>> in_latex("r = −0.5 -- ρ", str)
    'r = $-$0.5 -{}- $\\\\rho$'
    """
    parts = re.split(r"`([^`]+)`", clean(text))
    return "".join(
        rf"\texttt{{{_plain(part, pictured)}}}" if at % 2 else _plain(part, pictured) for at, part in enumerate(parts)
    )


def clean(text: str) -> str:
    """One line, composed, without control characters, including those that change the text's direction.

    >>> clean("a\\n b\\x00\\u202ec")
    'a bc'
    """
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(" " if letter in "\n\r\t\u2028\u2029" else letter for letter in composed)
    return re.sub(r" +", " ", "".join(letter for letter in spaced if _is_shown(letter)))


def in_ascii(text: str) -> str:
    """The text for places that cannot hold pictures, such as a document's properties.

    >>> in_ascii("Größe: 50% {a}")
    'Grosse: 50 a'
    """
    plain = unicodedata.normalize("NFKD", clean(text).replace("ß", "ss"))
    allowed = "".join(letter for letter in plain if letter.isascii() and (letter.isalnum() or letter in " .,:;-()/"))
    return re.sub(r" +", " ", allowed).strip()


def _is_shown(letter: str) -> bool:
    return unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn"} or letter in WRITTEN


def _plain(text: str, pictured: Pictured) -> str:
    return "".join(
        "".join(_written(word) for word in re.split(r"(\s+)", run)) if is_latin else _in_pictures(run, pictured)
        for is_latin, run in _runs(text)
    )


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces of Latin letters and signs, and pieces of others. Blanks, commas and brackets between two
    letters of another script belong to them."""
    is_latin = [_is_latin(letter) for letter in text]
    at = 0
    for is_known, same in groupby(list(is_latin)):
        length = len(list(same))
        piece = text[at : at + length]
        between = is_known and at > 0 and at + length < len(text)
        if between and not any(letter.isalnum() for letter in piece):
            is_latin[at : at + length] = [False] * length
        at += length
    at = 0
    for is_known, same in groupby(is_latin):
        length = len(list(same))
        yield is_known, text[at : at + length]
        at += length


def _is_latin(letter: str) -> bool:
    return letter.isascii() or letter in KEPT or letter in WRITTEN or _accented(letter) is not None


def _accented(letter: str) -> str | None:
    r"""A Latin letter with its accents as commands; None for any other letter.

    >>> _accented("ḡ"), _accented("ب")
    ('\\={g}', None)
    """
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not (base.isascii() and base.isalpha() and marks and all(mark in ACCENTS for mark in marks)):
        return None
    for mark in marks:
        base = rf"\{ACCENTS[mark]}{{{base}}}"
    return base


def _written(word: str) -> str:
    if len(word) > LONGEST_WORD and not word.isspace():
        return r"\allowbreak{}".join(_escaped(word[at : at + PIECE]) for at in range(0, len(word), PIECE))
    return _escaped(word)


def _escaped(text: str) -> str:
    apart = LIGATURES.sub(lambda found: f"{found[1]}\0", text)
    return "".join("{}" if letter == "\0" else _letter(letter) for letter in apart)


def _letter(letter: str) -> str:
    if letter in WRITTEN:
        return WRITTEN[letter]
    return letter if letter.isascii() or letter in KEPT else (_accented(letter) or "")


def _in_pictures(run: str, pictured: Pictured) -> str:
    """A run of another script, one picture per line."""
    lines = textwrap.wrap(run.strip(), LINE_OF_PICTURE) or [""]
    before, after = (" " if run[:1].isspace() else ""), (" " if run[-1:].isspace() else "")
    return before + " ".join(rf"\script{{{pictured(line)}}}" for line in lines if line) + after


Write = Callable[[str], str]

FLOATS = 24
"""The maximum number of rows of a table that is kept together."""

ROOM = {r"\footnotesize": 114, r"\scriptsize": 130}
"""Letters in a line of a table across all columns, by font size."""

GAP = 0.0125
"""The share of the line that is between two columns."""

LEAST, MOST = 4, 60
"""Letters in the narrowest and in the widest column."""

LEAST_WORDS = 12
"""Letters that a column of words keeps if the table is too wide."""


def latex_table(block: blocks.TableBlock, write: Write) -> str:
    """The table under its label and caption, in parts if it is too wide; the notes below the last part."""
    marked, footnotes = with_footnotes(block.table)
    parts = table_parts(marked)
    return "\n".join(
        _part(
            part,
            number=number_in(block.label),
            caption=write(block.caption) + (" (continued)" if at else ""),
            anchor="" if at else rf"\label{{{block.anchor}}}",
            notes=[write(note) for note in (*footnotes, *block.notes)] if at == len(parts) - 1 else [],
            write=write,
        )
        for at, part in enumerate(parts)
    )


def number_in(label: str) -> str:
    """The number in a label such as `Table A1`: the label is already numbered, so LaTeX must not count."""
    return label.rsplit(maxsplit=1)[-1]


def _part(part: TablePart, *, number: str, caption: str, anchor: str, notes: list[str], write: Write) -> str:
    size = next((size for size, room in ROOM.items() if sum(_needed(part)) <= room), list(ROOM)[-1])
    widths = zip(part.heads, _widths(part, ROOM[size]), strict=True)
    shape = "".join(f"{'R' if head.numeric else 'L'}{{{width:.3f}}}" for head, width in widths)
    heads = [
        *_groups(part.groups, write),
        " & ".join(rf"\heads{{{write(head.title)}}}" for head in part.heads) + r" \\",
    ]
    rows = [" & ".join(write(cell.text) for cell in row) + r" \\" for row in part.rows]
    rows = rows or [rf"\multicolumn{{{len(part.heads)}}}{{@{{}}l@{{}}}}{{Nothing.}} \\"]
    below = [rf"\par\smallskip\raggedright {note}\par" for note in notes]
    numbered = rf"\renewcommand{{\thetable}}{{{number}}}"
    if len(rows) <= FLOATS:
        return "\n".join(
            [
                rf"\begin{{table}}[!htbp]{numbered}{size}",
                rf"\caption{{{caption}}}{anchor}",
                rf"\begin{{tabular}}{{@{{}}{shape}@{{}}}}",
                *[r"\toprule", *heads, r"\midrule", *rows, r"\bottomrule"],
                r"\end{tabular}",
                *below,
                r"\end{table}",
            ]
        )
    return "\n".join(
        [
            rf"\begingroup{numbered}{size}",
            rf"\begin{{longtable}}{{@{{}}{shape}@{{}}}}",
            rf"\caption{{{caption}}}{anchor}\\",
            *[r"\toprule", *heads, r"\midrule", r"\endfirsthead"],
            *[r"\toprule", *heads, r"\midrule", r"\endhead"],
            *[r"\bottomrule", r"\endfoot"],
            *rows,
            r"\end{longtable}",
            *below,
            r"\endgroup",
        ]
    )


def _groups(groups: Sequence[GroupHead], write: Write) -> list[str]:
    """The line of headings over several columns, each with its rule."""
    cells, rules, at = [], [], 1
    for group in groups:
        if group.title:
            cells.append(rf"\multicolumn{{{group.span}}}{{c}}{{{write(group.title)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + group.span - 1}}}")
        else:
            cells += [""] * group.span
        at += group.span
    return [" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])] if groups else []


def _widths(part: TablePart, room: float) -> list[float]:
    """The share of the line that each column gets: what its longest cell needs, or less if all together are too wide.
    A table that needs less than the line stays narrow."""
    needed = _needed(part)
    over = sum(needed) - room
    if over > 0:
        # Columns of words give way before columns of numbers do.
        columns = zip(part.heads, needed, strict=True)
        spare = [0.0 if head.numeric else max(0.0, need - LEAST_WORDS) for head, need in columns]
        share = min(1.0, over / sum(spare)) if sum(spare) else 0.0
        needed = [need - share * less for need, less in zip(needed, spare, strict=True)]
    between = GAP * (len(part.heads) - 1)
    total = max(sum(needed), room)
    return [(1 - between) * need / total for need in needed]


def _needed(part: TablePart) -> list[float]:
    """The letters of each column's longest cell, or of its heading's longest word; a group's columns fit its
    heading."""
    letters = []
    for at, head in enumerate(part.heads):
        words = max((len(word) for word in head.title.split()), default=0)
        cells = max((len(row[at].text) for row in part.rows), default=0)
        letters.append(float(min(max(words + 2, cells + 1, LEAST), MOST)))
    at = 0
    for group in part.groups:
        of_group = range(at, at + group.span)
        lacking = len(group.title) - sum(letters[place] for place in of_group)
        for place in of_group:
            letters[place] += max(0.0, lacking / group.span)
        at += group.span
    return letters


HERE = Path(__file__).parent / "templates" / "latex"
HEADINGS = ("section", "subsection", "subsubsection", "paragraph")
PICTURE_SIZE = 20
"""The height of a line of another script in points, before LaTeX scales it to its own lines."""

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

    def _sections(self, sections: Sequence[blocks.Section], depth: int) -> list[str]:
        lines = []
        for section in sections:
            command = HEADINGS[min(depth, len(HEADINGS) - 1)]
            lines += ["", rf"\{command}{{{self.write(section.heading)}}}\label{{{section.anchor}}}"]
            for block in section.blocks:
                lines += ["", *self._block(block)]
            lines += self._sections(section.sections, depth + 1)
        return lines

    def _block(self, block: blocks.Block) -> list[str]:  # noqa: PLR0911 (one return per kind of block)
        match block:
            case blocks.Paragraph():
                return self._paragraph(block)
            case blocks.Items():
                return self._listed("enumerate" if block.ordered else "itemize", [self.write(i) for i in block.items])
            case blocks.KeyFacts():
                facts = [rf"\textbf{{{self.write(name)}:}} {self.write(value)}" for name, value in block.facts]
                return [r"\quad ".join(facts)] if block.compact else self._listed("facts", facts)
            case blocks.FigureBlock():
                return self._figure(block)
            case blocks.TableBlock():
                return [latex_table(block, self.write)]
            case blocks.FileReference():
                name = f"tables/{file_name(block.name)}"
                self.files[name] = block.content
                return [rf"{self.write(f'`{name}`')}: {self.write(block.title)}"]
            case blocks.Pointers():
                return self._listed(
                    "facts",
                    [
                        rf"\textbf{{{self.write(row.asked)}}} {self.write(row.where)} (page~\pageref{{{row.anchor}}})"
                        for row in block.findings
                    ],
                )
            case blocks.References():
                works = [rf"\bibitem{{{key}}} {self.write(work)}" for key, work in _keyed(block.works)]
                return [r"\begin{works}", *works, r"\end{works}"] if works else []
        assert_never(block)

    def _paragraph(self, block: blocks.Paragraph) -> list[str]:
        lead = rf"\textbf{{{self.write(block.lead)}}} " if block.lead else ""
        text = lead + self.write(block.text)
        if block.tone in {"answer", "warning"}:
            return [rf"\begin{{{block.tone}}}{text}\end{{{block.tone}}}"]
        return [rf"{{\small {text}\par}}" if block.tone == "soft" else text]

    @staticmethod
    def _listed(environment: str, items: list[str]) -> list[str]:
        """A list, or nothing, since LaTeX refuses an empty list."""
        written = [rf"\begin{{{environment}}}", *(rf"\item {item}" for item in items), rf"\end{{{environment}}}"]
        return written if items else []

    def _figure(self, block: blocks.FigureBlock) -> list[str]:
        name = file_name(block.label.lower().replace(" ", "-"))
        for kind in ("pdf", "csv", "txt"):
            self.files[f"figures/{name}.{kind}"] = figures.image(block.chart, kind)
        return [
            rf"\begin{{figure}}[!htbp]\renewcommand{{\thefigure}}{{{number_in(block.label)}}}",
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
    keyed: dict[str, str] = {}
    for work in works:
        author = re.match(r"[^\W\d_]+", work)
        year = re.search(r"\b(1[89]|20)\d\d\b", work)
        key = in_ascii((author[0] if author else "work") + (year[0] if year else "")).lower() or "work"
        while key in keyed:
            key += "x"
        keyed[key] = work
    return list(keyed.items())
