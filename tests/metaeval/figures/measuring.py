"""Measurements of a drawn figure: its SVG, as a printer gets it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from metaeval.figures import style
from metaeval.figures.sizes import BOLD, text_width

ON_DARK = {
    style.INK: "#e4e8ee",
    style.SOFT: "#a3aebc",
    style.RULE: "#333c48",
    style.LINE: "#86ade3",
    style.WARNING: "#f2a36b",
    style.GROUND: "#252d38",
    style.EMPTY: "#8b95a3",
    style.CHANCE: "#39424f",
}
"""The colours of figures on dark pages, with the background `DARK_PAPER`; the pages change them themselves."""
DARK_PAPER = "#1a2028"

SVG = "{http://www.w3.org/2000/svg}"
Matrix = tuple[float, float, float, float, float, float]
STILL: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True)
class DrawnText:
    """A text of a figure, its bounding box, its size and its colour."""

    text: str
    size: float
    colour: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class DrawnFigure:
    """A figure as it is printed."""

    root: ElementTree.Element

    @classmethod
    def of(cls, svg: bytes) -> DrawnFigure:
        return cls(ElementTree.fromstring(svg))  # noqa: S314 (our own)

    @property
    def size(self) -> tuple[float, float]:
        width, height = (float(self.root.attrib[key].removesuffix("pt")) for key in ("width", "height"))
        return width, height

    @property
    def title(self) -> str:
        return self.root.findtext(f"{SVG}title") or ""

    @property
    def description(self) -> str:
        return self.root.findtext(f"{SVG}desc") or ""

    def texts(self) -> Iterator[DrawnText]:
        yield from _texts(self.root, STILL)

    def thinnest(self) -> float:
        """The thinnest line that can be seen; the rules between cells and bars are white."""
        widths = [
            float(part.get("stroke-width", "1"))
            for part in self.root.iter()
            if part.get("stroke") not in {None, "none", "white", "transparent"} and part.get("stroke-width") != "0"
        ]
        return min(widths, default=1.0)


def _texts(part: ElementTree.Element, matrix: Matrix) -> Iterator[DrawnText]:
    here = _moved(matrix, part.get("transform", ""))
    if part.tag == f"{SVG}text" and part.get("opacity") != "0":
        lines = [part] if part.text else list(part.iter(f"{SVG}tspan"))
        size = float(part.get("font-size", "0").removesuffix("px"))
        place = 0.0
        for line in lines:
            place += float(line.get("dy", "0"))
            if (line.text or "").strip():
                yield _text(part, line.text or "", size, here, place)
    for inner in part:
        yield from _texts(inner, here)


def _text(part: ElementTree.Element, text: str, size: float, matrix: Matrix, down: float) -> DrawnText:
    width = text_width(text, size) * (BOLD if part.get("font-weight") == "bold" else 1)
    left = {"middle": -width / 2, "end": -width}.get(part.get("text-anchor", "start"), 0.0)
    corners = [_at(matrix, x, y + down) for x in (left, left + width) for y in (-0.75 * size, 0.2 * size)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return DrawnText(text, size, part.get("fill", ""), min(xs), min(ys), max(xs), max(ys))


def _moved(matrix: Matrix, transform: str) -> Matrix:
    for kind, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        numbers = [float(number) for number in re.split(r"[ ,]+", inside.strip())]
        if kind == "translate":
            step: Matrix = (1, 0, 0, 1, numbers[0], numbers[1] if len(numbers) > 1 else 0)
        elif kind == "rotate":
            assert numbers[0] in {-90, 0, 90, 270}, transform
            turn = -1 if numbers[0] in {-90, 270} else int(numbers[0] / 90)
            step = (1 - abs(turn), turn, -turn, 1 - abs(turn), 0, 0)
        elif kind == "scale":
            step = (numbers[0], 0, 0, numbers[-1], 0, 0)
        else:
            raise AssertionError(transform)
        a, b, c, d, e, f = matrix
        g, h, i, j, k, m = step
        matrix = (a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * m + e, b * k + d * m + f)
    return matrix


def _at(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
