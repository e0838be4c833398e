"""Perception charts: the distribution of people's and a machine's labels where people's majority (or median) is the
same."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.uncertainty.figures.words import chosen, others, typical
from metaeval.analyses.uncertainty.result import PerceptionBin, UncertaintyResult
from metaeval.figures.dots import BREAK, axis_of_names, name_room
from metaeval.figures.registry import figure, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, wrapped
from metaeval.figures.style import HUES, SOFT, heading, number, styled

MOST_BINS = {"screen": 6, "two": 6, "one": 3}
MOST_LABELS = 10
OTHERS = "other labels"
COLUMNS = {"screen": 3, "two": 3, "one": 1}
COLOURS = [HUES[0], HUES[5], HUES[1], HUES[4]]
"""People in blues, machines in oranges; all labels dark, typical ones light."""


@figure(
    "How people and machines spread their labels",
    variants=lambda result: variants_of([machine.name for machine in result.machines]),
)
def uncertainty_perception(result: UncertaintyResult, variant: str, size: Size) -> Chart:
    """One panel per bin of the items by people's typical label, for the largest few; the bin's share is on top. Of many
    unordered labels, the less frequent ones are merged."""
    machines = [machine.name for machine in result.machines]
    names = chosen(machines, variant, 1)
    entry = next(entry for entry in result.perception if not names or entry.machine == names[0])
    filled = [row for row in entry.bins if row.items]
    largest = sorted(filled, key=lambda row: -row.items)[: MOST_BINS[size.name]]
    bins = [row for row in filled if row in largest]
    series = _series(result)
    columns = min(COLUMNS[size.name], len(bins))
    places = _shown(result, filled)
    room = size.width * (0.3 if size.name == "one" else 0.22)
    labels = {BREAK.join(wrapped(label, room, size.text)): members for label, members in places.items()}
    room = name_room([part for label in labels for part in label.split(BREAK)], size)
    width = int((size.width - room - 2 * size.padding - 12 - (columns - 1) * size.text * 2.4) / max(1, columns) - 8)
    panels = [
        _panel(row, result.items, labels, series, size=size, width=width, with_names=not place % columns)
        for place, row in enumerate(bins)
    ]
    words = typical(result.scale)
    notes = [(f"Each panel: the {result.items} whose human {words} is the label at the top, and their share of all.")]
    if entry.binned is not None:
        notes.append(f"Binned Jensen-Shannon {result.parameters['divergence']}: {number(entry.binned)}.")
    if len(bins) < len(filled):
        notes.append(f"The largest {len(bins)} of {len(filled)} bins.")
    notes += others(machines, variant, 1)
    title = heading(f"Perception chart: {names[0]}" if names else "How people spread their labels", notes, size=size)
    return styled(alt.concat(*panels, columns=max(1, columns), spacing=size.text * 2).properties(title=title), size)


def _series(result: UncertaintyResult) -> dict[str, str]:
    words = typical(result.scale)
    named = {"human": "All human labels", "human_typical": f"Human {words}"}
    if result.machines:
        named |= {"machine": "All machine labels", "machine_typical": f"Machine {words}"}
    return named


def _shown(result: UncertaintyResult, bins: list[PerceptionBin]) -> dict[str, list[int]]:
    """The labels with their own bars, by name, with their positions: all of a scale, else the most frequent."""
    count = len(result.labels)
    if result.scale == "ordinal" or count <= MOST_LABELS:
        return {label: [place] for place, label in enumerate(result.labels)}
    given = [sum(row.share * row.human[place] for row in bins) for place in range(count)]
    most = sorted(range(count), key=lambda place: -given[place])[: MOST_LABELS - 1]
    named = {result.labels[place]: [place] for place in sorted(most)}
    return {**named, OTHERS: [place for place in range(count) if place not in most]}


def _panel(
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
        .properties(description=_told(row, items), width=width, height=len(labels) * max(bars_high, names_high))
    )
    return chart.properties(title=_panel_title(row, items, size, width))


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


def _told(row: PerceptionBin, items: str) -> str:
    """What a panel shows, in words."""
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


def _panel_title(row: PerceptionBin, items: str, size: Size, width: int) -> alt.TitleParams:
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
