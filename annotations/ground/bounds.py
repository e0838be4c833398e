"""How much the server renders: one table for everything that becomes a page, a chart or a document.

What goes in bounds how long it takes, and what comes out bounds the memory. Needs no Django: what draws asks here, too.

The worst that was tried, in seconds of a processor (two cores, 2026): Markdown 1.7; a chart as PNG 3 with 600,000
characters, 11 with 2,400,000; a report as PDF 23 and 410 MB with 400,000 characters, for Word 8 and 560 MB with
2,000,000; LaTeX .01 for each picture of a line in another script; a table of 10,001 columns and one row 1.8 as CSV,
1.3 as Parquet, .3 as JSON lines.
"""

from dataclasses import dataclass

from annotations.ground.errors import HLVError


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may go into one rendering, and what may come out of it."""

    most_in: int
    """Characters as they were written or, of what the program writes itself, as it hands them on."""
    most_out: int
    """Characters of HTML, bytes of a file."""
    most_expanded: int = 0
    """Characters with everything written out wherever the text refers to it; 0: nothing refers to anything."""
    most_steps: int = 0
    """Rules of the parser that are tried. Some short texts take time that grows with the square of their length."""
    seconds: int = 0
    """After so long another program that renders is stopped; 0: no other program does."""


RENDERED = {
    "markdown": Bounds(most_in=50_000, most_expanded=200_000, most_steps=1_000_000, most_out=500_000),
    "chart": Bounds(most_in=1_500_000, most_out=50_000_000),
    "html": Bounds(most_in=3_000_000, most_out=200_000_000),
    "pdf": Bounds(most_in=1_000_000, most_out=200_000_000),
    "word": Bounds(most_in=3_000_000, most_out=200_000_000, seconds=120),
    "latex": Bounds(most_in=3_000_000, most_steps=2_000, most_out=200_000_000),
}
"""Bounds by what is rendered.

`markdown`: what experts read (instructions, consent). `chart`: a specification with its data; a picture of it.
`html`, `pdf`, `word`, `latex`: a study's report as the page from which it is made, without pictures and attached files;
the steps of `latex` are lines in scripts of which it has no letters, each a picture.
"""


def refuse_too_much(what: str, given: int, most: int, unit: str, *, remedy: str) -> None:
    """Stop if `what` would have more than `most` of a unit."""
    if given > most:
        raise TooMuchToRender(
            f"{what} would have {given:,} {unit}, but at most {most:,} are possible. {remedy}", given=given, most=most
        )


class TooMuchToRender(HLVError):
    """What is to be rendered, or what it would become, is larger than its bound. The data say which and by how much."""
