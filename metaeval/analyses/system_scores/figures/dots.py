"""Methods by a metric: mean and standard deviation over runs, a colour and shape a model, the baseline as a line."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.system_scores.result import ScoredMethod, SystemScoresResult
from metaeval.figures.dots import SPLIT, name_room
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import HUES, SHAPES, heading, styled, wrapped

COLUMNS = {"screen": 3, "two": 3, "one": 2}
AT_ONCE = 6


@figure(variants=lambda result: [metric.name for metric in result.metrics], exists=lambda result: not result.datasets)
def score_dots(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """A panel a metric (the first six), or one metric alone; methods in the order of the first panel."""
    chosen = [metric for metric in result.metrics if metric.name == variant] or result.metrics[:AT_ONCE]
    methods = _methods(result, chosen[0])
    columns = min(COLUMNS[size.name], len(chosen))
    room = name_room(methods, size)
    width = int((size.width - room - 2 * size.padding - 10 - (columns - 1) * size.text * 2.4) / columns - 12)
    panels = [
        _panel(result, metric, methods, size, width=width, with_names=not number % columns)
        for number, metric in enumerate(chosen)
    ]
    deviations = any(group.runs > 1 for group in result.groups)
    notes = ["Bars: standard deviation over runs."] if deviations else []
    if result.baseline:
        notes.append(f"Vertical lines: the baseline {result.baseline} of each model.")
    if not variant and len(result.metrics) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(result.metrics)} metrics.")
    words = chosen[0].title if variant else "Metrics of the systems"
    title = heading(words, notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 2).properties(title=title), size)


def _panel(
    result: SystemScoresResult, metric: DescribedMetric, methods: list[str], size: Size, *, width: int, with_names: bool
) -> Chart:
    rows: list[Row] = []
    known: list[float] = []
    for group in result.groups:
        value = group.metrics[metric.name]
        if value.mean is None:
            continue
        spread = value.deviation or 0.0
        known += [value.mean - spread, value.mean + spread]
        rows.append(
            {
                "method": _method(group),
                "model": group.model,
                "mean": value.mean,
                "low": value.mean - spread,
                "high": value.mean + spread,
                "runs": value.runs,
            }
        )
    models = sorted({group.model for group in result.groups})
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    air = 0.06 * (high - low) or 0.05
    scale = alt.Scale(domain=[low - air, high + air], nice=False, zero=False)
    x = alt.X(
        "mean:Q",
        title="lower is better" if metric.orientation == "lower" else None,
        scale=scale,
        axis=alt.Axis(tickCount=3),
    )
    y = alt.Y(
        "method:N",
        sort=methods,
        scale=alt.Scale(domain=methods),
        title=None,
        axis=alt.Axis(
            labels=with_names, ticks=False, domain=False, labelLimit=0, labelOverlap=False, labelExpr=SPLIT, grid=True
        ),
    )
    legend = (
        alt.Legend(title="Model", columns=2 if size.name == "one" else 4, labelLimit=0) if len(models) > 1 else None
    )
    hue = alt.Color("model:N", scale=alt.Scale(domain=models, range=(HUES * len(models))[: len(models)]), legend=legend)
    shape = alt.Shape(
        "model:N", scale=alt.Scale(domain=models, range=(SHAPES * len(models))[: len(models)]), legend=legend
    )
    base = alt.Chart(alt.InlineData(values=rows))
    layers: list[Any] = []
    if result.baseline:
        layers.append(
            alt.Chart(alt.InlineData(values=[row for row in rows if row["method"] == result.baseline]))
            .mark_rule(strokeDash=[3, 2], opacity=0.7)
            .encode(x=x, color=hue)
        )
    layers += [
        base.mark_rule(opacity=0.6, strokeWidth=1.3).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, color=hue),
        base.mark_point(filled=True, opacity=0.9, size=size.text * 4).encode(
            x=x,
            y=y,
            color=hue,
            shape=shape,
            tooltip=["model:N", "method:N", alt.Tooltip("mean:Q", format=".4f"), "runs:Q"],
        ),
    ]
    chart: Chart = alt.layer(*layers).properties(
        width=width,
        height=alt.Step(size.text * 1.5),
        title=alt.TitleParams(
            text=wrapped(metric.title, width, size.text * 1.2), fontSize=size.text * 1.1, anchor="start", offset=4
        ),
    )
    return chart


def _methods(result: SystemScoresResult, metric: DescribedMetric) -> list[str]:
    """The best first, by the mean over models."""
    values: dict[str, list[float]] = {}
    for group in result.groups:
        mean = group.metrics[metric.name].mean
        values.setdefault(_method(group), []).extend([] if mean is None else [mean])
    sign = 1 if metric.orientation == "lower" else -1
    return sorted(values, key=lambda name: (not values[name], sign * sum(values[name]) / max(1, len(values[name]))))


def _method(group: ScoredMethod) -> str:
    return str(group.method or group.model)
