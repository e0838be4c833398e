"""One metric against another: Figure 1 of Kurniawan et al. (2025), of random distributions or of real systems."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import padded
from metaeval.figures.labels import place_labels
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import INK, LINE, SOFT, heading, styled

SIDES = {"screen": (460, 380), "two": (300, 250), "one": (180, 160)}
NAMED = 12
"""More systems than this are not named in the chart; the table has them."""


@figure()
def relationship_points(result: Result, variant: str, size: Size) -> Chart:
    """Soft accuracy never lies above PO-JSD: where these are the two, the line of equality is drawn."""
    titles = [metric["title"] for metric in result["point_metrics"]]
    names = [metric["name"] for metric in result["point_metrics"]]
    points = result["points"]
    of_systems = bool(points) and "system" in points[0]
    width, height = SIDES[size.name]
    across, up = (padded([point[axis] for point in points]) if of_systems else (0.0, 1.0) for axis in "xy")
    x = alt.X("x:Q", title=titles[0] if titles else "", scale=alt.Scale(domain=list(across), nice=False, zero=False))
    y = alt.Y(
        "y:Q", title=titles[1] if len(titles) > 1 else "", scale=alt.Scale(domain=list(up), nice=False, zero=False)
    )
    layers: list[Any] = [
        alt.Chart(alt.InlineData(values=points))
        .mark_point(
            filled=True, color=LINE, opacity=0.85 if of_systems else 0.35, size=size.text * (4.5 if of_systems else 1.2)
        )
        .encode(x=x, y=y, **({"tooltip": ["system:N", "x:Q", "y:Q"]} if of_systems else {}))
    ]
    notes = []
    if names == ["soft_accuracy", "po_jsd"] and not of_systems:
        ends = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]
        line = alt.Chart(alt.InlineData(values=ends)).mark_line(color=SOFT, strokeDash=[4, 3], clip=True)
        layers.insert(0, line.encode(x=x, y=y))
        notes.append("Each point: a random pair of distributions over three labels. Dashed: equality.")
    elif of_systems:
        notes.append("Each point: a system.")
        if len(points) <= NAMED:
            layers += _named(points, x=x, y=y, across=across, up=up, sides=(width, height), size=size)
    title = heading(" and ".join(titles), notes, is_simulated=result["is_simulated"], size=size)
    return styled(alt.layer(*layers).properties(width=width, height=height, title=title), size)


def _named(
    points: list[dict[str, Any]],
    *,
    x: alt.X,
    y: alt.Y,
    across: tuple[float, float],
    up: tuple[float, float],
    sides: tuple[int, int],
    size: Size,
) -> list[Any]:
    (x0, x1), (y0, y1), (width, height) = across, up, sides
    pixels = [((p["x"] - x0) / (x1 - x0) * width, (y1 - p["y"]) / (y1 - y0) * height) for p in points]
    placed = place_labels(pixels, [p["system"] for p in points], width=width, height=height, scale=size.text / 11)
    rows = [
        {
            "x": x0 + place.x / width * (x1 - x0),
            "y": y1 - place.y / height * (y1 - y0),
            "text": point["system"],
            "align": place.align,
        }
        for point, place in zip(points, placed, strict=True)
    ]
    return [
        alt.Chart(alt.InlineData(values=[row for row in rows if row["align"] == align]))
        .mark_text(align=align, baseline="middle", fontSize=size.text / 1.1, color=INK)
        .encode(x=x, y=y, text="text:N")
        for align in ("left", "center", "right")
    ]
