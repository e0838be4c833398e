"""Calibration to people: how errors of instances spread, those of labels and guesses, and reliability diagrams."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.result import (
    ERRORS,
    CalibratedEntry,
    ErrorKind,
    ErrorShares,
    HumanCalibrationResult,
)
from metaeval.figures.registry import figure, note_on_others, place_of, variants_of
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import HUES, LINE, SOFT, heading, number, styled

LABELS = 8
"""With more labels than this, the rest are only in the table."""
COLUMNS = {"screen": 3, "two": 3, "one": 2}


def _drawable(result: HumanCalibrationResult) -> list[CalibratedEntry]:
    """Systems, unscaled and scaled, that could be measured."""
    return [entry for entry in result.entries if entry.kind in {"system", "scaled"} and not entry.reason]


def _variants(result: HumanCalibrationResult) -> list[str]:
    """One figure per system, if there are several."""
    return variants_of([entry.name for entry in _drawable(result)])


def _entries(result: HumanCalibrationResult, variant: str, at_once: int) -> tuple[list[CalibratedEntry], list[str]]:
    """The systems of a figure: the one of the variant, or the first few; and a sentence if it leaves out others."""
    entries = _drawable(result)
    others = note_on_others([entry.name for entry in entries], variant, at_once, "systems")
    return [entries[place_of(variant)]] if variant else entries[:at_once], others


def _people(result: HumanCalibrationResult) -> CalibratedEntry | None:
    """The sub-sample of people beside whom systems are drawn."""
    return next((entry for entry in result.entries if entry.name == result.reference), None)


@figure("How errors of instances spread", variants=_variants)
def calibration_errors(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """One row per system: distances of its distributions from people's, and differences of the entropies. After Baan
    et al. (2022), Figures 3 and 4."""
    entries, left_out = _entries(result, variant, 4)
    people = _people(result)
    drawn = [*entries, *([] if people is None else [people])]
    highest = {kind: max(max(_shares(entry, kind).shares) for entry in drawn) for kind in ERRORS}
    rows = []
    for entry in entries:
        panels = []
        for kind, kind_title in ERRORS.items():
            mean = entry.measures["distribution" if kind == "distribution" else "entropy_signed"]
            shares, of_people = _shares(entry, kind), None if people is None else _shares(people, kind)
            text = f"{kind_title}, mean {number(mean)}"
            chart = _histogram(shares, of_people, size, title=text, highest=highest[kind])
            panels.append(chart.properties(description=f"{entry.name}: {chart.description}"))
        name = wrapped(entry.name, size.width - 3 * size.padding, size.text * 1.25)
        title_of_row = alt.TitleParams(text=name, fontSize=size.text * 1.1, anchor="start", offset=3)
        rows.append(alt.hconcat(*panels, spacing=size.text * 1.6).properties(title=title_of_row))
    notes = ["Shares of the instances; EntCE in nats, negative: more certain than people."]
    if people:
        votes = result.parameters["sample_size"]
        notes.append(f"Line: {people.name}, {votes} of the votes of every instance against all of them.")
    title = heading("How errors of instances spread", [*notes, *left_out], size=size)
    return styled(alt.vconcat(*rows, spacing=size.text * 1.8).properties(title=title), size)


def _shares(entry: CalibratedEntry, kind: ErrorKind) -> ErrorShares:
    if entry.histograms is None:
        raise ValueError(f"{entry.name} has no errors to draw")
    return entry.histograms[kind]


def _exists(result: HumanCalibrationResult) -> bool:
    """Earlier results have no errors of labels."""
    return any(entry.by_label for entry in _drawable(result)[:1])


@figure(
    "Errors of labels and of guesses",
    variants=lambda result: _variants(result) if _exists(result) else [],
    exists=_exists,
)
def calibration_labels(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """For one system: one row per label, and beside it the guess with that number; a line for a sub-sample of
    people. After Baan et al. (2022), Figures 4 to 15."""
    (entry,), left_out = _entries(result, variant, 1)
    people = _people(result)
    places = range(min(LABELS, len(result.labels)))
    highest = max(
        max(errors.shares)
        for drawn in ([entry, people] if people else [entry])
        for k in places
        for errors in (drawn.by_label[k], drawn.by_guess[k])
    )
    rows = []
    for k in places:
        panels = []
        for name, errors, of_people in (
            (result.labels[k], entry.by_label, people.by_label if people else []),
            (f"Guess {k + 1}", entry.by_guess, people.by_guess if people else []),
        ):
            text = wrapped(f"{name}, mean {number(round(errors[k].mean, 2) + 0.0)}", _width(size), size.text)
            outline = of_people[k] if of_people else None
            panels.append(_histogram(errors[k], outline, size, title=text, highest=highest))
        rows.append(alt.hconcat(*panels, spacing=size.text * 1.6))
    notes = [
        f"{entry.name}: predicted minus people’s share, as shares of the instances; above 0: the system gives more.",
        "Guess 1 is the label that the prediction gives the highest probability.",
    ]
    if people:
        notes.append(f"Line: {people.name}, {result.parameters['sample_size']} of the votes of every instance.")
    if len(result.labels) > LABELS:
        notes.append(f"The first {LABELS} of {len(result.labels)} labels and guesses.")
    title = heading("Errors of labels and of guesses", [*notes, *left_out], size=size)
    return styled(alt.vconcat(*rows, spacing=size.text * 1.2).properties(title=title), size)


def _width(size: Size) -> int:
    """The width of one of two panels beside each other."""
    return int((size.width - 2 * size.padding - size.text * 1.6) / 2 - text_width("100%", size.text) - 12)


def _histogram(
    errors: ErrorShares, people: ErrorShares | None, size: Size, *, title: str | list[str], highest: float
) -> Chart:
    """Bars of the errors, up to the share `highest`, with an outline for a sub-sample of people; signed errors have a
    line at 0."""
    edges = errors.edges
    bars = [
        {"low": low, "high": high, "share": share, "zero": 0.0}
        for low, high, share in zip(edges, edges[1:], errors.shares, strict=False)
    ]
    x_scale = alt.Scale(domain=[edges[0], edges[-1]], nice=False, zero=False)
    y_scale = alt.Scale(domain=[0, highest * 1.08 or 1], nice=False)
    x = alt.X("low:Q", title=title, scale=x_scale, axis=alt.Axis(tickCount=4))
    y = alt.Y("share:Q", title=None, scale=y_scale, axis=alt.Axis(format="%", tickCount=3))
    layers: list[alt.Chart] = [
        alt.Chart(InlineRows(values=bars))
        .mark_rect(color=LINE, opacity=0.75, stroke="white", strokeWidth=0.4)
        .encode(
            x=x,
            x2="high:Q",
            y=y,
            y2="zero:Q",
            tooltip=[alt.Tooltip(f"{key}:Q", format=".3f") for key in ("low", "high", "share")],
        )
    ]
    if edges[0] < 0:
        zero = alt.Chart(InlineRows(values=[{"at": 0.0}])).mark_rule(strokeDash=[3, 3], color=SOFT)
        layers.append(zero.encode(x=alt.X("at:Q", scale=x_scale)))
    if people is not None:
        shares = [*people.shares, people.shares[-1]]
        outline = [{"low": edge, "share": share} for edge, share in zip(people.edges, shares, strict=True)]
        layers.append(
            alt.Chart(InlineRows(values=outline))
            .mark_line(interpolate="step-after", color=HUES[1], strokeWidth=max(1.1, size.text * 0.14), clip=True)
            .encode(x=x, y=y)
        )
    width, text = _width(size), " ".join(title) if isinstance(title, list) else title
    chart: Chart = alt.layer(*layers).properties(width=width, height=max(42, width * 0.32), description=text)
    return chart


@figure("How often the most probable label is people’s majority label", variants=_variants)
def calibration_reliability(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """One panel per system and one point per bin, larger for more instances; on the dashed line, calibration is
    perfect."""
    entries, left_out = _entries(result, variant, 6)
    columns = min(COLUMNS[size.name], len(entries))
    width = min(int((size.width - 2 * size.padding - columns * size.text * 4.8) / columns - 14), 300)
    panels = [
        _reliability(entry, size, width=width, first=not place % columns, last=place + columns >= len(entries))
        for place, entry in enumerate(entries)
    ]
    notes = [
        "Points: bins of the most probable label’s probability, larger for more instances. Below the "
        "dashed line: overconfident.",
        *left_out,
    ]
    title = heading("How often the most probable label is people’s majority label", notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 1.8).properties(title=title), size)


def _reliability(entry: CalibratedEntry, size: Size, *, width: int, first: bool, last: bool) -> Chart:
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
