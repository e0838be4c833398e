"""Metric value against preference fraction, a point a system: Figure 7 of Kurniawan et al. (2025)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.words import SYMBOLS
from metaeval.figures.labels import place_labels
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import HUES, INK, LINE, SHAPES, SOFT, SUBTITLE, heading, number, p_value, styled, wrapped

LARGE = {"screen": (620, 440), "two": (440, 300), "one": (192, 170)}
SMALL = {"screen": (198, 156), "two": (112, 90), "one": (67, 58)}
COLUMNS = {"screen": 3, "two": 3, "one": 2}
FRACTION = "Chosen by experts"


@dataclass(frozen=True)
class Panel:
    """The points of one metric, and the rectangle of values that is drawn."""

    metric: str
    title: str
    points: list[dict[str, Any]]
    x: tuple[float, float]
    y: tuple[float, float]
    size: tuple[int, int]
    is_large: bool

    def pixel(self, value: float, fraction: float) -> tuple[float, float]:
        (x0, x1), (y0, y1), (width, height) = self.x, self.y, self.size
        return (value - x0) / (x1 - x0) * width, (y1 - fraction) / (y1 - y0) * height

    def value(self, x: float, y: float) -> tuple[float, float]:
        """The values at a pixel."""
        (x0, x1), (y0, y1), (width, height) = self.x, self.y, self.size
        return x0 + x / width * (x1 - x0), y1 - y / height * (y1 - y0)


@figure(variants=lambda result: [metric["name"] for metric in result["metrics"]])
def scatter(result: Result, variant: str, size: Size) -> Chart:
    """The overview of all metrics, or one metric with the systems' names."""
    if variant:
        panel = _panel(result, variant, LARGE[size.name], is_large=True)
        title = heading(
            f"{panel.title} and the experts’ preference",
            [*_tests(result, variant), *_left_out(result, variant)],
            is_simulated=result["is_simulated"],
            size=size,
        )
        layers = [*_line(result, panel), *_named_points(result, panel, size)]
        return styled(alt.layer(*layers).properties(width=panel.size[0], height=panel.size[1], title=title), size)
    panels = [_panel(result, metric["name"], SMALL[size.name], is_large=False) for metric in result["metrics"]]
    charts = [
        alt.layer(*_line(result, panel), _points(result, panel)).properties(
            width=panel.size[0],
            height=panel.size[1],
            title=alt.TitleParams(
                text=panel.title,
                subtitle=wrapped(_summary(result, panel.metric), panel.size[0] + 30, size.text * SUBTITLE),
                fontSize=size.text * 1.18,
                subtitleColor=SOFT,
                anchor="start",
            ),
        )
        for panel in panels
    ]
    title = heading(
        "Each metric and the experts’ preference",
        ["One point a system. Line: least squares, with the 95 % confidence band of its mean."],
        is_simulated=result["is_simulated"],
        size=size,
    )
    spacing = 28 if size.name == "screen" else 12
    return styled(alt.concat(*charts, columns=COLUMNS[size.name], spacing=spacing).properties(title=title), size)


def _panel(result: Result, metric: str, size: tuple[int, int], *, is_large: bool) -> Panel:
    names = _names(result)
    points = [
        {
            "system": system["system"],
            "label": names[system["system"]],
            "model": system["model"],
            "value": system["metrics"][metric]["value"],
            "fraction": system["fraction"],
            "responses": system["responses"],
        }
        for system in result["systems"]
        if system["fraction"] is not None and system["metrics"][metric]["value"] is not None
    ]
    line = result["lines"][metric]
    title = next(entry["title"] for entry in result["metrics"] if entry["name"] == metric)
    across = _padded([point["value"] for point in points])
    up = _padded([point["fraction"] for point in points] + list(line["lower"]) + list(line["upper"]))
    return Panel(metric, title, points, across, (max(up[0], -0.05), min(up[1], 1.05)), size, is_large)


def _axes(panel: Panel) -> dict[str, Any]:
    return {
        "x": alt.X("value:Q", title=panel.title, scale=alt.Scale(domain=list(panel.x), nice=False, zero=False)),
        "y": alt.Y(
            "fraction:Q",
            title=FRACTION,
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=list(panel.y), nice=False, zero=False),
        ),
    }


def _line(result: Result, panel: Panel) -> list[alt.Chart]:
    """The regression line and its band; nothing where there is none."""
    line = result["lines"][panel.metric]
    if line["reason"]:
        return []
    rows = [
        {"value": x, "fraction": y, "lower": low, "upper": high}
        for x, y, low, high in zip(line["x"], line["y"], line["lower"], line["upper"], strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(**_axes(panel))
    return [
        base.mark_area(color=LINE, opacity=0.13, clip=True).encode(y=alt.Y("lower:Q"), y2="upper:Q"),
        base.mark_line(color=LINE, strokeWidth=1.6, clip=True),
    ]


def _points(result: Result, panel: Panel) -> alt.Chart:
    models = _models(result)
    hues = [HUES[i % len(HUES)] for i in range(len(models))]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(models))]
    legend = alt.Legend(title="Model") if len(models) > 1 else None
    points: alt.Chart = (
        alt.Chart(alt.InlineData(values=panel.points))
        .mark_point(filled=True, opacity=0.9, size=46 if panel.is_large else 26)
        .encode(
            **_axes(panel),
            color=alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend),
            shape=alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend),
            tooltip=[
                alt.Tooltip("system:N", title="System"),
                alt.Tooltip("value:Q", title=panel.title, format=".4f"),
                alt.Tooltip("fraction:Q", title=FRACTION, format=".1%"),
                alt.Tooltip("responses:Q", title="Responses"),
            ],
        )
    )
    return points


def _named_points(result: Result, panel: Panel, size: Size) -> list[alt.Chart]:
    """Points, their names, and a thin line where a name had to move away."""
    texts = [point["label"] for point in panel.points]
    pixels = [panel.pixel(point["value"], point["fraction"]) for point in panel.points]
    line = result["lines"][panel.metric]
    placed = place_labels(
        pixels,
        texts,
        width=panel.size[0],
        height=panel.size[1],
        scale=size.text / 11,
        avoid=_along([panel.pixel(x, y) for x, y in zip(line["x"], line["y"], strict=True)]),
    )
    rows = []
    for point, text, place in zip(panel.points, texts, placed, strict=True):
        x, y = panel.value(place.x, place.y)
        rows.append(
            {
                "value": x,
                "fraction": y,
                "text": text,
                "align": place.align,
                "led": place.led,
                "from_value": point["value"],
                "from_fraction": point["fraction"],
            }
        )
    leaders = (
        alt.Chart(alt.InlineData(values=[row for row in rows if row["led"]]))
        .mark_rule(color=SOFT, opacity=0.45, strokeWidth=0.7)
        .encode(**_axes(panel), x2="from_value:Q", y2="from_fraction:Q")
    )
    names = [
        alt.Chart(alt.InlineData(values=[row for row in rows if row["align"] == align]))
        .mark_text(align=align, baseline="middle", fontSize=size.text / 1.1, color=INK)
        .encode(**_axes(panel), text="text:N")
        for align in ("left", "center", "right")
    ]
    return [leaders, _points(result, panel), *names]


def _along(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places along a straight line, every four pixels."""
    if not line:
        return []
    (x0, y0), (x1, y1) = line[0], line[-1]
    steps = max(1, int((x1 - x0) / 4))
    return [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps + 1)]


def _models(result: Result) -> list[str]:
    return sorted({system["model"] for system in result["systems"]})


def _names(result: Result) -> dict[str, str]:
    """The names beside the points: without the model where colour and shape say it, without the run where all systems
    have one run, as long as that leaves a name."""
    systems, models = result["systems"], _models(result)
    parts = ["model", "method", "run"]
    if 1 < len(models) <= len(HUES):
        parts.remove("model")
    if len({system["run"] for system in systems}) == 1:
        parts.remove("run")
    short = {system["system"]: " / ".join(system[part] for part in parts if system[part]) for system in systems}
    return {system: name or system for system, name in short.items()}


def _tests(result: Result, metric: str) -> list[str]:
    """A line a coefficient."""
    rows = [row for row in result["correlations"] if row["metric"] == metric]
    words = [
        f"{SYMBOLS[row['coefficient']]} = {number(row['value'])}{_bounds(row)}, {p_value(row['p_value'])}"
        if row["value"] is not None
        else f"{SYMBOLS[row['coefficient']]} undefined: {row['reason']}"
        for row in rows
    ]
    return [*words[:-1], f"{words[-1]} ({rows[0]['n']} systems)"] if rows else []


def _bounds(row: dict[str, Any]) -> str:
    """The bootstrap interval in brackets, where there is one."""
    interval = row.get("interval")  # results of version 1 have none
    if not interval or interval["low"] is None:
        return ""
    return f" [{number(interval['low'])}, {number(interval['high'])}]"


def _summary(result: Result, metric: str) -> str:
    """One line under a small panel's title: its first coefficient."""
    row = next(row for row in result["correlations"] if row["metric"] == metric)
    if row["value"] is None:
        return "undefined"
    symbol = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}[row["coefficient"]]
    missing = f", {len(row['excluded'])} left out" if row["excluded"] else ""
    parts = f"{symbol} = {number(row['value'])}, {p_value(row['p_value'])}, n = {row['n']}{missing}"
    return parts.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # lines break between the parts


def _left_out(result: Result, metric: str) -> list[str]:
    """Which systems are not in the chart, and why; the first three by name."""
    missing = [
        f"{entry['system']} ({entry['reason']})"
        for entry in result["exclusions"]
        if entry["what"] == "system" and entry["metric"] in {None, metric}
    ]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return [f"Left out: {'; '.join(missing[:3])}{more}"] if missing else []


def _padded(values: list[float]) -> tuple[float, float]:
    """The range of the values with some air; around a single value, a little."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.07 * (high - low) or 0.05
    return low - air, high + air
