"""Reliability diagrams: how often the most probable label is people's majority, against its probability."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.figures.words import chosen, others, variants
from metaeval.analyses.human_calibration.result import CalibratedEntry, HumanCalibrationResult
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, wrapped
from metaeval.figures.style import LINE, SOFT, heading, number, styled

AT_ONCE = 6
COLUMNS = {"screen": 3, "two": 3, "one": 2}


@figure("How often the most probable label is people’s majority label", variants=variants)
def calibration_reliability(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """One panel per system and one point per bin, larger for more instances; on the dashed line, calibration is
    perfect."""
    entries = chosen(result, variant, AT_ONCE)
    columns = min(COLUMNS[size.name], len(entries))
    width = int((size.width - 2 * size.padding - columns * size.text * 4.8) / columns - 14)
    width = min(width, 300)
    panels = [
        _panel(entry, size, width=width, first=not place % columns, last=place + columns >= len(entries))
        for place, entry in enumerate(entries)
    ]
    notes = [
        "Points: bins of the most probable label’s probability, larger for more instances. Below the "
        "dashed line: overconfident.",
        *others(result, variant, AT_ONCE),
    ]
    title = heading("How often the most probable label is people’s majority label", notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 1.8).properties(title=title), size)


def _panel(entry: CalibratedEntry, size: Size, *, width: int, first: bool, last: bool) -> Chart:
    total = max(1, entry.instances)
    points = [
        {
            **bin_.plain(),
            "share": bin_.instances / total,
            "area": size.text * (2 + 60 * bin_.instances / total),
        }
        for bin_ in entry.reliability
        if bin_.instances
    ]
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=3)
    x = alt.X("confidence:Q", title="Mean probability" if last else None, scale=scale, axis=axis)
    y = alt.Y("accuracy:Q", title="Majority hit" if first else None, scale=scale, axis=axis)
    base = alt.Chart(InlineRows(values=points))
    ends = [{"confidence": 0.0, "accuracy": 0.0}, {"confidence": 1.0, "accuracy": 1.0}]
    layers: list[alt.Chart] = [
        alt.Chart(InlineRows(values=ends)).mark_line(color=SOFT, strokeDash=[4, 3]).encode(x=x, y=y),
        base.mark_line(color=LINE, strokeWidth=1, opacity=0.6).encode(x=x, y=y),
        base.mark_point(filled=True, color=LINE, opacity=0.9).encode(
            x=x,
            y=y,
            size=alt.Size("area:Q", scale=None, legend=None),
            tooltip=[
                alt.Tooltip("low:Q", title="above", format=".2f"),
                alt.Tooltip("high:Q", title="up to", format=".2f"),
                "instances:Q",
                alt.Tooltip("confidence:Q", format=".3f"),
                alt.Tooltip("accuracy:Q", format=".3f"),
            ],
        ),
    ]
    return alt.layer(*layers).properties(
        width=width,
        height=width,
        description=f"{entry.name}: expected calibration error {number(entry.measures['ece'])}",
        title=alt.TitleParams(
            text=wrapped(entry.name, width, size.text * 1.15),
            subtitle=f"ECE {number(entry.measures['ece'])}",
            fontSize=size.text * 1.05,
            subtitleFontSize=size.text,
            subtitleColor=SOFT,
            anchor="start",
            offset=4,
        ),
    )
