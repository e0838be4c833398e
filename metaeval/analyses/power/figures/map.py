"""The probability of finding a correlation, by numbers of instances and experts, or the smallest one that would be
found."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.power.figures.words import planned_word, words_of_unit
from metaeval.analyses.power.result import GridCell, PowerResult
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

SMALLEST = "smallest"


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
        notes = [(f"True correlation that {share} of such studies detect; – : no correlation is detected that often.")]
    else:
        colour = Colour("Power", (0.0, 1.0), format=".0%")
        title = "The chance of detecting it"
        notes = [(f"Share of simulated studies that detect a true correlation of {parameters['correlation']:g}.")]
    notes.append("Across: instances per system. Down: experts per comparison.")
    notes.append(
        f"{result.systems} systems, {result.experts} experts, p ≤ {parameters['alpha']:g}." + planned_word(result.cells)
    )
    notes += words_of_unit(result.unit)
    chart, left_out = heat_map(
        cells,
        rows=[str(number) for number in sorted({cell.experts_per_comparison for cell in result.cells})],
        columns=[str(number) for number in sorted({cell.instances for cell in result.cells})],
        colour=colour,
        size=size,
        row_title="Experts",
        column_title="Instances",
    )
    words = heading(title, [*notes, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=words), size)


def _cell(cell: GridCell, *, of_smallest: bool) -> Row:
    value = cell.smallest if of_smallest else cell.power
    answer: Row = {"row": str(cell.experts_per_comparison), "column": str(cell.instances), "value": value}
    if value is not None:
        text = f"{value:.2f}" if of_smallest else f"{100 * value:.0f}"
        answer["text"] = f"{text}*" if cell.is_planned else text
    return answer
