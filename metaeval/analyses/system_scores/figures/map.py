"""All metrics of all methods: differences from the baseline, or the means."""

from __future__ import annotations

from statistics import median

import altair as alt
from altair.typing import ChartType as Chart

from annotations.ground.system_names import system_name
from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.system_scores.collapse import collapse_in_words
from metaeval.analyses.system_scores.result import ScoredMethod, SystemScoresResult
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, number, styled


@figure("All metrics at once", exists=lambda result: not result.datasets)
def score_map(result: SystemScoresResult, variant: str, size: Size) -> Chart:
    """Colours compare within a column: orange is better and blue worse than the baseline (or the median method)."""
    baseline = result.baseline
    groups = [group for group in result.groups if baseline is None or group.method != baseline] or result.groups
    cells = [cell for metric in result.metrics for cell in _column(groups, metric, with_baseline=baseline is not None)]
    compared = f"the method {baseline} of the same model" if baseline else "the median of the column"
    chart, left_out = heat_map(
        cells,
        rows=[_name(group) for group in groups],
        columns=[metric.title for metric in result.metrics],
        colour=Colour("Worse ← → better", (-1.0, 1.0), scheme="blueorange", middle=0.0),
        size=size,
    )
    title = heading(
        f"Differences from {baseline}" if baseline else "Metrics of the systems",
        [
            f"Colour: better or worse than {compared}, as a share of the largest difference of the column.",
            "Numbers: differences of means over runs." if baseline else "Numbers: means over runs.",
            *collapse_in_words(result),
            *left_out,
        ],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _column(groups: list[ScoredMethod], metric: DescribedMetric, *, with_baseline: bool) -> list[Row]:
    values = [group.metrics[metric.name] for group in groups]
    known = [value.mean for value in values if value.mean is not None]
    middle = median(known) if known else 0.0
    shown = [value.difference if with_baseline else value.mean for value in values]
    away = [None if value is None else (value if with_baseline else value - middle) for value in shown]
    sign = -1 if metric.orientation == "lower" else 1
    largest = max((abs(value) for value in away if value is not None), default=0.0) or 1.0
    return [
        {
            "row": _name(group),
            "column": metric.title,
            "value": None if delta is None else sign * delta / largest,
            "text": "–" if value is None else _printed(value, signed=with_baseline),
        }
        for group, value, delta in zip(groups, shown, away, strict=True)
    ]


def _printed(value: float, *, signed: bool) -> str:
    text = number(round(value, 2) + 0.0)
    return f"+{text}" if signed and round(value, 2) > 0 else text


def _name(group: ScoredMethod) -> str:
    return system_name(group.model, group.method)
