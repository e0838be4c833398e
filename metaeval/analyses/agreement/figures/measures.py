"""Every measure of agreement with its interval, a panel a step."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import interval_dots, up_to_one
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled


@figure()
def agreement_measures(result: Result, variant: str, size: Size) -> Chart:
    """1 is perfect agreement; 0 is what chance gives, except for percentage and pairwise agreement."""
    level = f"{100 * result['parameters']['level']:g} %"
    names = [row["title"] for answer in result["judged"] for row in answer["measures"]]
    panels = [
        interval_dots(
            [row | {"name": row["title"]} for row in answer["measures"]],
            size=size,
            x_title="Agreement",
            domain=up_to_one(answer["measures"]),
            rule_at=0.0,
            beside=names,
            title=answer["title"] if len(result["judged"]) > 1 else "",
        )
        for answer in result["judged"]
    ]
    title = heading(
        "How far people agree",
        [f"Points with {level} bootstrap intervals over items. 1: perfect; 0: as by chance, for alphas and kappas."],
        is_simulated=result["is_simulated"],
        size=size,
    )
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)
