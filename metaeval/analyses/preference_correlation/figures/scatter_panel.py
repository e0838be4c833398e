"""A panel of the scatter: the points of one metric, and the line through them with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt

from annotations.ground.system_names import SEPARATOR
from metaeval.analyses.preference_correlation.questions import ValuesOf
from metaeval.analyses.preference_correlation.result import (
    JudgedSystem,
    LeastSquaresLine,
    PreferenceCorrelationResult,
)
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import LINE, MOST_LOOKS, legend_columns, looks
from metaeval.stats.intervals import wilson_interval

FRACTION = "Chosen by experts"


@dataclass(frozen=True)
class ScatterPoint:
    """A system whose metric and preference fraction are known."""

    system: str
    label: str
    model: str
    value: float
    fraction: float
    low: float
    high: float
    """The upper limit of the fraction's interval."""
    responses: int
    other: float | None
    """The metric on the other kind of values: what experts were shown, or the exact predictions."""


@dataclass(frozen=True)
class ScatterPanel:
    """The points of one metric, the line through them, and the drawn rectangle of values."""

    metric: str
    title: str
    points: list[ScatterPoint]
    others: bool
    """Whether points have a second value."""
    values: ValuesOf
    line: LeastSquaresLine
    models: list[str]
    x: tuple[float, float]
    y: tuple[float, float]
    size: tuple[int, int]
    is_large: bool

    @classmethod
    def of(
        cls,
        result: PreferenceCorrelationResult,
        beside: Sequence[str],
        metric: str,
        size: tuple[int, int],
        *,
        is_large: bool,
    ) -> ScatterPanel:
        """The panel of a metric, with the same axis of preference fractions as those `beside` it."""
        points = _points(result, metric)
        lines = [result.lines[name] for name in beside]
        ends = [end for name in beside for point in _points(result, name) for end in (point.low, point.high)]
        up = _padded([*ends, *(value for line in lines for value in (*line.y, *line.y))])
        known = [value for point in points for value in (point.value, point.other) if value is not None]
        return cls(
            metric=metric,
            title=next(entry.title for entry in result.metrics if entry.name == metric),
            points=points,
            others=any(point.other is not None for point in points),
            values=result.values,
            line=result.lines[metric],
            models=_models(result.systems),
            x=_padded(known),
            y=(max(up[0], -0.05), min(up[1], 1.05)),
            size=size,
            is_large=is_large,
        )

    def pixel(self, value: float, fraction: float) -> tuple[float, float]:
        """The pixel at these values."""
        (x0, x1), (y0, y1), (width, height) = self.x, self.y, self.size
        return (value - x0) / (x1 - x0) * width, (y1 - fraction) / (y1 - y0) * height

    def value(self, x: float, y: float) -> tuple[float, float]:
        """The values at a pixel."""
        (x0, x1), (y0, y1), (width, height) = self.x, self.y, self.size
        return x0 + x / width * (x1 - x0), y1 - y / height * (y1 - y0)

    def placed(self, chart: alt.Chart) -> alt.Chart:
        """The chart on the panel's axes."""
        encoded: alt.Chart = chart.encode(
            x=alt.X("value:Q", title=self.title, scale=alt.Scale(domain=list(self.x), nice=False, zero=False)),
            y=alt.Y(
                "fraction:Q",
                title=FRACTION,
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=list(self.y), nice=False, zero=False),
            ),
        )
        return encoded


def line_layers(panel: ScatterPanel) -> list[alt.Chart]:
    """The regression line and its band; nothing if there is none."""
    line = panel.line
    if line.reason:
        return []
    rows = [
        {"value": x, "fraction": y, "lower": low, "upper": high}
        for x, y, low, high in zip(line.x, line.y, line.lower, line.upper, strict=True)
    ]
    base = panel.placed(alt.Chart(InlineRows(values=rows)))
    return [
        base.mark_area(color=LINE, opacity=0.13, clip=True).encode(y=alt.Y("lower:Q"), y2="upper:Q"),
        base.mark_line(color=LINE, strokeWidth=1.6, clip=True),
    ]


def beside_layers(panel: ScatterPanel, size: Size) -> list[alt.Chart]:
    """The intervals of the fractions, and the hollow points of the other kind of values with their lines."""
    rows = [asdict(point) for point in panel.points]
    legend = _legend(panel.models, size)
    hue, _ = _looks(panel, legend)
    base = panel.placed(alt.Chart(InlineRows(values=rows)))
    intervals = base.mark_rule(opacity=0.4, strokeWidth=0.9, clip=True).encode(y=alt.Y("low:Q"), y2="high:Q", color=hue)
    if not panel.others:
        return [intervals]
    shown = panel.placed(alt.Chart(InlineRows(values=[row for row in rows if row["other"] is not None])))
    return [
        intervals,
        shown.mark_rule(opacity=0.45, strokeWidth=0.7).encode(x2="other:Q", color=hue),
        shown.mark_point(filled=False, shape="circle", strokeWidth=0.8, opacity=0.9, size=12).encode(
            x=alt.X("other:Q"), color=hue
        ),
    ]


def point_layer(panel: ScatterPanel, size: Size) -> alt.Chart:
    """The points; if there are several models, in their colours and shapes."""
    hue, shape = _looks(panel, _legend(panel.models, size))
    marks = alt.Chart(InlineRows(values=[asdict(point) for point in panel.points])).mark_point(
        filled=True, opacity=0.9, size=size.text * (4.2 if panel.is_large else 2.8)
    )
    other = "On what experts were shown" if panel.values == "exact" else "On the exact predictions"
    points: alt.Chart = panel.placed(marks).encode(
        color=hue,
        shape=shape,
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("value:Q", title=panel.title, format=".4f"),
            *([alt.Tooltip("other:Q", title=other, format=".4f")] if panel.others else []),
            alt.Tooltip("fraction:Q", title=FRACTION, format=".1%"),
            alt.Tooltip("low:Q", title="from", format=".1%"),
            alt.Tooltip("high:Q", title="to", format=".1%"),
            alt.Tooltip("responses:Q", title="Responses"),
        ],
    )
    return points


def _legend(models: Sequence[str], size: Size) -> alt.Legend | None:
    """One legend for all layers: the names of the models, if there are several."""
    if len(models) < 2:
        return None
    room = size.width - 2 * size.padding - 60
    columns = legend_columns(models, room, size)
    return alt.Legend(title=None, columns=columns, labelLimit=int(room / columns - size.text * 2), symbolOpacity=1)


def _looks(panel: ScatterPanel, legend: alt.Legend | None) -> tuple[Any, Any]:
    """How models are told apart: not at all if there are too many."""
    models = panel.models
    if len(models) > MOST_LOOKS:
        return alt.value(LINE), alt.value("circle")
    hues, shapes = looks(len(models))
    return (
        alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend),
        alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend),
    )


def _points(result: PreferenceCorrelationResult, metric: str) -> list[ScatterPoint]:
    labels = _labels(result.systems)
    others = next(
        (one.metrics for one in result.others if one.values != result.values and one.instances == result.instances), {}
    )
    points = []
    for system in result.systems:
        value = system.metrics[metric].value
        if system.fraction is None or value is None:
            continue
        low, high = wilson_interval(system.chosen, system.responses) if system.responses else (system.fraction,) * 2
        second = others.get(system.system, {}).get(metric)
        points.append(
            ScatterPoint(
                system=system.system,
                label=labels[system.system],
                model=system.model,
                value=value,
                fraction=system.fraction,
                low=low,
                high=high,
                responses=system.responses,
                other=second.value if second else None,
            )
        )
    return points


def _models(systems: Sequence[JudgedSystem]) -> list[str]:
    return sorted({system.model for system in systems})


def _labels(systems: Sequence[JudgedSystem]) -> dict[str, str]:
    """The names beside the points: without the model if colour and shape show it, without the run if all systems have
    one run, as long as a name is left."""
    with_model = not 1 < len(_models(systems)) <= MOST_LOOKS
    with_run = len({system.run for system in systems}) > 1
    labels = {}
    for system in systems:
        parts = [system.model * with_model, system.method, system.run * with_run]
        labels[system.system] = SEPARATOR.join(part for part in parts if part) or system.system
    return labels


def _padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with some padding, also around a single value."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.07 * (high - low) or 0.05
    return low - air, high + air
