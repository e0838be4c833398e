"""Which metric correlates better than which with the experts' preference: differences as a map, with their tests."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.result import COEFFICIENT_TITLES
from metaeval.analyses.base.table import Row
from metaeval.analyses.preference_correlation.result import (
    ComparisonByUnits,
    DifferenceOfMetrics,
    PreferenceCorrelationResult,
)
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, number, styled

ALPHA = 0.05
LEAST_REACH = 0.2
"""The ends of the colour scale are at least this far from 0, so that small differences look small."""


@figure("Which metric agrees better", variants=lambda result: result.coefficients if result.comparisons else [])
def metric_differences(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """The row's correlation minus the column's; coloured, with a star, if the test with Holm's correction finds it: the
    test by units of analysis or, in results before version 3, Williams'."""
    coefficient = next(known for known in result.coefficients if variant in {"", known})
    compared = [row for row in result.comparisons if row.coefficient == coefficient]
    titles = {metric.name: metric.title for metric in result.metrics}
    cells: list[Row] = []
    for row in compared:
        one, other = titles[row.first], titles[row.second]
        cells += [_cell(one, other, row, 1), _cell(other, one, row, -1)]
    names = list(titles.values())
    reach = max([LEAST_REACH, *(abs(found) for row in compared if (found := _tested(row)[0]) is not None)])
    title = COEFFICIENT_TITLES[coefficient]
    chart, left_out = heat_map(
        cells,
        rows=names,
        columns=names,
        colour=Colour(f"Difference in {title}", (-reach, reach), scheme="blueorange", middle=0.0),
        size=size,
        with_legend=any(not cell["grey"] for cell in cells),
    )
    by_units = next((row.by_units for row in compared if row.by_units), None)
    over = "over systems" if by_units is None or by_units.statistic == "overall" else by_units.statistic
    notes = [
        f"{title} of the row’s metric minus that of the column’s, {over}; orange: the row agrees better, "
        "blue: the column; grey: they cannot be told apart.",
        f"* {_test(by_units)}, Holm-corrected p < {ALPHA:g}.",
    ]
    if not result.comparisons:
        notes = ["There are no two metrics to compare."]
    notes += left_out
    words = heading("Which metric agrees better", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=words), size)


def _test(by_units: ComparisonByUnits | None) -> str:
    if by_units is None:
        return "Williams’ test"
    if by_units.test == "jackknife":
        return f"Leaving out each of the {by_units.units} {by_units.left_out} in turn"
    return f"Exchanging the two metrics’ values of whole {by_units.left_out}"


def _tested(row: DifferenceOfMetrics) -> tuple[float | None, float | None]:
    """The difference, and the p-value of its test."""
    if row.by_units is None:
        return row.difference, row.p_value_holm
    return row.by_units.difference, row.by_units.p_holm


def _cell(row: str, column: str, found: DifferenceOfMetrics, sign: int) -> Row:
    value, p_value = _tested(found)
    if value is None:
        return {"row": row, "column": column, "value": None, "grey": True}
    significant = p_value is not None and p_value < ALPHA
    text = number(sign * round(value, 2) + 0.0)
    text = f"{text}*" if significant else text
    return {"row": row, "column": column, "value": sign * value, "text": text, "grey": not significant}
