"""Where to put the names of points so that they do not overlap, which Vega-Lite cannot do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from metaeval.figures.sizes import text_width

Align = Literal["left", "center", "right"]

HEIGHT, GAP = 12.0, 7.0
"""Height of a line at 10 px, and the distance of a name from its point, in pixels."""

# Right, left, above, below, then the diagonals, then the same further away: the first free place is taken.
_SIDES: tuple[tuple[float, float, Align], ...] = (
    (1, 0, "left"),
    (-1, 0, "right"),
    (0, -1, "center"),
    (0, 1, "center"),
    (0.8, -1, "left"),
    (0.8, 1, "left"),
    (-0.8, -1, "right"),
    (-0.8, 1, "right"),
)
_RINGS = (1.0, 1.9, 2.8, 3.8)


@dataclass(frozen=True)
class Placed:
    """A name's anchor in pixels, how it is aligned there, and whether it needs a line back to its point."""

    x: float
    y: float
    align: Align
    led: bool
    free: bool = True
    """Whether the name covers nothing and is on the canvas; others are better left out."""


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    *,
    width: float,
    height: float,
    avoid: Sequence[tuple[float, float]] = (),
    scale: float = 1.0,
) -> list[Placed]:
    """A place for the name of every point of a `width` x `height` canvas, y downwards; letters are `scale` x 10 px.

    Greedy, from crowded to isolated points: each name takes the first place around its point that stays on the canvas
    and covers no point, no place to `avoid` and no earlier name, or else the one that covers least.
    """
    if scale != 1:
        scaled = [(x / scale, y / scale) for x, y in points]
        around = [(x / scale, y / scale) for x, y in avoid]
        placed_there = place_labels(scaled, texts, width=width / scale, height=height / scale, avoid=around)
        return [replace(place, x=place.x * scale, y=place.y * scale) for place in placed_there]
    taken = [_Box(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    taken += [_Box(x - 1, y - 2, x + 1, y + 2) for x, y in avoid]
    order = sorted(range(len(points)), key=lambda i: (-_crowd(points[i], points), i))
    placed: dict[int, Placed] = {}
    for i in order:
        best: tuple[float, Placed, _Box] | None = None
        for ring in _RINGS:
            for side in _SIDES:
                place, box = _candidate(points[i], texts[i], ring, side)
                parts = [box, *_leader(points[i], place)]
                cost = sum(part.overlap(other) for part in parts for other in taken)
                cost += 4 * _outside(box, width, height)
                if best is None or cost < best[0]:
                    best = cost, place, box
            if best is not None and best[0] == 0:
                break
        if best is not None:
            placed[i] = replace(best[1], free=best[0] == 0)
            taken += [best[2], *_leader(points[i], best[1])] if best[0] == 0 else []
    return [placed[i] for i in range(len(points))]


def _candidate(
    point: tuple[float, float], text: str, ring: float, side: tuple[float, float, Align]
) -> tuple[Placed, _Box]:
    across, down, align = side
    x = point[0] + across * GAP * (1 if align == "center" else ring)
    y = point[1] + down * (GAP + HEIGHT / 2) * (ring if down else 1)
    if down == 0:
        x = point[0] + across * GAP * (1 + 3 * (ring - 1))
    size = text_width(text, 10)
    left_edge = {"left": x, "center": x - size / 2, "right": x - size}[align]
    return Placed(x, y, align, ring > 1), _Box(left_edge, y - HEIGHT / 2, left_edge + size, y + HEIGHT / 2)


def _leader(point: tuple[float, float], place: Placed) -> list[_Box]:
    """The line from a name back to its point as small boxes, so that it crosses no name and no name covers it."""
    if not place.led:
        return []
    steps = max(2, int(max(abs(place.x - point[0]), abs(place.y - point[1])) / 4))
    return [
        _Box(x - 1, y - 1, x + 1, y + 1)
        for i in range(2, steps)  # the first steps are on the point itself
        for x, y in [(point[0] + (place.x - point[0]) * i / steps, point[1] + (place.y - point[1]) * i / steps)]
    ]


def _outside(box: _Box, width: float, height: float) -> float:
    """The area of a box outside the canvas."""
    over = max(0.0, -box.left) + max(0.0, box.right - width)
    beyond = max(0.0, -box.top) + max(0.0, box.bottom - height)
    return over * HEIGHT + beyond * (box.right - box.left)


def _crowd(point: tuple[float, float], points: Sequence[tuple[float, float]]) -> float:
    """How many other points are near, weighted by nearness."""
    return sum(1 / (1 + (x - point[0]) ** 2 / 400 + (y - point[1]) ** 2 / 100) for x, y in points)
