"""Plain text as LaTeX that every pdfLaTeX can set, whatever letters it contains.

pdfLaTeX has no letters beyond the Latin ones. Words in other scripts become small pictures, line by line, so that an
Arabic title looks as written and the folder compiles with the smallest TeX installation.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby

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
    kept = "".join(letter for letter in plain if letter.isascii() and (letter.isalnum() or letter in " .,:;-()/"))
    return re.sub(r" +", " ", kept).strip()


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
    known = [_is_latin(letter) for letter in text]
    at = 0
    for is_known, same in groupby(list(known)):
        length = len(list(same))
        piece = text[at : at + length]
        between = is_known and at > 0 and at + length < len(text)
        if between and not any(letter.isalnum() for letter in piece):
            known[at : at + length] = [False] * length
        at += length
    at = 0
    for is_known, same in groupby(known):
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
