"""How large figures and their texts are: charts are laid out before any letter is drawn."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

# fmt: off
_WIDTHS = (
    32, 41, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 37, 32, 34, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64,
    58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69,
    62, 69, 39, 34, 39, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58,
    28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
)
# fmt: on
"""Widths in DejaVu Sans, from the space to the tilde, in hundredths of the font size."""
_OTHERS, _SQUARE, _ARABIC = 64, 100, 45
BOLD = 1.12
"""How much wider bold letters are."""
ELLIPSIS = "…"


@dataclass(frozen=True)
class Size:
    """How large a whole figure and its letters may be: in points (72 per inch) on paper, in pixels on a page."""

    name: str
    width: int
    text: float
    """The size of axis labels."""
    height: int = 666
    least: float = 7.0
    """No letter is smaller."""
    padding: int = 4
    is_paper: bool = True

    def letters(self, share: float) -> float:
        """The size of letters that are `share` as large as axis labels, but not too small to read.

        >>> Size("one", 238, 7.0).letters(0.9), Size("screen", 860, 11, least=9).letters(0.9)
        (7.0, 9.9)
        """
        return max(self.least, share * self.text)


SIZES = {
    size.name: size
    for size in (
        Size("screen", 860, 11, height=1400, least=9, padding=14, is_paper=False),
        Size("one", 238, 7),
        Size("two", 496, 7.5),
    )
}
"""For the page, and for one (84 mm) and two (175 mm) columns of a paper. A page of a paper is 235 mm high."""


def text_width(text: str, font_size: float) -> float:
    """How wide a text is in this project's typeface.

    >>> round(text_width("one two", 10), 1), text_width("", 10)
    (40.4, 0.0)
    """
    return sum(map(_width, text)) * font_size / 100


def _width(letter: str) -> int:
    place = ord(letter) - 32
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    if unicodedata.combining(letter) or letter == "\u200b":
        return 0
    if "\u0600" <= letter <= "\u06ff":
        return _ARABIC
    return _SQUARE if unicodedata.east_asian_width(letter) in "WF" else _OTHERS


def cut(text: str, width: float, font_size: float) -> str:
    """The text, or as much of its beginning as fits into `width`.

    >>> cut("one two", 50, 10), cut("one two three", 40, 10)
    ('one two', 'one t…')
    """
    if text_width(text, font_size) <= width:
        return text
    beginning = text
    while beginning and text_width(beginning + ELLIPSIS, font_size) > width:
        beginning = beginning[:-1]
    return beginning.rstrip() + ELLIPSIS


def wrapped(text: str, width: float, font_size: float, *, most: int | None = None) -> list[str]:
    """The text in lines of at most `width` pixels; if there are more than `most`, the last is cut.

    >>> wrapped("one two three", 60, 10), wrapped("one two three four", 60, 10, most=1)
    (['one two', 'three'], ['one two…'])
    """
    lines: list[str] = []
    for word in text.split(" ") if text.strip() else []:
        together = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(together, font_size) <= width:
            lines[-1] = together
        else:
            lines += _pieces(word, width, font_size)
    if most is not None and len(lines) > most:
        lines = [*lines[: most - 1], cut(f"{lines[most - 1]}{ELLIPSIS}", width, font_size)]
    return lines or [""]


def _pieces(word: str, width: float, font_size: float) -> list[str]:
    """A word that is too wide for a line, broken into pieces."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and text_width(pieces[-1] + letter, font_size) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def sentence(text: str) -> str:
    """The text with a full stop, unless it has an end.

    >>> sentence("How far people agree"), sentence("Do experts favour a side?")
    ('How far people agree.', 'Do experts favour a side?')
    """
    return text if text.endswith((".", "?", "!", "…")) or not text else f"{text}."
