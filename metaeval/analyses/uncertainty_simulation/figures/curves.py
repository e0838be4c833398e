"""Agreement against the share of items of which people are certain: Elangovan et al. (2025), Figures 1, 2 and 5."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.uncertainty.figures.words import chosen, others, typical, variants
from metaeval.figures.dots import padded
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import HUES, PADDING, heading, styled, wrapped

AT_ONCE = 4
COLUMNS = {"screen": 2, "two": 2, "one": 1}


@figure(variants=variants)
def uncertainty_curves(result: Result, variant: str, size: Size) -> Chart:
    """A panel a machine, the random labeller first; lines are means over repeats, bands their standard deviations."""
    names = chosen(result, variant, AT_ONCE)
    machines = [machine for machine in result["machines"] if machine["name"] in names]
    words = {
        "people": "People among themselves (HH)",
        "machine": f"Their {typical(result)} and the machine (HʷMʷ)",
    }
    rows = {machine["name"]: _rows(machine, words) for machine in machines}
    known = [value for points in rows.values() for row in points for value in (row["low"], row["high"])]
    low, high = padded([0.0, 1.0, *known])
    domain = (low, min(high, 1.05))
    columns = min(COLUMNS[size.name], len(machines))
    width = int((size.width - 2 * PADDING - columns * size.text * 5.4) / columns - 10)
    panels = [
        _panel(name, points, list(words.values()), size, domain=domain, width=width) for name, points in rows.items()
    ]
    undefined = [point for machine in machines for point in machine["points"] if point["reason"]]
    notes = ["Krippendorff’s alpha: means over repeats, bands: ± 1 standard deviation."]
    if undefined:
        notes.append("Shares for which there are too few items are not drawn.")
    notes += others(result, variant, AT_ONCE)
    title = heading(
        "Agreement against the share of certain items", notes, is_simulated=result["is_simulated"], size=size
    )
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 2).properties(title=title), size)


def _rows(machine: dict[str, Any], words: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "share": point["share"],
            "series": title,
            "value": point[key],
            "low": point[key] - (point[f"{key}_sd"] or 0.0),
            "high": min(1.0, point[key] + (point[f"{key}_sd"] or 0.0)),
        }
        for point in machine["points"]
        for key, title in words.items()
        if point[key] is not None
    ]


def _panel(
    title: str, rows: list[dict[str, Any]], series: list[str], size: Size, *, domain: tuple[float, float], width: int
) -> Chart:
    x = alt.X(
        "share:Q",
        title="Share of certain items",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    legend = alt.Legend(title=None, columns=1 if size.name == "one" else 2, labelLimit=0)
    hue = alt.Color("series:N", scale=alt.Scale(domain=series, range=HUES[:2]), legend=legend)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=series, range=[[1, 0], [5, 3]]), legend=legend)
    base = alt.Chart(alt.InlineData(values=rows))
    layers: list[Any] = [
        *(
            # each with its own colour, for a legend would take over how faint the bands are
            alt.Chart(alt.InlineData(values=[row for row in rows if row["series"] == name]))
            .mark_area(opacity=0.18, color=colour)
            .encode(x=x, y=alt.Y("low:Q", title="Alpha", scale=scale), y2="high:Q")
            for name, colour in zip(series, HUES, strict=False)
        ),
        base.mark_line(strokeWidth=max(1.2, size.text * 0.16)).encode(
            x=x,
            y=alt.Y("value:Q", title="Alpha", scale=scale),
            color=hue,
            strokeDash=dash,
            tooltip=["series:N", alt.Tooltip("share:Q", format=".0%"), alt.Tooltip("value:Q", format=".4f")],
        ),
    ]
    chart: Chart = alt.layer(*layers).properties(width=width, height=width * 0.55)
    text = wrapped(title, width, size.text * 1.25)
    return chart.properties(title=alt.TitleParams(text=text, fontSize=size.text * 1.1, anchor="start", offset=4))
