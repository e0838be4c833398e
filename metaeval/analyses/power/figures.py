"""Power: the chance of detecting a correlation by numbers of instances and experts, and over the true correlation."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.power.result import GridCell, PointOfPower, PowerResult
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import HUES, INK, SOFT, heading, styled

SMALLEST = "smallest"
HEIGHT = {"screen": 360, "two": 220, "one": 150}
MARGIN = {"screen": 90, "two": 60, "one": 50}
DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
NOW = "the responses so far"


@figure("The chance of detecting it", variants=lambda _: [SMALLEST])
def power_map(result: PowerResult, variant: str, size: Size) -> Chart:
    """One cell per pair of numbers; the plan is marked by a star."""
    parameters = result.parameters
    of_smallest = variant == SMALLEST
    cells = [_cell(cell, of_smallest=of_smallest) for cell in result.cells]
    share = f"{100 * parameters['target']:g}%"
    if of_smallest:
        colour = Colour("Smallest correlation", (0.3, 1.0), scheme="blues")
        title = "The smallest correlation that the study would detect"
        notes = [f"True correlation that {share} of such studies detect; – : no correlation is detected that often."]
    else:
        colour = Colour("Power", (0.0, 1.0), format=".0%")
        title = "The chance of detecting it"
        notes = [f"Share of simulated studies that detect a true correlation of {parameters['correlation']:g}."]
    notes.append("Across: instances per system. Down: experts per comparison.")
    planned = " *: as planned." if any(cell.is_planned for cell in result.cells) else ""
    notes.append(f"{result.systems} systems, {result.experts} experts, p ≤ {parameters['alpha']:g}.{planned}")
    notes += _smallest_p(result)
    chart, left_out = heat_map(
        cells,
        rows=[str(number) for number in sorted({cell.experts_per_comparison for cell in result.cells})],
        columns=[str(number) for number in sorted({cell.instances for cell in result.cells})],
        colour=colour,
        size=size,
        row_title="Experts",
        column_title="Instances",
    )
    title_of_chart = heading(title, [*notes, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title_of_chart), size)


def _cell(cell: GridCell, *, of_smallest: bool) -> Row:
    value = cell.smallest if of_smallest else cell.power
    row: Row = {"row": str(cell.experts_per_comparison), "column": str(cell.instances), "value": value}
    if value is not None:
        text = f"{value:.2f}" if of_smallest else f"{100 * value:.0f}"
        row["text"] = f"{text}*" if cell.is_planned else text
    return row


def _smallest_p(result: PowerResult) -> list[str]:
    """The smallest possible p, and whether it is too large; nothing for results that do not say."""
    unit = result.unit
    if unit is None:
        return []
    return [unit.warning or f"The smallest p that a test can give here is {unit.smallest_in_words}."]


@figure("What such a study detects")
def power_curve(result: PowerResult, variant: str, size: Size) -> Chart:
    """Power at the planned number of instances (else the middle one of the grid)."""
    planned = [cell.instances for cell in result.cells if cell.is_planned]
    every = sorted({cell.instances for cell in result.cells})
    instances = planned[0] if planned else every[len(every) // 2]
    lines = [
        (str(cell.experts_per_comparison), cell.curve)
        for cell in result.cells
        if cell.instances == instances and cell.curve
    ][: len(HUES)]
    names = [name for name, _ in lines]
    observed = result.observed
    rows = [_point(name, point) for name, curve in lines for point in curve]
    x = alt.X("correlation:Q", title="True correlation", scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("power:Q", title="Power", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1], nice=False))
    legend = alt.Legend(title="Experts per comparison", symbolType="stroke", titleLimit=0, columns=6)
    hue = alt.Color("name:N", sort=names, scale=alt.Scale(domain=names, range=HUES[: len(names)]), legend=legend)
    dash = alt.StrokeDash(
        "name:N", sort=names, scale=alt.Scale(domain=names, range=DASHES[: len(names)]), legend=legend
    )
    tooltip = [
        alt.Tooltip("name:N", title="Line"),
        alt.Tooltip("correlation:Q", title="True correlation"),
        alt.Tooltip("power:Q", title="Power", format=".1%"),
    ]
    parameters = result.parameters
    layers: list[alt.Chart] = [
        alt.Chart(InlineRows(values=[{"power": parameters["target"]}]))
        .mark_rule(color=SOFT, strokeDash=[3, 3])
        .encode(y=y),
        alt.Chart(InlineRows(values=rows))
        .mark_line(strokeWidth=size.text * 0.17, clip=True)
        .encode(x=x, y=y, color=hue, strokeDash=dash, tooltip=tooltip),
    ]
    if observed:
        layers.append(
            alt.Chart(InlineRows(values=[_point(NOW, point) for point in observed.curve]))
            .mark_line(color=INK, strokeWidth=size.text * 0.26, clip=True)
            .encode(x=x, y=y, tooltip=tooltip)
        )
    description = "; ".join(_description(name, curve, parameters["target"]) for name, curve in lines)
    chart = alt.layer(*layers).properties(
        width=size.width - MARGIN[size.name], height=HEIGHT[size.name], description=description or "Nothing drawn"
    )
    title = heading("What such a study detects", _notes(result, instances, lines), size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _description(name: str, curve: Sequence[PointOfPower], target: float) -> str:
    """The correlation from which a line is above the target."""
    first = next((point.correlation for point in curve if point.power is not None and point.power >= target), None)
    reach = "never reaches" if first is None else f"reaches it from a true correlation of {first:g}"
    return f"{name} experts: {reach} {100 * target:g}%"


def _point(name: str, point: PointOfPower) -> Row:
    return {"name": name, "correlation": point.correlation, "power": point.power}


def _notes(result: PowerResult, instances: int, lines: Sequence[tuple[str, list[PointOfPower]]]) -> list[str]:
    parameters = result.parameters
    notes = [
        f"{result.systems} systems on {instances} instances each; shares of {parameters['simulations']:,} simulated "
        f"studies with p ≤ {parameters['alpha']:g}. Dashed: {100 * parameters['target']:g}%."
    ]
    observed = result.observed
    if observed:
        smallest = "never so often" if observed.smallest is None else f"from {observed.smallest:.2f} on"
        notes.append(f"Thick: {NOW}, {observed.responses:,} of {observed.experts} experts: {smallest}.")
    notes += _smallest_p(result)
    if not lines:
        notes.append("No cell of the grid has enough experts.")
    return notes
