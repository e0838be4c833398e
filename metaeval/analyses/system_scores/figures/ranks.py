"""Methods in order of their mean rank over datasets, models and metrics: Kurniawan et al. (2026), Figures 1 to 4."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.system_scores.collapse import collapse_in_words
from metaeval.analyses.system_scores.result import SystemScoresResult
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

ALL = "All metrics"


@figure("Methods by mean rank", exists=lambda result: bool(result.ranks))
def score_ranks(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """The mean rank over all, and by each metric; the best method at the top."""
    cells: list[Row] = []
    for ranked in result.ranks:
        cells.append({"row": ranked.name, "column": ALL, "value": ranked.rank})
        cells += [
            {"row": ranked.name, "column": metric.title, "value": ranked.by_metric[metric.name]}
            for metric in result.metrics
        ]
    chart, left_out = heat_map(
        cells,
        rows=[ranked.name for ranked in result.ranks],
        columns=[ALL, *(metric.title for metric in result.metrics)],
        colour=Colour("Mean rank (1: best)", (1.0, float(len(result.ranks))), format=".1f"),
        size=size,
    )
    notes = [
        f"Mean ranks over {len(result.datasets)} datasets and their models." if result.datasets else "Over the models.",
        "A method whose metric is undefined, or whose prediction is the same for every instance, ranks last.",
    ]
    title = heading("Methods by mean rank", [*notes, *collapse_in_words(result), *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)
