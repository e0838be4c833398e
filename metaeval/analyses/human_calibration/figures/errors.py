"""The distribution of instances' errors: Baan et al. (2022), Figures 3 and 4, beside a sub-sample of people."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.figures.histogram import histogram
from metaeval.analyses.human_calibration.figures.words import chosen, others, variants
from metaeval.analyses.human_calibration.result import (
    CalibratedEntry,
    CalibrationMeasure,
    ErrorKind,
    ErrorShares,
    HumanCalibrationResult,
)
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import heading, number, styled

AT_ONCE = 4
TITLES: dict[ErrorKind, str] = {"distribution": "DistCE", "entropy": "EntCE"}


@figure("How errors of instances spread", variants=variants)
def calibration_errors(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """One row per system: distances of its distributions from people's, and differences of the entropies."""
    entries = chosen(result, variant, AT_ONCE)
    reference = next((entry for entry in result.entries if entry.name == result.reference), None)
    shown = [*entries, *([] if reference is None else [reference])]
    highest = {name: max(max(_spread(entry, name).shares) for entry in shown) for name in TITLES}
    width = int((size.width - 2 * size.padding - size.text * 1.6) / 2 - text_width("100%", size.text) - 12)
    rows = [
        alt.hconcat(
            *(_panel(entry, reference, name, size, width=width, highest=highest[name]) for name in TITLES),
            spacing=size.text * 1.6,
        ).properties(
            title=alt.TitleParams(
                text=wrapped(entry.name, size.width - 3 * size.padding, size.text * 1.25),
                fontSize=size.text * 1.1,
                anchor="start",
                offset=3,
            )
        )
        for entry in entries
    ]
    notes = ["Shares of the instances; EntCE in nats, negative: more certain than people."]
    if reference:
        drawn = result.parameters["sample_size"]
        notes.append(f"Line: {reference.name}, {drawn} of the votes of every instance against all of them.")
    notes += others(result, variant, AT_ONCE)
    title = heading("How errors of instances spread", notes, size=size)
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
    measure: CalibrationMeasure = "distribution" if name == "distribution" else "entropy_signed"
    chart = histogram(
        _spread(entry, name),
        None if reference is None else _spread(reference, name),
        size,
        title=f"{TITLES[name]}, mean {number(entry.measures[measure])}",
        width=width,
        highest=highest,
    )
    told: Chart = chart.properties(description=f"{entry.name}: {chart.description}")
    return told


def _spread(entry: CalibratedEntry, name: ErrorKind) -> ErrorShares:
    """The distribution of a measured entry (`drawable` picks these)."""
    if entry.histograms is None:
        raise ValueError(f"{entry.name} has no errors to draw")
    return entry.histograms[name]
