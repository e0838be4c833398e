"""The distribution of a machine's numbers for every label that people gave: Elangovan et al. (2025), Figure 6."""

from __future__ import annotations

import json
from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.uncertainty.figures.words import chosen, others, partition, typical
from metaeval.analyses.uncertainty.result import ContinuousStratum, UncertaintyResult, ValuesOfLabel
from metaeval.figures.dots import BREAK, TOP_OF_PAGE, padded
from metaeval.figures.registry import figure, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import LINE, SOFT, heading, number, styled

MOST_COLUMNS = 3
MOST_LABELS = 12
"""With more labels than this, only those that are the majority (or median) of some item are drawn."""
SHORTEST = 8
"""Longer words are broken (`wrapped`)."""
QUANTILES = ("p05", "p25", "p50", "p75", "p95")
SPLIT = "split({names}[datum.value], '\\n')"


def _machines(result: UncertaintyResult) -> list[str]:
    return list(dict.fromkeys(row.machine for row in result.continuous))


@figure(
    "A machine’s values, by how far people agree",
    variants=lambda result: variants_of(_machines(result)),
    exists=lambda result: bool(result.continuous),
)
def uncertainty_values(result: UncertaintyResult, variant: str, size: Size) -> Chart:
    """For one machine, one panel per non-empty partition: people's label on x, the machine's value on y."""
    machines = _machines(result)
    (machine,) = chosen(machines, variant, 1)
    rows = [row for row in result.continuous if row.machine == machine and row.items]
    labels = _labels(rows)
    needed = size.text * (0.56 * _longest(rows, labels) + 0.8)
    ends = padded([value for row in rows for one in row.spread for value in (one.p05, one.p95) if value is not None])
    beside = text_width("−0.00", size.text) + 8
    columns, width = _grid(len(rows), len(labels) * needed, size, beside)
    most = max(1, int((size.height - (4 * size.text if size.is_paper else TOP_OF_PAGE)) / (size.text * 19))) * columns
    is_signed = result.scale == "nominal" and ends[0] < 0 < ends[1]
    panels = [
        _panel(row, labels, needed, size, width=width, ends=ends, is_first=not place % columns, is_signed=is_signed)
        for place, row in enumerate(rows[:most])
    ]
    notes = [
        f"Across: people’s {typical(result.scale)}, and how many {result.items} have it. Up: "
        f"{_value(result)}. Line: 5 to 95% of the values, bar: 25 to 75%, tick: median. ρ: Spearman’s, "
        f"with its {100 * result.parameters['level']:g}% interval.",
        *others(machines, variant, 1),
    ]
    if most < len(rows):
        notes.append(f"The first {most} of {len(rows)} groups of items; the tables have all.")
    title = heading(f"Values of {machine}, by how far people agree", notes, size=size)
    grid = alt.concat(*panels, columns=columns, spacing=size.text * 1.4)
    return styled(grid.properties(title=title), size)


def _value(result: UncertaintyResult) -> str:
    """What the machine's value is."""
    if result.scale == "ordinal":
        return "the machine’s expected value"
    first, second, *_ = result.labels
    return f"by how much “{first}” is closer than “{second}”"


def _labels(rows: Sequence[ContinuousStratum]) -> list[str]:
    """The labels across, in order."""
    given = {one.label for row in rows for one in row.spread if one.items}
    every = [one.label for one in rows[0].spread]
    return every if len(every) <= MOST_LABELS else [label for label in every if label in given]


def _longest(rows: Sequence[ContinuousStratum], labels: Sequence[str]) -> int:
    """The number of letters of the longest line under a label."""
    counts = [f"{one.items:,}" for row in rows for one in row.spread]
    return max(len(part) for part in (*counts, *(label[:SHORTEST] for label in labels)))


def _grid(panels: int, needed: float, size: Size, beside: float) -> tuple[int, int]:
    """How many panels are in a row, and how wide each is; all labels together need `needed`."""
    inside = size.width - 2 * size.padding
    columns = min(MOST_COLUMNS, panels)
    while columns > 1 and inside / columns - beside - size.text * 1.4 < needed:
        columns -= 1
    return columns, int(inside / columns - beside - size.text * 1.4)


def _panel(
    row: ContinuousStratum,
    labels: list[str],
    needed: float,
    size: Size,
    *,
    width: int,
    ends: tuple[float, float],
    is_first: bool,
    is_signed: bool,
) -> Chart:
    drawn = {one.label: one for one in row.spread}
    names = [_name(drawn[label], width / len(labels), size) for label in labels]
    x = alt.X(
        "place:Q",
        title=None,
        scale=alt.Scale(domain=[-0.5, len(labels) - 0.5], nice=False, zero=False),
        axis=_axis(names, fits=len(labels) * needed <= width),
    )
    y_scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    up = alt.Axis(labels=is_first, ticks=is_first, domain=is_first, labelFlush=size.text * 0.6)
    data: list[Row] = [
        {"place": place, "from": place - 0.28, "to": place + 0.28, **drawn[label].plain()}
        for place, label in enumerate(labels)
        if drawn[label].items
    ]
    base = alt.Chart(InlineRows(values=data))
    tooltip = ["label:N", "items:Q", *(alt.Tooltip(f"{key}:Q", format=".3f") for key in ("mean", *QUANTILES))]
    line = max(1.0, size.text * 0.12)
    layers: list[alt.Chart] = [
        base.mark_rule(color=LINE, strokeWidth=line).encode(
            x=x, y=alt.Y("p05:Q", title=None, scale=y_scale, axis=up), y2="p95:Q"
        ),
        base.mark_rect(color=LINE, opacity=0.4).encode(
            x=alt.X("from:Q"), x2="to:Q", y=alt.Y("p25:Q"), y2="p75:Q", tooltip=tooltip
        ),
        base.mark_rule(color=LINE, strokeWidth=2 * line).encode(
            x=alt.X("from:Q"), x2="to:Q", y=alt.Y("p50:Q"), tooltip=tooltip
        ),
    ]
    if is_signed:
        zero = alt.Chart(InlineRows(values=[{"at": 0.0}])).mark_rule(color=SOFT, strokeDash=[3, 3])
        layers.insert(0, zero.encode(y=alt.Y("at:Q", scale=y_scale)))
    chart: Chart = alt.layer(*layers).properties(width=width, height=size.text * 11)
    told = f"{partition(row)}: Spearman’s ρ {number(row.spearman)}"
    return chart.properties(description=told, title=_title(row, size, width))


def _name(drawn: ValuesOfLabel, room: float, size: Size) -> str:
    """The label in lines that fit, and how many items it has."""
    return BREAK.join([*wrapped(drawn.label, room, size.text), f"{drawn.items:,}"])


def _axis(names: list[str], *, fits: bool) -> alt.Axis:
    """The labels at integers; if they do not fit, every second one, or fewer."""
    return alt.Axis(
        values=list(range(len(names))),
        tickCount=len(names) + 1,  # otherwise, Vega thins out the values
        labelExpr=SPLIT.format(names=json.dumps(names, ensure_ascii=False)),
        labelLimit=0,
        labelOverlap=not fits,
        labelAngle=0,
        ticks=False,
        grid=False,
    )


def _title(row: ContinuousStratum, size: Size, width: int) -> alt.TitleParams:
    """The partition, and Spearman's coefficient in it."""
    limits = f" [{number(row.interval.low)}, {number(row.interval.high)}]" if row.interval.low is not None else ""
    words = "ρ undefined" if row.spearman is None else f"ρ {number(row.spearman)}{limits}"
    return alt.TitleParams(
        text=wrapped(partition(row), width, size.text * 1.1),
        subtitle=wrapped(words, width, size.text),
        fontSize=size.text * 1.1,
        subtitleFontSize=size.letters(0.95),
        subtitleColor=SOFT,
        anchor="start",
        frame="group",
        offset=4,
    )
