"""Power over the true correlation: one line per number of experts, and one for the existing responses."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.power.figures.words import words_of_unit
from metaeval.analyses.power.result import GridCell, PointOfPower, PowerResult
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import HUES, INK, SOFT, heading, styled

HEIGHT = {"screen": 360, "two": 220, "one": 150}
MARGIN = {"screen": 90, "two": 60, "one": 50}
DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
NOW = "the responses so far"


@figure("What such a study detects")
def power_curve(result: PowerResult, variant: str, size: Size) -> Chart:
    """Power at the planned number of instances (else the middle one of the grid)."""
    instances = _instances(result.cells)
    lines = [
        (str(cell.experts_per_comparison), cell.curve)
        for cell in result.cells
        if cell.instances == instances and cell.curve
    ][: len(HUES)]
    names = [name for name, _ in lines]
    observed = result.observed
    rows = [_row(name, point) for name, curve in lines for point in curve]
    x = alt.X("correlation:Q", title="True correlation", scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("power:Q", title="Power", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1], nice=False))
    legend = alt.Legend(title="Experts per comparison", symbolType="stroke", titleLimit=0, columns=6)
    hue = alt.Color("name:N", sort=names, scale=alt.Scale(domain=names, range=HUES[: len(names)]), legend=legend)
    dash = alt.StrokeDash(
        "name:N", sort=names, scale=alt.Scale(domain=names, range=DASHES[: len(names)]), legend=legend
    )
    parameters = result.parameters
    layers: list[alt.Chart] = [
        alt.Chart(InlineRows(values=[{"power": parameters["target"]}]))
        .mark_rule(color=SOFT, strokeDash=[3, 3])
        .encode(y=y),
        alt.Chart(InlineRows(values=rows))
        .mark_line(strokeWidth=size.text * 0.17, clip=True)
        .encode(x=x, y=y, color=hue, strokeDash=dash, tooltip=_tooltip("name:N")),
    ]
    if observed:
        layers.append(
            alt.Chart(InlineRows(values=[_row(NOW, point) for point in observed.curve]))
            .mark_line(color=INK, strokeWidth=size.text * 0.26, clip=True)
            .encode(x=x, y=y, tooltip=_tooltip("name:N"))
        )
    told = "; ".join(_told(name, curve, parameters["target"]) for name, curve in lines)
    chart = alt.layer(*layers).properties(
        width=size.width - MARGIN[size.name], height=HEIGHT[size.name], description=told or "Nothing drawn"
    )
    title = heading("What such a study detects", _notes(result, instances, lines), size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _instances(cells: Sequence[GridCell]) -> int:
    planned = [cell.instances for cell in cells if cell.is_planned]
    known = sorted({cell.instances for cell in cells})
    return planned[0] if planned else known[len(known) // 2]


def _told(name: str, curve: Sequence[PointOfPower], target: float) -> str:
    """The correlation from which a line is above the target."""
    found = next((point.correlation for point in curve if point.power is not None and point.power >= target), None)
    words = "never reaches" if found is None else (f"reaches it from a true correlation of {found:g}")
    return f"{name} experts: {words} {100 * target:g}%"


def _row(name: str, point: PointOfPower) -> Row:
    return {"name": name, "correlation": point.correlation, "power": point.power}


def _tooltip(name: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip(name, title="Line"),
        alt.Tooltip("correlation:Q", title="True correlation"),
        alt.Tooltip("power:Q", title="Power", format=".1%"),
    ]


def _notes(result: PowerResult, instances: int, lines: Sequence[tuple[str, list[PointOfPower]]]) -> list[str]:
    parameters = result.parameters
    notes = [
        f"{result.systems} systems on {instances} instances each; shares of {parameters['simulations']:,} simulated "
        f"studies with p ≤ {parameters['alpha']:g}. Dashed: {100 * parameters['target']:g}%."
    ]
    observed = result.observed
    if observed:
        found = observed.smallest
        words = f"from {found:.2f} on" if found is not None else "never so often"
        notes.append(f"Thick: {NOW}, {observed.responses:,} of {observed.experts} experts: {words}.")
    notes += words_of_unit(result.unit)
    if not lines:
        notes.append("No cell of the grid has enough experts.")
    return notes
