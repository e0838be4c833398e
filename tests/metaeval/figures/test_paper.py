"""Every figure of every analysis can be printed: in one column of a paper (84 mm) and in two (175 mm)."""

import pytest

from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.figures.captions import SIMULATED
from metaeval.figures.style import WARNING
from tests.metaeval.analyses.test_all import FIRST, few, known
from tests.metaeval.figures.measuring import DrawnFigure
from tests.metaeval.figures.worlds import WORLDS

pytestmark = pytest.mark.django_db

MILLIMETRE = 72 / 25.4
PAGE = 235 * MILLIMETRE
COLUMNS = {"one": 84 * MILLIMETRE, "two": 175 * MILLIMETRE}
SMALLEST, THINNEST = 7.0, 0.5
MANY = "a hundred and twenty systems"
"""More than fit on a page with a row each; in one column. Other worlds and the wide size are of the long tier."""
DRAWN = {
    "one": ("twenty models", MANY, "undefined values", "very long names", "Arabic names", "simulated"),
    "two": ("two hundred systems", "very long names"),
}
"""What fits one column has room in two, if it is not as wide as the page."""


def problems(figure: DrawnFigure, size: str, *, is_simulated: bool) -> list[str]:
    """What a printer, a reader or a referee would send back."""
    found = []
    width, height = figure.size
    if width > COLUMNS[size] or height > PAGE:
        found.append(f"{width} x {height} points do not fit {COLUMNS[size]:.0f} x {PAGE:.0f}")
    if not figure.title or not figure.description:
        found.append("no title or no description")
    if figure.thinnest() < THINNEST:
        found.append(f"a line of {figure.thinnest()} points")
    marks = []
    for text in figure.texts():
        if text.size < SMALLEST:
            found.append(f"{text.text!r} has {text.size} points")
        # Joined letters cannot be measured one by one, so the width of an Arabic name is only known to a tenth.
        air = 1 if text.text.isascii() else 1 + 0.1 * max(text.right - text.left, text.bottom - text.top)
        if text.left < -air or text.top < -air or text.right > width + air or text.bottom > height + air:
            found.append(f"{text.text!r} is cut off: {text}")
        if text.colour == WARNING:
            marks.append(text.text)
    if marks != [SIMULATED] * is_simulated:
        found.append(f"in the warning colour: {marks}")
    return found


@pytest.mark.parametrize(
    ("size", "world"),
    [
        pytest.param(size, world, marks=() if size == "one" and world == MANY else pytest.mark.long)
        for size, worlds in DRAWN.items()
        for world in worlds
    ],
)
@pytest.mark.parametrize(("name", "kind"), [*FIRST.items()])
def test_it_fits_the_page_can_be_read_says_what_it_shows_and_has_its_words_and_data(name, kind, size, world):
    entry = analyses.get(name)
    result = WORLDS[world](known(name, kind))
    found = {}
    for figure in few(entry.figure_names(result)):
        chart = entry.draw(figure, result, size=size)
        drawn = DrawnFigure.of(figures.image(chart, "svg"))
        found[figure] = problems(drawn, size, is_simulated=result["is_simulated"])
        if world in {MANY, "twenty models"}:
            words = figures.words_of(chart)
            assert words.caption.startswith(words.title)
            assert words.alt
            assert words.alt != words.caption, figure
            lines = figures.image(chart, "csv").decode().splitlines()
            assert len(lines) > 1, f"{figure} has no data"
    assert not {figure: wrong for figure, wrong in found.items() if wrong}
