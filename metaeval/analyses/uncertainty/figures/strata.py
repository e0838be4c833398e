"""Agreement of people and of machines with people, apart for certain and uncertain items: Elangovan et al. (2025)."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.uncertainty.figures.words import chosen, others, partition, typical, variants
from metaeval.figures.dots import name_room, padded, panel_title
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import CHANCE, HUES, PADDING, SOFT, heading, styled

AT_ONCE = 3
RANDOM = "Random labellers"
SHAPES = ["circle", "triangle-up", "diamond"]
OFFSET = 0.24
"""How far apart the three values of a row stand, in rows."""


@figure(variants=variants)
def uncertainty_strata(result: Result, variant: str, size: Size) -> Chart:
    """A panel a machine, a row a partition; what no item is in, or has no value, is not drawn."""
    machines: list[str | None] = [*chosen(result, variant, AT_ONCE)] or [None]
    panels = {machine: _rows(result, machine) for machine in machines}
    series = _series(result, size)
    everything = [row for rows in panels.values() for row in rows]
    known = [value for row in everything for value in _values(row)]
    low, high = padded([0.0, *known])
    charts = [
        _panel(
            rows,
            series,
            size,
            domain=(max(-1.05, low), min(1.05, high)),
            names=[row["name"] for row in everything],
            title=(machine or "") if len(machines) > 1 else "",
        )
        for machine, rows in panels.items()
    ]
    level = f"{100 * result['parameters']['level']:g} %"
    notes = [
        f"Krippendorff’s alpha in partitions of the items, with {level} bootstrap intervals. Grey: where {level} "
        f"of random labellers lie, compared with people’s {typical(result)}. In brackets: how many items.",
        *others(result, variant, AT_ONCE),
    ]
    words = f": {machines[0]}" if len(machines) == 1 and machines[0] else ""
    title = heading(
        f"Agreement with people, by how far people agree{words}",
        notes,
        is_simulated=result["is_simulated"],
        size=size,
    )
    return styled(alt.vconcat(*charts, spacing=size.text * 2).properties(title=title), size)


def _series(result: Result, size: Size) -> dict[str, str]:
    """What is compared, in words; few in a narrow column."""
    words = typical(result)
    narrow = size.name == "one"
    named = {"people": "People (HH)" if narrow else "People among themselves (HH)"}
    if result["machines"]:
        named |= {
            "typical": f"{words.title()}, machine (HʷMʷ)" if narrow else f"Their {words} and the machine (HʷMʷ)",
            "random_person": "Person, machine (H′Mʷ)" if narrow else "One of them at random and the machine (H′Mʷ)",
        }
    return named


def _rows(result: Result, machine: str | None) -> list[dict[str, Any]]:
    """One row a partition that has items: the three alphas, their intervals, and the random labellers' range."""
    frame = next(frame for frame in result["people_strata"] if machine is None or machine in frame["machines"])
    mine = {(row["grouping"], row["partition"]): row["alpha"] for row in result["strata"] if row["machine"] == machine}
    rows = []
    for people in frame["rows"]:
        if not people["items"]:
            continue
        alpha = mine.get((people["grouping"], people["partition"]), {})
        rows.append(
            {
                "name": partition(people),
                "people": (people["alpha"], people["low"], people["high"]),
                "typical": (alpha.get("typical"), alpha.get("typical_low"), alpha.get("typical_high")),
                "random_person": (alpha.get("random_person"), None, None),
                "random": people["random"]["alpha"],
            }
        )
    return rows


def _values(row: dict[str, Any]) -> list[float]:
    triples = [row[key] for key in ("people", "typical", "random_person")]
    return [
        value
        for triple in (*triples, (row["random"]["low"], row["random"]["high"]))
        for value in triple
        if value is not None
    ]


def _panel(
    rows: list[dict[str, Any]],
    series: dict[str, str],
    size: Size,
    *,
    domain: tuple[float, float],
    names: list[str],
    title: str,
) -> Chart:
    room = name_room(names, size)
    width = int(size.width - room - 2 * PADDING - 14)
    places = dict(zip(series, [-OFFSET, 0.0, OFFSET] if len(series) > 1 else [0.0], strict=True))
    points = [
        {
            "row": place + places[key],
            "series": words,
            "value": row[key][0],
            "low": row[key][1],
            "high": row[key][2],
            "partition": row["name"],
        }
        for place, row in enumerate(rows)
        for key, words in series.items()
        if row[key][0] is not None
    ]
    bands = [
        {"top": place - 0.42, "bottom": place + 0.42, "low": row["random"]["low"], "high": row["random"]["high"]}
        for place, row in enumerate(rows)
        if row["random"]["low"] is not None
    ]
    x_scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    y_scale = alt.Scale(domain=[len(rows) - 0.5, -0.5], nice=False, zero=False)
    axis = alt.Axis(
        values=list(range(len(rows))),
        tickCount=len(rows) + 1,  # Vega thins out the values otherwise
        labelExpr=f"{json.dumps([row['name'] for row in rows], ensure_ascii=False)}[datum.value]",
        ticks=False,
        domain=False,
        grid=False,
        labelLimit=0,
        labelOverlap=False,
    )
    x = alt.X("value:Q", title="Krippendorff’s alpha", scale=x_scale)
    y = alt.Y("row:Q", title=None, scale=y_scale, axis=axis)
    legend = alt.Legend(title=None, columns=1 if size.name == "one" else 2, labelLimit=0, symbolType="circle")
    hue = alt.Color("series:N", scale=alt.Scale(domain=list(series.values()), range=HUES[:3]), legend=legend)
    shape = alt.Shape(
        "series:N",
        scale=alt.Scale(domain=list(series.values()), range=SHAPES[: len(series)]),
        legend=alt.Legend(title=None, columns=1 if size.name == "one" else 2, labelLimit=0),
    )
    base = alt.Chart(alt.InlineData(values=points))
    layers: list[Any] = [
        alt.Chart(alt.InlineData(values=bands))
        .mark_rect(color=CHANCE)
        .encode(
            x=alt.X("low:Q", title="Krippendorff’s alpha", scale=x_scale),
            x2="high:Q",
            y=alt.Y("top:Q", scale=y_scale, axis=axis, title=None),
            y2="bottom:Q",
        ),
        alt.Chart(alt.InlineData(values=[{"at": 0.0}]))
        .mark_rule(color=SOFT, strokeDash=[3, 3])
        .encode(x=alt.X("at:Q", scale=x_scale)),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=max(0.8, size.text * 0.1), clip=True)
        .encode(x=alt.X("low:Q", scale=x_scale), x2="high:Q", y=y, color=hue),
        base.mark_point(filled=True, opacity=1, size=size.text * 4.2).encode(
            x=x,
            y=y,
            color=hue,
            shape=shape,
            tooltip=["partition:N", "series:N", alt.Tooltip("value:Q", format=".4f")],
        ),
    ]
    height = len(rows) * size.text * (3.1 if len(series) > 1 else 1.8)
    chart: Chart = alt.layer(*layers).properties(width=width, height=height)
    return chart.properties(title=panel_title(title, size)) if title else chart
