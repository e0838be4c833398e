"""A panel of the scatter: the points of one metric, and the line through them with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt

from annotations.system_names import SEPARATOR
from metaeval.analyses.preference_correlation.result import (
    JudgedSystem,
    LeastSquaresLine,
    PreferenceCorrelationResult,
)
from metaeval.figures.style import HUES, LINE, SHAPES

FRACTION = "Chosen by experts"


@dataclass(frozen=True)
class ScatterPoint:
    """A system whose metric and preference fraction are known."""

    system: str
    label: str
    model: str
    value: float
    fraction: float
    responses: int


@dataclass(frozen=True)
class ScatterPanel:
    """The points of one metric, the line through them, and the rectangle of values that is drawn."""

    metric: str
    title: str
    points: list[ScatterPoint]
    line: LeastSquaresLine
    models: list[str]
    x: tuple[float, float]
    y: tuple[float, float]
    size: tuple[int, int]
    is_large: bool

    @classmethod
    def of(
        cls, result: PreferenceCorrelationResult, metric: str, size: tuple[int, int], *, is_large: bool
    ) -> ScatterPanel:
        labels = _labels(result.systems)
        points = [
            ScatterPoint(system.system, labels[system.system], system.model, value, system.fraction, system.responses)
            for system in result.systems
            if system.fraction is not None and (value := system.metrics[metric].value) is not None
        ]
        line = result.lines[metric]
        up = _padded([point.fraction for point in points] + line.lower + line.upper)
        return cls(
            metric=metric,
            title=next(entry.title for entry in result.metrics if entry.name == metric),
            points=points,
            line=line,
            models=_models(result.systems),
            x=_padded([point.value for point in points]),
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
    """The regression line and its band; nothing where there is none."""
    line = panel.line
    if line.reason:
        return []
    rows = [
        {"value": x, "fraction": y, "lower": low, "upper": high}
        for x, y, low, high in zip(line.x, line.y, line.lower, line.upper, strict=True)
    ]
    base = panel.placed(alt.Chart(alt.InlineData(values=rows)))
    return [
        base.mark_area(color=LINE, opacity=0.13, clip=True).encode(y=alt.Y("lower:Q"), y2="upper:Q"),
        base.mark_line(color=LINE, strokeWidth=1.6, clip=True),
    ]


def point_layer(panel: ScatterPanel) -> alt.Chart:
    """The points; where there are several models, by their colours and shapes."""
    models = panel.models
    hues = [HUES[i % len(HUES)] for i in range(len(models))]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(models))]
    legend = alt.Legend(title="Model") if len(models) > 1 else None
    marks = alt.Chart(alt.InlineData(values=[asdict(point) for point in panel.points])).mark_point(
        filled=True, opacity=0.9, size=46 if panel.is_large else 26
    )
    points: alt.Chart = panel.placed(marks).encode(
        color=alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend),
        shape=alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend),
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("value:Q", title=panel.title, format=".4f"),
            alt.Tooltip("fraction:Q", title=FRACTION, format=".1%"),
            alt.Tooltip("responses:Q", title="Responses"),
        ],
    )
    return points


def _models(systems: Sequence[JudgedSystem]) -> list[str]:
    return sorted({system.model for system in systems})


def _labels(systems: Sequence[JudgedSystem]) -> dict[str, str]:
    """The names beside the points: without the model where colour and shape say it, without the run where all systems
    have one run, as long as that leaves a name."""
    with_model = not 1 < len(_models(systems)) <= len(HUES)
    with_run = len({system.run for system in systems}) > 1
    labels = {}
    for system in systems:
        parts = [system.model * with_model, system.method, system.run * with_run]
        labels[system.system] = SEPARATOR.join(part for part in parts if part) or system.system
    return labels


def _padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with some air; around a single value, a little."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.07 * (high - low) or 0.05
    return low - air, high + air
