"""How people's and machines' labels, and machines' numbers, are distributed where people's typical label is the same.

Perception charts, and Figure 6 of Elangovan et al. (2025).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.uncertainty.result import (
    ContinuousStratum,
    PerceptionBin,
    UncertaintyResult,
    ValuesOfLabel,
    typical,
)
from metaeval.figures.dots import BREAK, TOP_OF_PAGE, axis_of_names, name_room, padded
from metaeval.figures.registry import figure, note_on_others, shown_in, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import HUES, LINE, SOFT, heading, number, styled

MOST_BINS = {"screen": 6, "two": 6, "one": 3}
MOST_NAMED = 10
OTHERS = "other labels"
COLUMNS = {"screen": 3, "two": 3, "one": 1}
COLOURS = [HUES[0], HUES[5], HUES[1], HUES[4]]
"""People in blues, machines in oranges; all labels dark, typical ones light."""
MOST_COLUMNS = 3
MOST_LABELS = 12
"""With more labels than this, only those that are the majority (or median) of some item are drawn."""
SHORTEST = 8
"""Longer words are broken (`wrapped`)."""
QUANTILES = ("p05", "p25", "p50", "p75", "p95")
SPLIT = "split({names}[datum.value], '\\n')"


@figure(
    "How people and machines spread their labels",
    variants=lambda result: variants_of([machine.name for machine in result.machines]),
)
def uncertainty_perception(result: UncertaintyResult, variant: str, size: Size) -> Chart:
    """One panel per bin of the items by people's typical label, for the largest few; the bin's share is on top. Of many
    unordered labels, the less frequent ones are merged."""
    machines = [machine.name for machine in result.machines]
    names = shown_in(machines, variant, 1)
    entry = next(entry for entry in result.perception if not names or entry.machine == names[0])
    filled = [row for row in entry.bins if row.items]
    largest = sorted(filled, key=lambda row: -row.items)[: MOST_BINS[size.name]]
    bins = [row for row in filled if row in largest]
    series = _series(result)
    columns = min(COLUMNS[size.name], len(bins))
    places = _bars_of_labels(result, filled)
    room = size.width * (0.3 if size.name == "one" else 0.22)
    labels = {BREAK.join(wrapped(label, room, size.text)): members for label, members in places.items()}
    room = name_room([part for label in labels for part in label.split(BREAK)], size)
    width = int((size.width - room - 2 * size.padding - 12 - (columns - 1) * size.text * 2.4) / max(1, columns) - 8)
    panels = [
        _bin_panel(row, result.items, labels, series, size=size, width=width, with_names=not place % columns)
        for place, row in enumerate(bins)
    ]
    words = typical(result.scale)
    notes = [f"Each panel: the {result.items} whose human {words} is the label at the top, and their share of all."]
    if entry.binned is not None:
        notes.append(f"Binned Jensen-Shannon {result.parameters['divergence']}: {number(entry.binned)}.")
    if len(bins) < len(filled):
        notes.append(f"The largest {len(bins)} of {len(filled)} bins.")
    notes += note_on_others(machines, variant, 1, "machines")
    title = heading(f"Perception chart: {names[0]}" if names else "How people spread their labels", notes, size=size)
    return styled(alt.concat(*panels, columns=max(1, columns), spacing=size.text * 2).properties(title=title), size)


def _series(result: UncertaintyResult) -> dict[str, str]:
    words = typical(result.scale)
    named = {"human": "All human labels", "human_typical": f"Human {words}"}
    if result.machines:
        named |= {"machine": "All machine labels", "machine_typical": f"Machine {words}"}
    return named


def _bars_of_labels(result: UncertaintyResult, bins: list[PerceptionBin]) -> dict[str, list[int]]:
    """The labels with their own bars, by name, with their positions: all of a scale, else the most frequent."""
    count = len(result.labels)
    if result.scale == "ordinal" or count <= MOST_NAMED:
        return {label: [place] for place, label in enumerate(result.labels)}
    shares = [sum(row.share * row.human[place] for row in bins) for place in range(count)]
    most = sorted(range(count), key=lambda place: -shares[place])[: MOST_NAMED - 1]
    named = {result.labels[place]: [place] for place in sorted(most)}
    return {**named, OTHERS: [place for place in range(count) if place not in most]}


def _bin_panel(
    row: PerceptionBin,
    items: str,
    places: dict[str, list[int]],
    series: dict[str, str],
    *,
    size: Size,
    width: int,
    with_names: bool,
) -> Chart:
    labels = list(places)
    order = list(series.values())
    bars_high = len(series) * size.text * (0.9 if len(labels) < 5 else 0.62)
    names_high = (max(label.count(BREAK) for label in labels) + 1) * size.text * 1.3 + 2
    legend = alt.Legend(title=None, columns=2 if size.name == "one" else 4, labelLimit=0, symbolType="square")
    chart: Chart = (
        alt.Chart(InlineRows(values=_bars(row, places, series)))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=3)),
            y=_label_axis(labels, size, with_names=with_names),
            yOffset=alt.YOffset("series:N", sort=order, scale=alt.Scale(domain=order)),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=order, range=COLOURS[: len(order)]),
                legend=legend,
            ),
            tooltip=["label:N", "series:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(description=_description(row, items), width=width, height=len(labels) * max(bars_high, names_high))
    )
    return chart.properties(title=_bin_title(row, items, size, width))


def _bars(row: PerceptionBin, places: dict[str, list[int]], series: dict[str, str]) -> list[Row]:
    spreads = {
        "human": row.human,
        "human_typical": row.human_typical,
        "machine": row.machine,
        "machine_typical": row.machine_typical,
    }
    return [
        {"label": label, "series": words, "share": sum(shares[place] for place in members)}
        for label, members in places.items()
        for key, words in series.items()
        if (shares := spreads[key]) is not None
    ]


def _description(row: PerceptionBin, items: str) -> str:
    distance = "" if row.value is None else f", Jensen-Shannon {number(row.value)}"
    return f"{row.label}: {100 * row.share:.0f}% of {items}{distance}"


def _label_axis(labels: list[str], size: Size, *, with_names: bool) -> alt.Y:
    return alt.Y(
        "label:N",
        sort=labels,
        scale=alt.Scale(domain=labels, paddingInner=0.22, paddingOuter=0.1),
        title=None,
        axis=axis_of_names(labels, size, labels=with_names),
    )


def _bin_title(row: PerceptionBin, items: str, size: Size, width: int) -> alt.TitleParams:
    """The bin's label, its share of the items, and how far the machine is from people in it."""
    share = f"{100 * row.share:.0f}% of {items} ({row.items:,})"
    distance = [] if row.value is None else [f"JS {number(row.value)}"]
    return alt.TitleParams(
        text=wrapped(row.label, width, size.text * 1.2),
        subtitle=[*wrapped(share, width, size.text), *distance],
        fontSize=size.text * 1.1,
        subtitleFontSize=size.letters(0.95),
        subtitleColor=SOFT,
        anchor="start",
        offset=4,
    )


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
    (machine,) = shown_in(machines, variant, 1)
    rows = [row for row in result.continuous if row.machine == machine and row.items]
    labels = _labels(rows)
    needed = size.text * (0.56 * _longest(rows, labels) + 0.8)
    ends = padded(
        [value for row in rows for label in row.spread for value in (label.p05, label.p95) if value is not None]
    )
    beside = text_width("−0.00", size.text) + 8
    columns, width = _grid(len(rows), len(labels) * needed, size, beside)
    most = max(1, int((size.height - (4 * size.text if size.is_paper else TOP_OF_PAGE)) / (size.text * 19))) * columns
    is_signed = result.scale == "nominal" and ends[0] < 0 < ends[1]
    panels = [
        _values_panel(
            row, labels, needed, size, width=width, ends=ends, is_first=not place % columns, is_signed=is_signed
        )
        for place, row in enumerate(rows[:most])
    ]
    notes = [
        f"Across: people’s {typical(result.scale)}, and how many {result.items} have it. Up: "
        f"{_value(result)}. Line: 5 to 95% of the values, bar: 25 to 75%, tick: median. ρ: Spearman’s, "
        f"with its {100 * result.parameters['level']:g}% interval.",
        *note_on_others(machines, variant, 1, "machines"),
    ]
    if most < len(rows):
        notes.append(f"The first {most} of {len(rows)} groups of items; the tables have all.")
    title = heading(f"Values of {machine}, by how far people agree", notes, size=size)
    grid = alt.concat(*panels, columns=columns, spacing=size.text * 1.4)
    return styled(grid.properties(title=title), size)


def _value(result: UncertaintyResult) -> str:
    if result.scale == "ordinal":
        return "the machine’s expected value"
    first, second, *_ = result.labels
    return f"by how much “{first}” is closer than “{second}”"


def _labels(rows: Sequence[ContinuousStratum]) -> list[str]:
    """The labels across, in order."""
    occurring = {entry.label for row in rows for entry in row.spread if entry.items}
    every = [entry.label for entry in rows[0].spread]
    return every if len(every) <= MOST_LABELS else [label for label in every if label in occurring]


def _longest(rows: Sequence[ContinuousStratum], labels: Sequence[str]) -> int:
    """The number of letters of the longest line under a label."""
    counts = [f"{entry.items:,}" for row in rows for entry in row.spread]
    return max(len(part) for part in (*counts, *(label[:SHORTEST] for label in labels)))


def _grid(panels: int, needed: float, size: Size, beside: float) -> tuple[int, int]:
    """How many panels are in a row, and how wide each is; all labels together need `needed`."""
    inside = size.width - 2 * size.padding
    columns = min(MOST_COLUMNS, panels)
    while columns > 1 and inside / columns - beside - size.text * 1.4 < needed:
        columns -= 1
    return columns, int(inside / columns - beside - size.text * 1.4)


def _values_panel(
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
    drawn = {entry.label: entry for entry in row.spread}
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
    description = f"{row.heading}: Spearman’s ρ {number(row.spearman)}"
    return chart.properties(description=description, title=_title(row, size, width))


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
        text=wrapped(row.heading, width, size.text * 1.1),
        subtitle=wrapped(words, width, size.text),
        fontSize=size.text * 1.1,
        subtitleFontSize=size.letters(0.95),
        subtitleColor=SOFT,
        anchor="start",
        frame="group",
        offset=4,
    )
