"""Methods by a metric: mean and standard deviation over runs, one colour and shape per model, the baseline as a
line."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.system_scores.collapse import collapse_in_words
from metaeval.analyses.system_scores.result import ScoredMethod, SystemScoresResult
from metaeval.analyses.system_scores.undefined import undefined_in_words
from metaeval.figures.dots import BREAK, TOP_OF_PAGE, axis_of_names, name_room, unique
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import BOLD, Size, wrapped
from metaeval.figures.style import LINE, MOST_LOOKS, heading, legend_columns, looks, styled

COLUMNS = {"screen": 3, "two": 3, "one": 2}
AT_ONCE = 6


@figure(
    "Systems by metric",
    variants=lambda result: [metric.name for metric in result.metrics],
    exists=lambda result: not result.datasets,
)
def score_dots(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """One panel per metric (the first six), or one metric alone; methods in the order of the first panel."""
    chosen = [metric for metric in result.metrics if metric.name == variant] or result.metrics[:AT_ONCE]
    methods = _methods(result, chosen[0])
    columns = min(COLUMNS[size.name], len(chosen))
    room = min(name_room(methods, size), 0.32 * size.width)
    width = int((size.width - room - 2 * size.padding - 4 - (columns - 1) * size.text * 2) / columns - 4)
    names = {method: wrapped(method, room, size.text, most=2) for method in methods}
    step = size.text * (1.5 if max(map(len, names.values()), default=1) < 2 else 2.5)
    rows = -(-len(chosen) // columns)
    legend = _legend(result, size)
    lines = -(-len(_models(result)) // (legend.columns or 1)) if legend else 0
    above = size.padding * 2 + size.text * 2 if size.is_paper else TOP_OF_PAGE
    left = size.height - above - lines * size.text * 1.4 - rows * size.text * 7.5
    fit = max(1, int(left / rows / step))
    drawn = dict(zip(methods[:fit], unique([BREAK.join(names[method]) for method in methods[:fit]]), strict=True))
    panels = [
        _panel(result, metric, drawn, size, width=width, step=step, legend=legend, with_names=not number % columns)
        for number, metric in enumerate(chosen)
    ]
    deviations = any(group.runs > 1 for group in result.groups)
    notes = ["Bars: standard deviation over runs."] if deviations else []
    if result.baseline:
        notes.append(f"Vertical lines: the baseline {result.baseline} of each model.")
    if not variant and len(result.metrics) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(result.metrics)} metrics.")
    if len(drawn) < len(methods):
        notes.append(f"The first {len(drawn)} of {len(methods)} methods; the tables have all.")
    if len(_models(result)) > MOST_LOOKS:
        notes.append(f"The {len(_models(result))} models look the same here; the figure’s data name them.")
    notes += [*undefined_in_words(result, chosen), *collapse_in_words(result)]
    words = chosen[0].title if variant else "Metrics of the systems"
    title = heading(words, notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 2).properties(title=title), size)


def _panel(
    result: SystemScoresResult,
    metric: DescribedMetric,
    methods: dict[str, str],
    size: Size,
    *,
    width: int,
    step: float,
    legend: alt.Legend | None,
    with_names: bool,
) -> Chart:
    rows: list[Row] = []
    lacking: list[Row] = []
    known: list[float] = []
    for group in result.groups:
        value = group.metrics[metric.name]
        if _method(group) not in methods:
            continue
        if value.mean is None:
            lacking.append({"method": methods[_method(group)], "model": group.model, "text": "–", "why": value.reason})
            continue
        spread = value.deviation or 0.0
        known += [value.mean - spread, value.mean + spread]
        rows.append(
            {
                "method": methods[_method(group)],
                "model": group.model,
                "mean": value.mean,
                "low": value.mean - spread,
                "high": value.mean + spread,
                "runs": value.runs,
            }
        )
    models, names = _models(result), list(methods.values())
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
        sort=names,
        scale=alt.Scale(domain=names),
        title=None,
        axis=axis_of_names(names, size, labels=with_names, grid=True),
    )
    hue: Any = alt.value(LINE)
    shape: Any = alt.value("circle")
    if len(models) <= MOST_LOOKS:
        hues, shapes = looks(len(models))
        hue = alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend)
        shape = alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend)
    base = alt.Chart(InlineRows(values=rows))
    dashes = alt.Chart(InlineRows(values=lacking)).mark_text(fontSize=size.text, fontWeight="bold")
    layers: list[Any] = []
    if result.baseline:
        layers.append(
            alt.Chart(InlineRows(values=[row for row in rows if row["method"] == methods.get(str(result.baseline))]))
            .mark_rule(strokeDash=[3, 2], opacity=0.7)
            .encode(x=x, color=hue)
        )
    layers += [
        *([dashes.encode(x=alt.value(size.text), y=y, text="text:N", color=hue)] if lacking else []),
        base.mark_rule(opacity=0.6, strokeWidth=1.3).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, color=hue),
        base.mark_point(filled=True, opacity=0.9, size=size.text * 4).encode(
            x=x,
            y=y,
            color=hue,
            shape=shape,
            tooltip=["model:N", "method:N", alt.Tooltip("mean:Q", format=".4f"), "low:Q", "high:Q", "runs:Q"],
        ),
    ]
    chart: Chart = alt.layer(*layers).properties(
        width=width,
        height=alt.Step(step),
        description=_told(rows, metric),
        title=alt.TitleParams(
            text=wrapped(metric.title, width, size.text * 1.1 * BOLD),
            fontSize=size.text * 1.1,
            anchor="start",
            offset=4,
        ),
    )
    return chart


def _models(result: SystemScoresResult) -> list[str]:
    return sorted({group.model for group in result.groups})


def _legend(result: SystemScoresResult, size: Size) -> alt.Legend | None:
    """The models, if there are several and not too many."""
    models = _models(result)
    if not 1 < len(models) <= MOST_LOOKS:
        return None
    room = size.width * 0.62 - 2 * size.padding
    columns = legend_columns(models, room, size)
    return alt.Legend(title=None, columns=columns, labelLimit=int(room / columns - size.text * 2), symbolOpacity=1)


def _told(rows: list[Row], metric: DescribedMetric) -> str:
    """What a panel shows, in words."""
    best = sorted(rows, key=lambda row: float(row["mean"] or 0.0) * (1 if metric.orientation == "lower" else -1))
    if not best:
        return f"{metric.title}: nothing defined"
    ends = [
        f"{str(row['method']).replace(BREAK, ' ')} ({row['model']}) {row['mean']:.3f}" for row in (best[0], best[-1])
    ]
    return f"{metric.title}: from {ends[0]} to {ends[1]}"


def _methods(result: SystemScoresResult, metric: DescribedMetric) -> list[str]:
    """Methods, best first, by the mean over models."""
    values: dict[str, list[float]] = {}
    for group in result.groups:
        mean = group.metrics[metric.name].mean
        values.setdefault(_method(group), []).extend([] if mean is None else [mean])
    sign = 1 if metric.orientation == "lower" else -1
    return sorted(values, key=lambda name: (not values[name], sign * sum(values[name]) / max(1, len(values[name]))))


def _method(group: ScoredMethod) -> str:
    return str(group.method or group.model)
