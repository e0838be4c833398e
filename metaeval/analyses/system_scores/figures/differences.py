"""Differences from the baseline with intervals, per dataset and metric: Kurniawan et al. (2026), Figures 2 to 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.system_scores.collapse import collapse_in_words
from metaeval.analyses.system_scores.figures.spans import clipped
from metaeval.analyses.system_scores.result import ComparedMetric, ScoredMethod, SystemScoresResult
from metaeval.analyses.system_scores.undefined import undefined_in_words
from metaeval.figures.dots import BREAK, TOP_OF_PAGE, axis_of_names, name_room, panel_title, unique
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import BOLD, Size, wrapped
from metaeval.figures.style import INK, LINE, MOST_LOOKS, SOFT, heading, legend_columns, looks, styled

AT_ONCE = 6
"""Metrics in a figure: the six of the task."""
ONE, SEVERAL = {"screen": 3, "two": 3, "one": 2}, {"screen": 6, "two": 6, "one": 2}
"""Panels side by side, for one dataset and for several."""
AROUND, ABOVE = 7.5, 3.0
"""The height of a panel's title and axis, and of a dataset's name, in letters."""


def _compared(result: SystemScoresResult) -> list[ScoredMethod]:
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

    @property
    def are_told_apart(self) -> bool:
        return len(self.models) <= MOST_LOOKS


@figure(
    "Differences from the baseline",
    variants=lambda result: result.datasets,
    exists=lambda result: result.baseline is not None and bool(_compared(result)),
)
def score_differences(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """A row of panels for each dataset (or only one), one per metric; methods in the order of their mean ranks."""
    datasets = [variant] if variant else (result.datasets or [""])
    metrics = result.metrics[:AT_ONCE]
    columns = min((ONE if len(datasets) == 1 else SEVERAL)[size.name], len(metrics))
    methods = _methods(result)
    models = sorted({group.model for group in _compared(result)})
    room = min(name_room(methods, size), 0.32 * size.width)
    lines = {method: wrapped(method, room, size.text, most=2) for method in methods}
    letters = 1.5 if max(map(len, lines.values()), default=1) < 2 else 2.5
    step = size.text * max(letters, 0.6 * len(models) if 1 < len(models) <= MOST_LOOKS else 0)
    legend = _legend(models, size)
    left = _height(models, legend, size)
    per_dataset = -(-len(metrics) // columns)
    around = size.text * (AROUND * per_dataset + ABOVE * (len(datasets) > 1))
    fit = max(1, min(len(datasets), int(left / (around + per_dataset * step * len(methods)))))
    most = max(1, int((left / fit - around) / per_dataset / step))
    drawn = dict(zip(methods[:most], unique([BREAK.join(lines[method]) for method in methods[:most]]), strict=True))
    # Numbers at the ends of an axis reach beyond it.
    across = size.width - room - 2 * size.padding - size.text * 1.8 - (columns - 1) * size.text * 2
    width = int(across / columns - 4)
    frame = _Frame(result, size, models, drawn, width, step, legend)
    rows = []
    for dataset in datasets[:fit]:
        panels = [_panel(frame, dataset, metric, with_names=not at % columns) for at, metric in enumerate(metrics)]
        one = alt.concat(*panels, columns=columns, spacing=size.text * 2)
        rows.append(one.properties(title=panel_title(dataset, size)) if len(datasets) > 1 else one)
    notes = [*_notes(result, metrics), *_left_out(frame, variant, len(methods), len(datasets), fit)]
    title = f"Differences from {result.baseline}" + (f" on {variant}" if variant else "")
    chart = alt.vconcat(*rows, spacing=size.text * 2.5).properties(title=heading(title, notes, size=size))
    return styled(chart, size)


def _panel(frame: _Frame, dataset: str, metric: ComparedMetric, *, with_names: bool) -> Chart:
    size, names = frame.size, list(frame.names.values())
    rows, lacking = _rows(frame, dataset, metric)
    ends = clipped([(row["difference"], row["low"], row["high"]) for row in rows])
    scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    lower = metric.orientation == "lower"
    x = alt.X("difference:Q", title="lower is better" if lower else None, scale=scale, axis=alt.Axis(tickCount=3))
    axis = axis_of_names(names, size, labels=with_names, grid=True)
    place: dict[str, Any] = {"y": alt.Y("method:N", sort=names, scale=alt.Scale(domain=names), title=None, axis=axis)}
    hue: Any = alt.value(LINE)
    shape: Any = alt.value("circle")
    if frame.are_told_apart:
        hues, shapes = looks(len(frame.models))
        hue = alt.Color("model:N", scale=alt.Scale(domain=frame.models, range=hues), legend=frame.legend)
        shape = alt.Shape("model:N", scale=alt.Scale(domain=frame.models, range=shapes), legend=frame.legend)
        if len(frame.models) > 1:
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
        description=_told(rows, lacking, metric, dataset),
        title=alt.TitleParams(
            text=wrapped(metric.title, frame.width, size.text * 1.1 * BOLD),
            fontSize=size.text * 1.1,
            anchor="start",
            offset=4,
        ),
    )
    return chart


def _rows(frame: _Frame, dataset: str, metric: ComparedMetric) -> tuple[list[Row], list[Row]]:
    """The differences of a panel, and a dash for each that is undefined."""
    rows: list[Row] = []
    lacking: list[Row] = []
    for group in _compared(frame.result):
        method = group.method or group.model
        if group.dataset != dataset or method not in frame.names:
            continue
        found = group.metrics[metric.name]
        named: Row = {"method": frame.names[method], "model": group.model}
        if found.difference is None:
            lacking.append({**named, "text": "–"})
        else:
            measured: Row = {"difference": found.difference, "low": found.low, "high": found.high, "runs": found.runs}
            rows.append({**named, **measured})
    return rows, lacking


def _methods(result: SystemScoresResult) -> list[str]:
    """The methods that are compared with the baseline, the best mean rank first."""
    names = dict.fromkeys(group.method or group.model for group in _compared(result))
    ranked = [one.name for one in result.ranks if one.name in names]
    return list(dict.fromkeys([*ranked, *names]))


def _legend(models: list[str], size: Size) -> alt.Legend | None:
    """The models, if there are several and not too many."""
    if not 1 < len(models) <= MOST_LOOKS:
        return None
    room = size.width * 0.62 - 2 * size.padding
    columns = legend_columns(models, room, size)
    return alt.Legend(title=None, columns=columns, labelLimit=int(room / columns - size.text * 2), symbolOpacity=1)


def _height(models: list[str], legend: alt.Legend | None, size: Size) -> float:
    """What is left for panels, under the title and above the legend."""
    lines = -(-len(models) // (legend.columns or 1)) if legend else 0
    above = size.padding * 2 + size.text * 2 if size.is_paper else TOP_OF_PAGE
    return size.height - above - lines * size.text * 1.4


def _notes(result: SystemScoresResult, metrics: list[ComparedMetric]) -> list[str]:
    notes = [f"To the right of the line: higher than the mean of the runs of {result.baseline} in the same model."]
    if any(one.low is not None for group in result.groups for one in group.metrics.values()):
        notes.append(
            f"Bars: {100 * (result.level or 0):g}% intervals (Welch) over runs, which are seeds of one training set: "
            "they are about seeds, not about texts. Bars that reach far are cut off."
        )
    if result.ranks:
        notes.append("Methods in the order of their mean rank.")
    return [*notes, *undefined_in_words(result, metrics), *collapse_in_words(result)]


def _left_out(frame: _Frame, variant: str, methods: int, datasets: int, fit: int) -> list[str]:
    notes = []
    if len(frame.result.metrics) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(frame.result.metrics)} metrics.")
    if len(frame.names) < methods:
        notes.append(f"The first {len(frame.names)} of {methods} methods; the tables have all.")
    if fit < datasets and not variant:
        notes.append(f"The first {fit} of {datasets} datasets; each has a figure of its own.")
    if not frame.are_told_apart:
        notes.append(f"The {len(frame.models)} models look the same here; the figure’s data name them.")
    return notes


def _told(rows: list[Row], lacking: list[Row], metric: ComparedMetric, dataset: str) -> str:
    """What a panel shows, in words."""
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
