"""Correlations between metrics: pairs by setting in a simulation, metrics by metrics on real systems."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.table import Row
from metaeval.analyses.metric_relationship.result import (
    MetricRelationshipResult,
    RelationOfMetrics,
    RelationsInSetting,
)
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@dataclass(frozen=True)
class _Map:
    """The cells, the names of rows and columns in order, and what the numbers are over."""

    cells: list[Row]
    rows: list[str]
    columns: list[str]
    over: str


@figure("How metrics relate")
def relationship_map(result: MetricRelationshipResult, variant: str, size: Size) -> Chart:
    """One colour scale for all: blue means opposed, orange means alike."""
    coefficient = TITLES[result.parameters["coefficient"]]
    shown = _of_settings(result) if result.settings[0].is_simulated else _of_systems(result)
    chart, left_out = heat_map(
        shown.cells,
        rows=shown.rows,
        columns=shown.columns,
        colour=Colour(coefficient, (-1.0, 1.0), scheme="blueorange", middle=0.0),
        size=size,
    )
    notes = [f"{coefficient} over {shown.over}.", *left_out]
    title = heading("How metrics relate", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _of_settings(result: MetricRelationshipResult) -> _Map:
    titles = result.titles
    columns = [_setting(setting) for setting in result.settings]
    cells: list[Row] = [
        {"row": _pair(row, titles), "column": column, "value": row.value}
        for column, setting in zip(columns, result.settings, strict=True)
        for row in setting.relations
    ]
    rows = [_pair(row, titles) for row in result.settings[0].relations]
    parameters = result.parameters
    drawn = f"{parameters['pairs']:,} simulated pairs of {parameters['instances']:,} instances"
    return _Map(cells, rows, columns, f"{drawn}; α, β: concentrations of people and systems; K: labels")


def _of_systems(result: MetricRelationshipResult) -> _Map:
    titles, relations = result.titles, result.settings[0].relations
    cells: list[Row] = [
        {"row": titles[one], "column": titles[other], "value": row.value}
        for row in relations
        for one, other in ((row.a, row.b), (row.b, row.a))
    ]
    names = list(titles.values())
    return _Map(cells, names, names, f"{max(row.n for row in relations)} systems")


def _pair(row: RelationOfMetrics, titles: dict[str, str]) -> str:
    return f"{titles[row.a]},\n{titles[row.b]}"


def _setting(setting: RelationsInSetting) -> str:
    return f"α {setting.alpha:g}, β {setting.beta:g}, K {setting.labels}"
