"""Systems by their metrics: differences from the baseline, means and deviations over runs, all at once, and mean ranks.

Kurniawan et al. (2026), Figures 1 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from annotations.ground.system_names import system_name
from metaeval.analyses.base.result import DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.base.wording import inside, listed, why
from metaeval.analyses.system_scores.result import (
    ComparedMetric,
    ScoredMethod,
    SystemScoresResult,
    collapse_in_words,
)
from metaeval.figures.dots import BREAK, TOP_OF_PAGE, axis_of_names, name_room, padded, panel_title, unique
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows, Value
from metaeval.figures.sizes import BOLD, Size, wrapped
from metaeval.figures.style import INK, MOST_LOOKS, SOFT, heading, model_legend, model_looks, number, styled

AT_ONCE = 6
"""Metrics in a figure: the six of the task."""
ONE, SEVERAL = {"screen": 3, "two": 3, "one": 2}, {"screen": 6, "two": 6, "one": 2}
"""Panels side by side, for one dataset and for several."""
AROUND, ABOVE = 7.5, 3.0
"""The height of a panel's title and axis, and of a dataset's name, in letters."""
FAR = 1.0
"""How far intervals are drawn beyond the differences, relative to the differences' own span (with 0). Of two runs each,
an interval is often twenty times as wide."""
ALL = "All metrics"
MOST_REASONS = 2
"""Reasons for undefined metrics that a note gives."""


def _groups_compared(result: SystemScoresResult) -> list[ScoredMethod]:
    return [group for group in result.groups if group.method != result.baseline]


@dataclass(frozen=True)
class _Frame:
    """What all panels of a figure share."""

    result: SystemScoresResult
    size: Size
    models: list[str]
    names: dict[str, str]
    """Methods, the best rank first, and how each is written."""
    width: int
    step: float
    legend: alt.Legend | None


@figure(
    "Differences from the baseline",
    variants=lambda result: result.datasets,
    exists=lambda result: result.baseline is not None and bool(_groups_compared(result)),
)
def score_differences(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """A row of panels for each dataset (or only one), one per metric; methods in the order of their mean ranks."""
    datasets = [variant] if variant else (result.datasets or [""])
    metrics = result.metrics[:AT_ONCE]
    columns = min((ONE if len(datasets) == 1 else SEVERAL)[size.name], len(metrics))
    methods = _compared_methods(result)
    models = sorted({group.model for group in _groups_compared(result)})
    room = min(name_room(methods, size), 0.32 * size.width)
    lines = {method: wrapped(method, room, size.text, most=2) for method in methods}
    letters = 1.5 if max(map(len, lines.values()), default=1) < 2 else 2.5
    step = size.text * max(letters, 0.6 * len(models) if 1 < len(models) <= MOST_LOOKS else 0)
    legend = _legend(models, size)
    height = _height(models, legend, size)
    per_dataset = -(-len(metrics) // columns)
    around = size.text * (AROUND * per_dataset + ABOVE * (len(datasets) > 1))
    fit = max(1, min(len(datasets), int(height / (around + per_dataset * step * len(methods)))))
    most = max(1, int((height / fit - around) / per_dataset / step))
    drawn = dict(zip(methods[:most], unique([BREAK.join(lines[method]) for method in methods[:most]]), strict=True))
    # Numbers at the ends of an axis reach beyond it.
    across = size.width - room - 2 * size.padding - size.text * 1.8 - (columns - 1) * size.text * 2
    width = int(across / columns - 4)
    frame = _Frame(result, size, models, drawn, width, step, legend)
    rows = []
    for dataset in datasets[:fit]:
        panels = [
            _difference_panel(frame, dataset, metric, with_names=not at % columns) for at, metric in enumerate(metrics)
        ]
        row = alt.concat(*panels, columns=columns, spacing=size.text * 2)
        rows.append(row.properties(title=panel_title(dataset, size)) if len(datasets) > 1 else row)
    absent = [f"The first {fit} of {len(datasets)} datasets; each has a figure of its own."] * (fit < len(datasets))
    notes = [*_notes_of_differences(result, metrics), *_left_out(frame, len(methods), datasets=absent)]
    title = f"Differences from {result.baseline}" + (f" on {variant}" if variant else "")
    chart = alt.vconcat(*rows, spacing=size.text * 2.5).properties(title=heading(title, notes, size=size))
    return styled(chart, size)


def _difference_panel(frame: _Frame, dataset: str, metric: ComparedMetric, *, with_names: bool) -> Chart:
    size, names = frame.size, list(frame.names.values())
    rows, lacking = _rows(frame, dataset, metric)
    ends = _ends_of_axis([(row["difference"], row["low"], row["high"]) for row in rows])
    scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    lower = metric.orientation == "lower"
    x = alt.X("difference:Q", title="lower is better" if lower else None, scale=scale, axis=alt.Axis(tickCount=3))
    axis = axis_of_names(names, size, labels=with_names, grid=True)
    place: dict[str, Any] = {"y": alt.Y("method:N", sort=names, scale=alt.Scale(domain=names), title=None, axis=axis)}
    hue, shape = model_looks(frame.models, frame.legend)
    if 1 < len(frame.models) <= MOST_LOOKS:
        place["yOffset"] = alt.YOffset("model:N", scale=alt.Scale(domain=frame.models))
    base = alt.Chart(InlineRows(values=rows))
    zero = alt.Chart(InlineRows(values=[{"difference": 0.0}]))
    layers: list[Any] = [
        zero.mark_rule(color=SOFT, strokeWidth=1).encode(x=x),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(opacity=0.6, strokeWidth=1.3, clip=True)
        .encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=hue, **place),
        base.mark_point(filled=True, opacity=0.9, size=size.text * 4).encode(
            x=x,
            color=hue,
            shape=shape,
            tooltip=[
                "model:N",
                "method:N",
                *(alt.Tooltip(f"{key}:Q", format=".4f") for key in ("difference", "low", "high")),
                "runs:Q",
            ],
            **place,
        ),
    ]
    if lacking:
        dashes = alt.Chart(InlineRows(values=lacking)).mark_text(fontSize=size.text, fontWeight="bold", color=INK)
        layers.append(dashes.encode(x=alt.value(size.text), text="text:N", **place))
    chart: Chart = alt.layer(*layers).properties(
        width=frame.width,
        height=round(frame.step * len(names)),
        description=_described_differences(rows, lacking, metric, dataset),
        title=_panel_title(metric, frame.width, size),
    )
    return chart


def _rows(frame: _Frame, dataset: str, metric: ComparedMetric) -> tuple[list[Row], list[Row]]:
    """The differences of a panel, and a dash for each that is undefined."""
    rows: list[Row] = []
    lacking: list[Row] = []
    for group in _groups_compared(frame.result):
        method = _method(group)
        if group.dataset != dataset or method not in frame.names:
            continue
        runs = group.metrics[metric.name]
        place: Row = {"method": frame.names[method], "model": group.model}
        if runs.difference is None:
            lacking.append({**place, "text": "–"})
        else:
            measured: Row = {"difference": runs.difference, "low": runs.low, "high": runs.high, "runs": runs.runs}
            rows.append({**place, **measured})
    return rows, lacking


def _compared_methods(result: SystemScoresResult) -> list[str]:
    """The methods that are compared with the baseline, the best mean rank first."""
    names = dict.fromkeys(_method(group) for group in _groups_compared(result))
    ranked = [method.name for method in result.ranks if method.name in names]
    return list(dict.fromkeys([*ranked, *names]))


def _notes_of_differences(result: SystemScoresResult, metrics: list[ComparedMetric]) -> list[str]:
    notes = [f"To the right of the line: higher than the mean of the runs of {result.baseline} in the same model."]
    if any(runs.low is not None for group in result.groups for runs in group.metrics.values()):
        notes.append(
            f"Bars: {100 * (result.level or 0):g}% intervals (Welch) over runs, which are seeds of one training set: "
            "they are about seeds, not about texts. Bars that reach far are cut off."
        )
    if result.ranks:
        notes.append("Methods in the order of their mean rank.")
    return [*notes, *_undefined_in_words(result, metrics), *collapse_in_words(result)]


def _described_differences(rows: list[Row], lacking: list[Row], metric: ComparedMetric, dataset: str) -> str:
    sign = 1 if metric.orientation == "lower" else -1
    best = sorted(rows, key=lambda row: sign * float(row["difference"] or 0.0))
    where = f"{metric.title} on {dataset}" if dataset else metric.title
    if not best:
        return f"{where}: nothing defined"
    ends = [
        f"{str(row['method']).replace(BREAK, ' ')} ({row['model']}) {row['difference']:+.3f}".replace("-", "−")
        for row in (best[0], best[-1])
    ]
    undefined = f"; {len(lacking)} undefined" if lacking else ""
    return f"{where}: from {ends[0]} to {ends[1]}{undefined}"


def _ends_of_axis(rows: Sequence[tuple[Value, Value, Value]]) -> tuple[float, float]:
    """The ends of an axis for rows of a difference and both ends of its interval, which may be None: as far as the
    intervals reach, but not so far that differences look alike.

    >>> _ends_of_axis([(0.5, -9.0, 10.0), (1.0, 0.9, 1.1)])
    (-1.15, 2.15)
    """
    middles = [0.0, *(float(middle) for middle, _, _ in rows if middle is not None)]
    span = max(middles) - min(middles)
    low, high = min(middles) - FAR * span, max(middles) + FAR * span
    reached = [min(max(float(end), low), high) for _, *ends in rows for end in ends if end is not None]
    return padded([*middles, *reached])


@figure(
    "Systems by metric",
    variants=lambda result: [metric.name for metric in result.metrics],
    exists=lambda result: not result.datasets,
)
def score_dots(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """One panel per metric (the first six), or one metric alone; methods in the order of the first panel."""
    chosen = [metric for metric in result.metrics if metric.name == variant] or result.metrics[:AT_ONCE]
    methods = _methods_by_mean(result, chosen[0])
    columns = min(ONE[size.name], len(chosen))
    room = min(name_room(methods, size), 0.32 * size.width)
    width = int((size.width - room - 2 * size.padding - 4 - (columns - 1) * size.text * 2) / columns - 4)
    lines = {method: wrapped(method, room, size.text, most=2) for method in methods}
    step = size.text * (1.5 if max(map(len, lines.values()), default=1) < 2 else 2.5)
    rows = -(-len(chosen) // columns)
    models = sorted({group.model for group in result.groups})
    legend = _legend(models, size)
    fit = max(1, int((_height(models, legend, size) - rows * size.text * AROUND) / rows / step))
    drawn = dict(zip(methods[:fit], unique([BREAK.join(lines[method]) for method in methods[:fit]]), strict=True))
    frame = _Frame(result, size, models, drawn, width, step, legend)
    panels = [_dot_panel(frame, metric, with_names=not number % columns) for number, metric in enumerate(chosen)]
    deviations = any(group.runs > 1 for group in result.groups)
    notes = ["Bars: standard deviation over runs."] if deviations else []
    if result.baseline:
        notes.append(f"Vertical lines: the baseline {result.baseline} of each model.")
    notes += _left_out(frame, len(methods), all_metrics=not variant)
    notes += [*_undefined_in_words(result, chosen), *collapse_in_words(result)]
    title = heading(chosen[0].title if variant else "Metrics of the systems", notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 2).properties(title=title), size)


def _dot_panel(frame: _Frame, metric: DescribedMetric, *, with_names: bool) -> Chart:
    size, methods = frame.size, frame.names
    rows: list[Row] = []
    lacking: list[Row] = []
    ends: list[float] = []
    for group in frame.result.groups:
        value = group.metrics[metric.name]
        if _method(group) not in methods:
            continue
        if value.mean is None:
            lacking.append({"method": methods[_method(group)], "model": group.model, "text": "–", "why": value.reason})
            continue
        spread = value.deviation or 0.0
        ends += [value.mean - spread, value.mean + spread]
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
    names = list(methods.values())
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
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
    hue, shape = model_looks(frame.models, frame.legend)
    base = alt.Chart(InlineRows(values=rows))
    dashes = alt.Chart(InlineRows(values=lacking)).mark_text(fontSize=size.text, fontWeight="bold")
    layers: list[Any] = []
    if frame.result.baseline:
        baseline = methods.get(frame.result.baseline)
        layers.append(
            alt.Chart(InlineRows(values=[row for row in rows if row["method"] == baseline]))
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
        width=frame.width,
        height=alt.Step(frame.step),
        description=_described_dots(rows, metric),
        title=_panel_title(metric, frame.width, size),
    )
    return chart


def _described_dots(rows: list[Row], metric: DescribedMetric) -> str:
    best = sorted(rows, key=lambda row: float(row["mean"] or 0.0) * (1 if metric.orientation == "lower" else -1))
    if not best:
        return f"{metric.title}: nothing defined"
    ends = [
        f"{str(row['method']).replace(BREAK, ' ')} ({row['model']}) {row['mean']:.3f}" for row in (best[0], best[-1])
    ]
    return f"{metric.title}: from {ends[0]} to {ends[1]}"


def _methods_by_mean(result: SystemScoresResult, metric: DescribedMetric) -> list[str]:
    """Methods, best first, by the mean over models."""
    values: dict[str, list[float]] = {}
    for group in result.groups:
        mean = group.metrics[metric.name].mean
        values.setdefault(_method(group), []).extend([] if mean is None else [mean])
    sign = 1 if metric.orientation == "lower" else -1
    return sorted(values, key=lambda name: (not values[name], sign * sum(values[name]) / max(1, len(values[name]))))


def _method(group: ScoredMethod) -> str:
    return group.method or group.model


@figure("All metrics at once", exists=lambda result: not result.datasets)
def score_map(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """Colours compare within a column: orange is better and blue worse than the baseline (or the median method)."""
    baseline = result.baseline
    groups = [group for group in result.groups if baseline is None or group.method != baseline] or result.groups
    cells = [
        cell
        for metric in result.metrics
        for cell in _cells_of_column(groups, metric, with_baseline=baseline is not None)
    ]
    compared = f"the method {baseline} of the same model" if baseline else "the median of the column"
    chart, left_out = heat_map(
        cells,
        rows=[system_name(group.model, group.method) for group in groups],
        columns=[metric.title for metric in result.metrics],
        colour=Colour("Worse ← → better", (-1.0, 1.0), scheme="blueorange", middle=0.0),
        size=size,
    )
    title = heading(
        f"Differences from {baseline}" if baseline else "Metrics of the systems",
        [
            f"Colour: better or worse than {compared}, as a share of the largest difference of the column.",
            "Numbers: differences of means over runs." if baseline else "Numbers: means over runs.",
            *collapse_in_words(result),
            *left_out,
        ],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _cells_of_column(groups: list[ScoredMethod], metric: DescribedMetric, *, with_baseline: bool) -> list[Row]:
    values = [group.metrics[metric.name] for group in groups]
    means = [value.mean for value in values if value.mean is not None]
    middle = median(means) if means else 0.0
    shown = [value.difference if with_baseline else value.mean for value in values]
    deltas = [None if value is None else (value if with_baseline else value - middle) for value in shown]
    sign = -1 if metric.orientation == "lower" else 1
    largest = max((abs(value) for value in deltas if value is not None), default=0.0) or 1.0
    return [
        {
            "row": system_name(group.model, group.method),
            "column": metric.title,
            "value": None if delta is None else sign * delta / largest,
            "text": "–" if value is None else _signed(value, signed=with_baseline),
        }
        for group, value, delta in zip(groups, shown, deltas, strict=True)
    ]


def _signed(value: float, *, signed: bool) -> str:
    text = number(round(value, 2) + 0.0)
    return f"+{text}" if signed and round(value, 2) > 0 else text


@figure("Methods by mean rank", exists=lambda result: bool(result.ranks))
def score_ranks(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """The mean rank over all, and by each metric; the best method at the top."""
    cells: list[Row] = []
    for ranked in result.ranks:
        cells.append({"row": ranked.name, "column": ALL, "value": ranked.rank})
        cells += [
            {"row": ranked.name, "column": metric.title, "value": ranked.by_metric[metric.name]}
            for metric in result.metrics
        ]
    chart, left_out = heat_map(
        cells,
        rows=[ranked.name for ranked in result.ranks],
        columns=[ALL, *(metric.title for metric in result.metrics)],
        colour=Colour("Mean rank (1: best)", (1.0, float(len(result.ranks))), format=".1f"),
        size=size,
    )
    notes = [
        f"Mean ranks over {len(result.datasets)} datasets and their models." if result.datasets else "Over the models.",
        "A method whose metric is undefined, or whose prediction is the same for every instance, ranks last.",
    ]
    title = heading("Methods by mean rank", [*notes, *collapse_in_words(result), *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _legend(models: list[str], size: Size) -> alt.Legend | None:
    """The models, if there are several and not too many."""
    if not 1 < len(models) <= MOST_LOOKS:
        return None
    return model_legend(models, size.width * 0.62 - 2 * size.padding, size)


def _height(models: list[str], legend: alt.Legend | None, size: Size) -> float:
    """What is left for panels, under the title and above the legend."""
    lines = -(-len(models) // (legend.columns or 1)) if legend else 0
    above = size.padding * 2 + size.text * 2 if size.is_paper else TOP_OF_PAGE
    return size.height - above - lines * size.text * 1.4


def _panel_title(metric: DescribedMetric, width: int, size: Size) -> alt.TitleParams:
    text = wrapped(metric.title, width, size.text * 1.1 * BOLD)
    return alt.TitleParams(text=text, fontSize=size.text * 1.1, anchor="start", offset=4)


def _left_out(frame: _Frame, methods: int, *, datasets: Sequence[str] = (), all_metrics: bool = True) -> list[str]:
    """What a figure does not show, with a note about datasets."""
    notes = []
    if all_metrics and len(frame.result.metrics) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(frame.result.metrics)} metrics.")
    if len(frame.names) < methods:
        notes.append(f"The first {len(frame.names)} of {methods} methods; the tables have all.")
    notes += datasets
    if len(frame.models) > MOST_LOOKS:
        notes.append(f"The {len(frame.models)} models look the same here; the figure’s data name them.")
    return notes


def _undefined_in_words(result: SystemScoresResult, metrics: Sequence[ComparedMetric]) -> list[str]:
    """The undefined metrics of all methods with their reasons; none if all are defined. They are never drawn as 0."""
    titles: dict[str, dict[str, None]] = {}
    for group in result.groups:
        for metric in metrics:
            runs = group.metrics[metric.name]
            if runs.mean is None:
                titles.setdefault(why(runs.reason), {})[inside(metric.title)] = None
    clauses = [f"{listed(list(names))} ({reason})" for reason, names in titles.items()]
    more = ", and others" if len(clauses) > MOST_REASONS else ""
    return [f"A dash: undefined. {'; '.join(clauses[:MOST_REASONS])}{more}."] if clauses else []
