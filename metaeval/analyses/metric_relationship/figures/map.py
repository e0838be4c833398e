"""Correlations between metrics: pairs by setting in a simulation, metrics by metrics on real systems."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.words import SYMBOLS
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled


@figure()
def relationship_map(result: Result, variant: str, size: Size) -> Chart:
    """One colour for all: blue is opposed, orange is alike."""
    titles = {metric["name"]: metric["title"] for metric in result["metrics"]}
    symbol = SYMBOLS[result["parameters"]["coefficient"]]
    simulated = result["settings"][0]["alpha"] is not None
    if simulated:
        columns = [_setting(setting) for setting in result["settings"]]
        cells = [
            {"row": _pair(row, titles), "column": column, "value": row["value"]}
            for column, setting in zip(columns, result["settings"], strict=True)
            for row in setting["relations"]
        ]
        rows = [_pair(row, titles) for row in result["settings"][0]["relations"]]
        parameters = result["parameters"]
        drawn = f"{parameters['pairs']:,} simulated pairs of {parameters['instances']:,} instances"
        notes = [f"{symbol} over {drawn}; α, β: concentrations of people and systems; K: labels."]
    else:
        rows = columns = list(titles.values())
        cells = [
            {"row": titles[one], "column": titles[other], "value": row["value"]}
            for row in result["settings"][0]["relations"]
            for one, other in ((row["a"], row["b"]), (row["b"], row["a"]))
        ]
        notes = [f"{symbol} over {max(row['n'] for row in result['settings'][0]['relations'])} systems."]
    chart = heat_map(
        cells,
        rows=rows,
        columns=columns,
        colour=Colour(symbol, (-1.0, 1.0), scheme="blueorange", middle=0.0),
        size=size,
    )
    title = heading("How metrics relate", notes, is_simulated=result["is_simulated"], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _pair(row: dict[str, Any], titles: dict[str, str]) -> str:
    return f"{titles[row['a']]},\n{titles[row['b']]}"


def _setting(setting: dict[str, Any]) -> str:
    return f"α {setting['alpha']:g}, β {setting['beta']:g}, K {setting['labels']}"
