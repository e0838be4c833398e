"""The sizes in which every figure is drawn."""

from __future__ import annotations

from dataclasses import dataclass


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
