"""The systems' names beside the points of a scatter."""

from __future__ import annotations

import altair as alt

from metaeval.analyses.base.table import Row
from metaeval.analyses.preference_correlation.figures.scatter_panel import ScatterPanel
from metaeval.figures.labels import place_labels
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import INK, SOFT

MOST_NAMED = 60
"""With more systems than this, none is named in the chart."""


def label_layers(panel: ScatterPanel, size: Size) -> tuple[alt.Chart, list[alt.Chart], int]:
    """Thin lines, below the points, to names that had to be moved; the names, above the points; and how many systems
    have no name because it would cover something."""
    rows = _placed(panel, size) if len(panel.points) <= MOST_NAMED else []
    leaders = panel.placed(
        alt.Chart(InlineRows(values=[row for row in rows if row["led"]])).mark_rule(
            color=SOFT, opacity=0.45, strokeWidth=0.7
        )
    ).encode(x2="from_value:Q", y2="from_fraction:Q")
    names = [
        panel.placed(
            alt.Chart(InlineRows(values=[row for row in rows if row["align"] == align])).mark_text(
                align=align, baseline="middle", fontSize=size.letters(0.92), color=INK
            )
        ).encode(text="text:N")
        for align in ("left", "center", "right")
    ]
    return leaders, names, len(panel.points) - len(rows)


def _placed(panel: ScatterPanel, size: Size) -> list[Row]:
    """Where each name goes, in values of the axes."""
    line = panel.line
    placed = place_labels(
        [panel.pixel(point.value, point.fraction) for point in panel.points],
        [point.label for point in panel.points],
        width=panel.size[0],
        height=panel.size[1],
        scale=size.letters(0.92) / 10,
        avoid=[
            *_along([panel.pixel(x, y) for x, y in zip(line.x, line.y, strict=True)]),
            *(panel.pixel(other, point.fraction) for point in panel.points if (other := point.other) is not None),
        ],
    )
    rows: list[Row] = []
    for point, place in zip(panel.points, placed, strict=True):
        if not place.free:
            continue
        x, y = panel.value(place.x, place.y)
        rows.append(
            {
                "value": x,
                "fraction": y,
                "text": point.label,
                "align": place.align,
                "led": place.led,
                "from_value": point.value,
                "from_fraction": point.fraction,
            }
        )
    return rows


def _along(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places along a straight line, every four pixels."""
    if not line:
        return []
    (x0, y0), (x1, y1) = line[0], line[-1]
    steps = max(1, int((x1 - x0) / 4))
    return [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps + 1)]
