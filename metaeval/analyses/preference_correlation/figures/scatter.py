"""Metric value against preference fraction, one point per system: Figure 7 of Kurniawan et al. (2026)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt
from altair.typing import ChartType as Chart

from annotations.ground.system_names import SEPARATOR
from metaeval.analyses.base.result import COEFFICIENT_SYMBOLS, COEFFICIENT_TITLES
from metaeval.analyses.base.table import Row
from metaeval.analyses.preference_correlation.parameters import ValuesOf
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    JudgedSystem,
    LeastSquaresLine,
    PreferenceCorrelationResult,
)
from metaeval.figures.labels import place_labels
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import BOLD, Size, text_width, wrapped
from metaeval.figures.style import (
    INK,
    LINE,
    MOST_LOOKS,
    SOFT,
    heading,
    model_legend,
    model_looks,
    number,
    p_value,
    styled,
)
from metaeval.stats.intervals import wilson_interval

ABOUT_LINES = (
    "Blue line: least squares, with the 95% confidence band of its mean, as published: it treats systems "
    "as independent. Vertical lines: 95% intervals of the preference fractions (Wilson), which treat "
    "responses as independent."
)
FRACTION = "Chosen by experts"
MOST_NAMED = 60
"""With more systems than this, none is named in the chart."""
TESTS = "In brackets: the 95% interval of the correlation; p: with Holm’s correction over the metrics."
FLAT = 0.72
"""The height of a panel, in widths."""
COLUMNS = {"screen": 3, "two": 3, "one": 2}
SPACING = 1.8


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
        up = _padded([*ends, *(value for line in lines for value in line.y)])
        values = [value for point in points for value in (point.value, point.other) if value is not None]
        return cls(
            metric=metric,
            title=next(entry.title for entry in result.metrics if entry.name == metric),
            points=points,
            others=any(point.other is not None for point in points),
            values=result.values,
            line=result.lines[metric],
            models=_models(result.systems),
            x=_padded(values),
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


@figure("Each metric and the experts’ preference", variants=lambda result: [metric.name for metric in result.metrics])
def scatter(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """The overview of all metrics, or one metric with the systems' names."""
    return _of_metric(result, variant, size) if variant else _overview(result, size)


def _of_metric(result: PreferenceCorrelationResult, metric: str, size: Size) -> Chart:
    width = int(size.width - 2 * size.padding - _axis_room(size))
    panel = ScatterPanel.of(result, [metric], metric, (width, int(min(width * FLAT, 460))), is_large=True)
    leaders, names, unnamed = _label_layers(panel, size)
    notes = [*_tests(result, metric), *_left_out(result, metric), *_notes(panel), ABOUT_LINES]
    if unnamed:
        notes.append(f"{unnamed} systems are not named here for lack of space; the figure’s data name all of them.")
    title = heading(f"{panel.title} and the experts’ preference", notes, size=size)
    layers = [*_line_layers(panel), leaders, *_beside_layers(panel, size), _point_layer(panel, size), *names]
    chart = alt.layer(*layers).properties(
        width=panel.size[0],
        height=panel.size[1],
        title=title,
        description=_description(panel, _summary(result, metric)),
    )
    return styled(chart, size)


def _overview(result: PreferenceCorrelationResult, size: Size) -> Chart:
    columns = min(COLUMNS[size.name], len(result.metrics))
    room = size.width - 2 * size.padding - _axis_room(size) - (columns - 1) * size.text * SPACING
    width = int(min(room / columns, size.height * 0.4))
    height = int(width * FLAT)
    every = [metric.name for metric in result.metrics]
    above = 0 if size.is_paper else 190
    rows = max(1, int((size.height - above - 40) / (height + size.text * 7.5)))
    shown = every[: rows * columns]
    panels = [ScatterPanel.of(result, shown, metric, (width, height), is_large=False) for metric in shown]
    notes = [f"One point per system. {TESTS}", *_notes(panels[0]), ABOUT_LINES]
    if len(shown) < len(every):
        notes.append(f"The first {len(shown)} of {len(every)} metrics; each has a figure of its own.")
    charts = [
        _small(panel, _summary(result, panel.metric), size, is_left=not place % columns)
        for place, panel in enumerate(panels)
    ]
    grid = alt.concat(*charts, columns=columns, spacing={"row": size.text * SPACING, "column": size.text * SPACING})
    return styled(grid.properties(title=heading("Each metric and the experts’ preference", notes, size=size)), size)


def _axis_room(size: Size) -> float:
    """The room for the numbers and the title of the preference fractions' axis."""
    return text_width("100%", size.text) + size.text * 1.09 * 1.3 + 22


def _notes(panel: ScatterPanel) -> list[str]:
    """What the second points are, and why models look alike if they do."""
    notes = []
    if panel.others:
        filled, hollow = ("exact predictions", "what experts were shown")
        if panel.values == "shown":
            filled, hollow = hollow, filled
        notes.append(f"Filled: the metric on the {filled}; hollow, joined by a line: on {hollow}.")
    if len(panel.models) > MOST_LOOKS:
        notes.append(f"The {len(panel.models)} models look the same here; the figure’s data name them.")
    return notes


def _small(panel: ScatterPanel, words: list[str], size: Size, *, is_left: bool) -> Chart:
    layers = [*_line_layers(panel), *_beside_layers(panel, size), _point_layer(panel, size)]
    lines = [part for line in words for part in wrapped(line, panel.size[0] + size.text, size.text)]
    chart: Chart = alt.layer(*layers).properties(
        width=panel.size[0],
        height=panel.size[1],
        description=_description(panel, words),
        title=alt.TitleParams(
            text=wrapped(panel.title, panel.size[0], size.text * 1.1 * BOLD),
            subtitle=lines,
            fontSize=size.text * 1.1,
            subtitleFontSize=size.text,
            subtitleLineHeight=size.text * 1.25,
            subtitleColor=SOFT,
            anchor="start",
            frame="group",
            offset=4,
        ),
    )
    y = alt.Y(
        "fraction:Q",
        title=FRACTION if is_left else None,
        axis=alt.Axis(format="%", labels=is_left, ticks=is_left, domain=is_left),
        scale=alt.Scale(domain=list(panel.y), nice=False, zero=False),
    )
    for layer in chart.layer:
        if layer.encoding.y is not alt.Undefined and layer.encoding.y2 is alt.Undefined:
            layer.encoding.y = y
        layer.encoding.x.title = None
    return chart


def _description(panel: ScatterPanel, words: list[str]) -> str:
    return f"{panel.title}: {len(panel.points)} systems; {', '.join(words)}"


def _tests(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """One line per coefficient."""
    rows = [row for row in result.correlations if row.metric == metric]
    lines = [_line(row) for row in rows]
    return [*lines, f"One point per system ({rows[0].n})"] if rows else []


def _line(row: CorrelationOfMetric) -> str:
    title = COEFFICIENT_TITLES[row.coefficient]
    if row.value is None:
        return f"{title} undefined: {row.reason}"
    corrected = "" if row.p_holm is None else f" ({p_value(row.p_holm)} with Holm’s correction over the metrics)"
    return f"{title}{_which(row)} = {number(row.value)}{_bounds(row)}, {p_value(row.p_value)}{corrected}{_overall(row)}"


def _left_out(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """Which systems are not in the chart, and why; the first three by name."""
    missing = [
        f"{entry.system} ({entry.reason})"
        for entry in result.exclusions
        if entry.what == "system" and entry.metric in {None, metric}
    ]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return [f"Left out: {'; '.join(missing[:3])}{more}"] if missing else []


def _summary(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """Lines under a small panel's title: its first coefficient with its interval, and the corrected p."""
    row = next(row for row in result.correlations if row.metric == metric)
    if row.value is None:
        return ["undefined"]
    missing = f", {len(row.excluded)} left out" if row.excluded else ""
    return [
        f"{COEFFICIENT_SYMBOLS[row.coefficient]}{_which(row)} {number(row.value)}{_bounds(row)}",
        f"{p_value(row.p_holm)}, n = {row.n}{missing}".replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"),
    ]


def _which(row: CorrelationOfMetric) -> str:
    """Which correlation the value is, if not the overall one."""
    return "" if row.statistic == "overall" else f" {row.statistic}"


def _overall(row: CorrelationOfMetric) -> str:
    """The overall correlation, which is then not tested."""
    return "" if row.statistic == "overall" else f"; overall {number(row.overall)}, not tested"


def _bounds(row: CorrelationOfMetric) -> str:
    """The interval of this value in brackets, if there is one."""
    interval = row.interval
    if interval is None or interval.statistic != row.statistic or interval.low is None or interval.high is None:
        return ""
    return f" [{number(interval.low)}, {number(interval.high)}]"


def _label_layers(panel: ScatterPanel, size: Size) -> tuple[alt.Chart, list[alt.Chart], int]:
    """Thin lines, below the points, to names that had to be moved; the names, above the points; and how many systems
    have no name because it would cover something."""
    rows = _placed(panel, size) if len(panel.points) <= MOST_NAMED else []
    leaders = panel.placed(
        alt.Chart(InlineRows(values=[row for row in rows if row["led"]])).mark_rule(
            color=SOFT, opacity=0.45, strokeWidth=0.7
        )
    ).encode(x2="from_value:Q", y2="from_fraction:Q")
    names = [
        panel.placed(
            alt.Chart(InlineRows(values=[row for row in rows if row["align"] == align])).mark_text(
                align=align, baseline="middle", fontSize=size.letters(0.92), color=INK
            )
        ).encode(text="text:N")
        for align in ("left", "center", "right")
    ]
    return leaders, names, len(panel.points) - len(rows)


def _placed(panel: ScatterPanel, size: Size) -> list[Row]:
    """Where each name goes, in values of the axes."""
    line = panel.line
    placed = place_labels(
        [panel.pixel(point.value, point.fraction) for point in panel.points],
        [point.label for point in panel.points],
        width=panel.size[0],
        height=panel.size[1],
        scale=size.letters(0.92) / 10,
        avoid=[
            *_along([panel.pixel(x, y) for x, y in zip(line.x, line.y, strict=True)]),
            *(panel.pixel(other, point.fraction) for point in panel.points if (other := point.other) is not None),
        ],
    )
    rows: list[Row] = []
    for point, place in zip(panel.points, placed, strict=True):
        if not place.free:
            continue
        x, y = panel.value(place.x, place.y)
        rows.append(
            {
                "value": x,
                "fraction": y,
                "text": point.label,
                "align": place.align,
                "led": place.led,
                "from_value": point.value,
                "from_fraction": point.fraction,
            }
        )
    return rows


def _along(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places along a straight line, every four pixels."""
    if not line:
        return []
    (x0, y0), (x1, y1) = line[0], line[-1]
    steps = max(1, int((x1 - x0) / 4))
    return [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps + 1)]


def _line_layers(panel: ScatterPanel) -> list[alt.Chart]:
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


def _beside_layers(panel: ScatterPanel, size: Size) -> list[alt.Chart]:
    """The intervals of the fractions, and the hollow points of the other kind of values with their lines."""
    rows = [asdict(point) for point in panel.points]
    legend = _legend(panel.models, size)
    hue, _ = model_looks(panel.models, legend)
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


def _point_layer(panel: ScatterPanel, size: Size) -> alt.Chart:
    """The points; if there are several models, in their colours and shapes."""
    hue, shape = model_looks(panel.models, _legend(panel.models, size))
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
    return model_legend(models, size.width - 2 * size.padding - 60, size)


def _points(result: PreferenceCorrelationResult, metric: str) -> list[ScatterPoint]:
    labels = _labels(result.systems)
    others = next(
        (
            other.metrics
            for other in result.others
            if other.values != result.values and other.instances == result.instances
        ),
        {},
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
