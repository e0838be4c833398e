"""Agreement of people and of machines with people, separately for certain and uncertain items: Elangovan et al.
(2025)."""

from __future__ import annotations

import json
from dataclasses import dataclass

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.inputs.parts import Number
from metaeval.analyses.uncertainty.result import RandomLabellersRange, UncertaintyResult, typical
from metaeval.figures.dots import name_room, padded, panel_title
from metaeval.figures.registry import figure, note_on_others, shown_in, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import CHANCE, HUES, SOFT, heading, number, styled

AT_ONCE = 3
SHAPES = ["circle", "triangle-up", "diamond"]
OFFSET = 0.24
"""The distance between the three values of a row, in rows."""
X_TITLE = "Krippendorff’s alpha"


@dataclass(frozen=True)
class AlphaPoint:
    """A value with its interval; None where it is undefined or has none."""

    value: Number
    low: Number = None
    high: Number = None


@dataclass(frozen=True)
class PartitionRow:
    """A partition: its alphas by series, and the range of random labellers."""

    name: str
    points: dict[str, AlphaPoint]
    random: RandomLabellersRange

    @property
    def values(self) -> list[float]:
        """All values and limits that are drawn."""
        points = [value for point in self.points.values() for value in (point.value, point.low, point.high)]
        return [value for value in (*points, self.random.low, self.random.high) if value is not None]


@figure(
    "Agreement with people, by how far people agree",
    variants=lambda result: variants_of([machine.name for machine in result.machines]),
)
def uncertainty_strata(result: UncertaintyResult, variant: str, size: Size) -> Chart:
    """One panel per machine, one row per partition; empty partitions and undefined values are not drawn."""
    names = [machine.name for machine in result.machines]
    machines: list[str | None] = [*shown_in(names, variant, AT_ONCE)] or [None]
    panels = {machine: _rows(result, machine) for machine in machines}
    series = _series(result, size)
    everything = [row for rows in panels.values() for row in rows]
    low, high = padded([0.0, *(value for row in everything for value in row.values)])
    charts = [
        _panel(
            rows,
            series,
            size,
            domain=(max(-1.05, low), min(1.05, high)),
            names=[row.name for row in everything],
            title=(machine or "") if len(machines) > 1 else "",
        )
        for machine, rows in panels.items()
    ]
    level = f"{100 * result.parameters['level']:g}%"
    notes = [
        f"Krippendorff’s alpha in partitions of the items, with {level} bootstrap intervals. Grey: where {level} "
        f"of random labellers lie, compared with people’s {typical(result.scale)}. In brackets: how many items.",
        *note_on_others(names, variant, AT_ONCE, "machines"),
    ]
    words = f": {machines[0]}" if len(machines) == 1 and machines[0] else ""
    title = heading(f"Agreement with people, by how far people agree{words}", notes, size=size)
    return styled(alt.vconcat(*charts, spacing=size.text * 2).properties(title=title), size)


def _series(result: UncertaintyResult, size: Size) -> dict[str, str]:
    """What is compared, in words; shorter in a narrow column."""
    words = typical(result.scale)
    narrow = size.name == "one"
    named = {"people": "People (HH)" if narrow else "People among themselves (HH)"}
    if result.machines:
        named |= {
            "typical": f"{words.title()}, machine (HʷMʷ)" if narrow else f"Their {words} and the machine (HʷMʷ)",
            "random_person": "Person, machine (H′Mʷ)" if narrow else "One of them at random and the machine (H′Mʷ)",
        }
    return named


def _rows(result: UncertaintyResult, machine: str | None) -> list[PartitionRow]:
    """One row per non-empty partition: the three alphas, their intervals, and the random labellers' range."""
    strata = next(group for group in result.people_strata if machine is None or machine in group.machines)
    alphas = {(row.grouping, row.partition): row.alpha for row in result.strata if row.machine == machine}
    rows = []
    for people in strata.rows:
        if not people.items:
            continue
        points = {"people": AlphaPoint(people.alpha, people.low, people.high)}
        if alpha := alphas.get((people.grouping, people.partition)):
            points["typical"] = AlphaPoint(alpha.typical, alpha.typical_low, alpha.typical_high)
            points["random_person"] = AlphaPoint(alpha.random_person)
        rows.append(PartitionRow(people.heading, points, people.random.alpha))
    return rows


def _panel(
    rows: list[PartitionRow],
    series: dict[str, str],
    size: Size,
    *,
    domain: tuple[float, float],
    names: list[str],
    title: str,
) -> Chart:
    width = int(size.width - name_room(names, size) - 2 * size.padding - 14)
    x_scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    y_scale = alt.Scale(domain=[len(rows) - 0.5, -0.5], nice=False, zero=False)
    axis = _axis([row.name for row in rows])
    layers = [
        _random_labellers(rows, x_scale, y_scale, axis),
        alt.Chart(InlineRows(values=[{"at": 0.0}]))
        .mark_rule(color=SOFT, strokeDash=[3, 3])
        .encode(x=alt.X("at:Q", scale=x_scale)),
        *_points(rows, series, size, x_scale=x_scale, y=alt.Y("row:Q", title=None, scale=y_scale, axis=axis)),
    ]
    height = len(rows) * size.text * (3.1 if len(series) > 1 else 1.8)
    chart: Chart = alt.layer(*layers).properties(
        width=width, height=height, description=_description(rows, series, title)
    )
    return chart.properties(title=panel_title(title, size)) if title else chart


def _description(rows: list[PartitionRow], series: dict[str, str], title: str) -> str:
    statements = [
        f"{row.name}: "
        + ", ".join(f"{words} {number(point.value)}" for key, words in series.items() if (point := row.points.get(key)))
        for row in rows
    ]
    return f"{title + '. ' if title else ''}{'; '.join(statements)}"


def _axis(names: list[str]) -> alt.Axis:
    """The rows' names at integers."""
    return alt.Axis(
        values=list(range(len(names))),
        tickCount=len(names) + 1,  # otherwise, Vega thins out the values
        labelExpr=f"{json.dumps(names, ensure_ascii=False)}[datum.value]",
        ticks=False,
        domain=False,
        grid=False,
        labelLimit=0,
        labelOverlap=False,
    )


def _random_labellers(rows: list[PartitionRow], x_scale: alt.Scale, y_scale: alt.Scale, axis: alt.Axis) -> Chart:
    bands: list[Row] = [
        {"top": place - 0.42, "bottom": place + 0.42, "low": row.random.low, "high": row.random.high}
        for place, row in enumerate(rows)
        if row.random.low is not None
    ]
    chart: Chart = (
        alt.Chart(InlineRows(values=bands))
        .mark_rect(color=CHANCE)
        .encode(
            x=alt.X("low:Q", title=X_TITLE, scale=x_scale),
            x2="high:Q",
            y=alt.Y("top:Q", scale=y_scale, axis=axis, title=None),
            y2="bottom:Q",
        )
    )
    return chart


def _points(
    rows: list[PartitionRow], series: dict[str, str], size: Size, *, x_scale: alt.Scale, y: alt.Y
) -> list[Chart]:
    """The intervals, and the values on them."""
    places = dict(zip(series, [-OFFSET, 0.0, OFFSET] if len(series) > 1 else [0.0], strict=True))
    points: list[Row] = [
        {
            "row": place + places[key],
            "series": words,
            "value": point.value,
            "low": point.low,
            "high": point.high,
            "partition": row.name,
        }
        for place, row in enumerate(rows)
        for key, words in series.items()
        if (point := row.points.get(key)) and point.value is not None
    ]
    columns = 1 if size.name == "one" else 2
    words = list(series.values())
    hue = alt.Color(
        "series:N",
        scale=alt.Scale(domain=words, range=HUES[:3]),
        legend=alt.Legend(title=None, columns=columns, labelLimit=0, symbolType="circle"),
    )
    shape = alt.Shape(
        "series:N",
        scale=alt.Scale(domain=words, range=SHAPES[: len(series)]),
        legend=alt.Legend(title=None, columns=columns, labelLimit=0),
    )
    base = alt.Chart(InlineRows(values=points))
    return [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=max(0.8, size.text * 0.1), clip=True)
        .encode(x=alt.X("low:Q", scale=x_scale), x2="high:Q", y=y, color=hue),
        base.mark_point(filled=True, opacity=1, size=size.text * 4.2).encode(
            x=alt.X("value:Q", title=X_TITLE, scale=x_scale),
            y=y,
            color=hue,
            shape=shape,
            tooltip=["partition:N", "series:N", alt.Tooltip("value:Q", format=".4f")],
        ),
    ]
