"""Agreement against the share of items about which people are certain: Elangovan et al. (2025), Figures 1, 2 and 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.uncertainty.result import typical
from metaeval.analyses.uncertainty_simulation.result import RANDOM, CertaintyCurve, UncertaintySimulationResult
from metaeval.figures.dots import padded
from metaeval.figures.registry import figure, note_on_others, shown_in, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, wrapped
from metaeval.figures.style import HUES, heading, styled

AT_ONCE = 4
DASHES = [[1, 0], [5, 3], [2, 2], [8, 3, 2, 3]]
COLUMNS = {"screen": 2, "two": 2, "one": 1}


@figure(
    "Agreement against the share of certain items",
    variants=lambda result: variants_of([machine.name for machine in result.machines]),
)
def uncertainty_curves(result: UncertaintySimulationResult, variant: str, size: Size) -> Chart:
    """One panel per machine, the random labeller first: people among themselves, their majority (or median) with the
    machine, with another person and with random labels. Lines are means over repeats, bands their standard deviations.
    """
    every = [machine.name for machine in result.machines]
    names = shown_in(every, variant, AT_ONCE)
    machines = [machine for machine in result.machines if machine.name in names]
    series = _series(typical(result.scale))
    random = next((curve for curve in result.machines if curve.name == RANDOM), None)
    bands = {curve.name: [*_bands(curve, series), *_baseline(curve, random, series)] for curve in machines}
    low, high = padded([0.0, 1.0, *(end for line in bands.values() for band in line for end in (band.low, band.high))])
    domain = (low, min(high, 1.05))
    columns = min(COLUMNS[size.name], len(machines))
    width = int((size.width - 2 * size.padding - columns * size.text * 5.4) / columns - 10)
    panels = [_panel(name, line, [*series.values()], size, domain=domain, width=width) for name, line in bands.items()]
    notes = ["Krippendorff’s alpha: means over repeats, bands: ± 1 standard deviation (of the first two lines)."]
    if any(point.reason for curve in machines for point in curve.points):
        notes.append("Shares for which there are too few items are not drawn.")
    notes += note_on_others(every, variant, AT_ONCE, "machines")
    title = heading("Agreement against the share of certain items", notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 2).properties(title=title), size)


@dataclass(frozen=True)
class Band:
    """A mean over repeats, and one standard deviation around it."""

    share: float
    series: str
    value: float
    low: float
    high: float


def _series(majority: str) -> dict[str, str]:
    """The titles of the lines; only the first two have bands."""
    return {
        "people": "People among themselves (HH)",
        "machine": f"Their {majority} and the machine (HʷMʷ)",
        "person": f"Their {majority} and another person (HʷH′)",
        "random": f"Their {majority} and random labels (HʷRʷ)",
    }


def _bands(curve: CertaintyCurve, series: Mapping[str, str]) -> Iterator[Band]:
    for point in curve.points:
        for name, value, deviation in (
            ("people", point.people, point.people_sd),
            ("machine", point.machine, point.machine_sd),
            ("person", point.person, None),
        ):
            if value is not None:
                spread = deviation or 0.0
                yield Band(point.share, series[name], value, value - spread, min(1.0, value + spread))


def _baseline(curve: CertaintyCurve, random: CertaintyCurve | None, series: Mapping[str, str]) -> Iterator[Band]:
    """The random labeller's line, for the panels of other machines."""
    for point in random.points if random is not None and curve is not random else ():
        if point.machine is not None:
            yield Band(point.share, series["random"], point.machine, point.machine, point.machine)


def _panel(
    title: str, bands: list[Band], series: list[str], size: Size, *, domain: tuple[float, float], width: int
) -> Chart:
    rows: list[Row] = [asdict(band) for band in bands]
    x = alt.X(
        "share:Q",
        title="Share of certain items",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    legend = alt.Legend(title=None, columns=1 if size.name == "one" else 2, labelLimit=0)
    hue = alt.Color("series:N", scale=alt.Scale(domain=series, range=HUES[:4]), legend=legend)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=series, range=DASHES), legend=legend)
    base = alt.Chart(InlineRows(values=rows))
    layers: list[Chart] = [
        *(
            # each with its own colour, since a legend would inherit the bands' faintness
            alt.Chart(InlineRows(values=[row for row in rows if row["series"] == name]))
            .mark_area(opacity=0.18, color=colour)
            .encode(x=x, y=alt.Y("low:Q", title="Alpha", scale=scale), y2="high:Q")
            for name, colour in zip(series[:2], HUES, strict=False)
        ),
        base.mark_line(strokeWidth=max(1.2, size.text * 0.16)).encode(
            x=x,
            y=alt.Y("value:Q", title="Alpha", scale=scale),
            color=hue,
            strokeDash=dash,
            tooltip=["series:N", alt.Tooltip("share:Q", format=".0%"), alt.Tooltip("value:Q", format=".4f")],
        ),
    ]
    chart: Chart = alt.layer(*layers).properties(width=width, height=width * 0.55)
    ends = "; ".join(
        f"{name} from {line[0].value:.2f} to {line[-1].value:.2f}"
        for name in series
        if (line := [band for band in bands if band.series == name])
    )
    text = wrapped(title, width, size.text * 1.25)
    return chart.properties(
        description=f"{title}: {ends or 'nothing defined'}",
        title=alt.TitleParams(text=text, fontSize=size.text * 1.1, anchor="start", offset=4),
    )
