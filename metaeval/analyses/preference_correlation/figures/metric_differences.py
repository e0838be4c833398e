"""Which metric correlates better than which with the experts' preference: differences as a map, with Williams' test."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.words import SYMBOLS
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, number, styled

ALPHA = 0.05
LEAST_REACH = 0.2
"""The colours' ends are no nearer to 0, so that small differences look small."""


def _compared(result: Result) -> list[dict[str, Any]]:
    """The rows of all pairs; results of version 1 of the analysis have none."""
    rows: list[dict[str, Any]] = result.get("comparisons", [])
    return rows


@figure(variants=lambda result: result["parameters"]["coefficients"] if _compared(result) else [])
def metric_differences(result: Result, variant: str, size: Size) -> Chart:
    """The row's correlation less the column's; a star where Williams' test with Holm's correction finds it."""
    coefficient = variant or result["parameters"]["coefficients"][0]
    titles = {metric["name"]: metric["title"] for metric in result["metrics"]}
    cells = []
    for row in _compared(result):
        if row["coefficient"] == coefficient:
            one, other = titles[row["first"]], titles[row["second"]]
            cells += [_cell(one, other, row, 1), _cell(other, one, row, -1)]
    names = list(titles.values())
    reach = max([LEAST_REACH, *(abs(cell["value"]) for cell in cells if cell["value"] is not None)])
    symbol = SYMBOLS[coefficient]
    chart = heat_map(
        cells,
        rows=names,
        columns=names,
        colour=Colour(f"Difference in {symbol}", (-reach, reach), scheme="blueorange", middle=0.0),
        size=size,
    )
    notes = [f"{symbol} of the row’s metric less that of the column’s, over systems; orange: the row agrees better."]
    if _compared(result):
        notes.append(f"* Williams’ test, Holm-corrected p < {ALPHA:g}.")
    else:
        notes = ["There are no two metrics to compare."]
    title = heading("Which metric agrees better", notes, is_simulated=result["is_simulated"], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _cell(row: str, column: str, found: dict[str, Any], sign: int) -> dict[str, Any]:
    value = found["difference"]
    if value is None:
        return {"row": row, "column": column, "value": None}
    significant = found["p_value_holm"] is not None and found["p_value_holm"] < ALPHA
    text = number(sign * round(value, 2) + 0.0)
    return {"row": row, "column": column, "value": sign * value, "text": f"{text}*" if significant else text}
