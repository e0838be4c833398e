"""How the errors of instances spread: Baan et al. (2022), Figures 3 and 4, beside a sub-sample of people."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.figures.words import chosen, others, variants
from metaeval.analyses.human_calibration.result import (
    CalibratedEntry,
    CalibrationMeasure,
    ErrorKind,
    ErrorShares,
    HumanCalibrationResult,
)
from metaeval.figures.registry import Size, figure
from metaeval.figures.style import HUES, LINE, PADDING, SOFT, heading, number, styled, wrapped

AT_ONCE = 4
TITLES: dict[ErrorKind, str] = {"distribution": "DistCE", "entropy": "EntCE"}
PEOPLE = HUES[1]


@figure(variants=variants)
def calibration_errors(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """A row a system: distances of its distributions from people's, and differences of the entropies."""
    entries = chosen(result, variant, AT_ONCE)
    reference = next((entry for entry in result.entries if entry.name == result.reference), None)
    shown = [*entries, *([] if reference is None else [reference])]
    highest = {name: max(max(_spread(entry, name).shares) for entry in shown) for name in TITLES}
    width = int((size.width - 2 * PADDING - 2 * size.text * 4.6) / 2 - 14)
    rows = [
        alt.hconcat(
            *(_panel(entry, reference, name, size, width=width, highest=highest[name]) for name in TITLES),
            spacing=size.text * 1.6,
        ).properties(
            title=alt.TitleParams(
                text=wrapped(entry.name, size.width - 3 * PADDING, size.text * 1.25),
                fontSize=size.text * 1.1,
                anchor="start",
                offset=3,
            )
        )
        for entry in entries
    ]
    notes = ["Shares of the instances; EntCE in nats, negative: surer than people."]
    if reference:
        drawn = result.parameters["sample_size"]
        notes.append(f"Line: {reference.name}, {drawn} of the votes of every instance against all of them.")
    notes += others(result, variant, AT_ONCE)
    title = heading("How errors of instances spread", notes, is_simulated=result.is_simulated, size=size)
    return styled(alt.vconcat(*rows, spacing=size.text * 1.8).properties(title=title), size)


def _panel(
    entry: CalibratedEntry,
    reference: CalibratedEntry | None,
    name: ErrorKind,
    size: Size,
    *,
    width: int,
    highest: float,
) -> Chart:
    bars = _bins(_spread(entry, name))
    low, high = bars[0]["low"], bars[-1]["high"]
    x_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    y_scale = alt.Scale(domain=[0, highest * 1.08 or 1], nice=False)
    measure: CalibrationMeasure = "distribution" if name == "distribution" else "entropy_signed"
    title = f"{TITLES[name]}, mean {number(entry.measures[measure])}"
    x = alt.X("low:Q", title=title, scale=x_scale, axis=alt.Axis(tickCount=4))
    y = alt.Y("share:Q", title=None, scale=y_scale, axis=alt.Axis(format="%", tickCount=3))
    layers: list[alt.Chart] = [
        alt.Chart(alt.InlineData(values=bars))
        .mark_rect(color=LINE, opacity=0.75, stroke="white", strokeWidth=0.4)
        .encode(
            x=x,
            x2="high:Q",
            y=y,
            y2="zero:Q",
            tooltip=[alt.Tooltip(f"{key}:Q", format=".3f") for key in ("low", "high", "share")],
        )
    ]
    if name == "entropy":
        zero = alt.Chart(alt.InlineData(values=[{"at": 0.0}])).mark_rule(strokeDash=[3, 3], color=SOFT)
        layers.append(zero.encode(x=alt.X("at:Q", scale=x_scale)))
    if reference is not None:
        line = _outline(_spread(reference, name))
        layers.append(
            alt.Chart(alt.InlineData(values=line))
            .mark_line(interpolate="step-after", color=PEOPLE, strokeWidth=max(1.1, size.text * 0.14), clip=True)
            .encode(x=x, y=y)
        )
    chart: Chart = alt.layer(*layers).properties(width=width, height=max(42, width * 0.32))
    return chart


def _spread(entry: CalibratedEntry, name: ErrorKind) -> ErrorShares:
    """Of something that could be measured: `drawable` picks these."""
    if entry.histograms is None:
        raise ValueError(f"{entry.name} has no errors to draw")
    return entry.histograms[name]


def _bins(histogram: ErrorShares) -> list[dict[str, float]]:
    edges, shares = histogram.edges, histogram.shares
    return [
        {"low": low, "high": high, "share": share, "zero": 0.0}
        for low, high, share in zip(edges, edges[1:], shares, strict=False)
    ]


def _outline(histogram: ErrorShares) -> list[dict[str, float]]:
    edges, shares = histogram.edges, histogram.shares
    return [{"low": edge, "share": share} for edge, share in zip(edges, [*shares, shares[-1]], strict=True)]
