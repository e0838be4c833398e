"""Every measure of agreement with its interval, a panel a step."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.result import AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.dots import interval_dots, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure()
def agreement_measures(result: AgreementResult, variant: str, size: Size) -> Chart:
    """1 is perfect agreement; 0 is what chance gives, except for percentage and pairwise agreement."""
    level = f"{100 * result.parameters['level']:g} %"
    names = [row.title for answer in result.judged for row in answer.measures]
    panels = []
    for answer in result.judged:
        rows: list[Row] = [
            {"name": row.title, "value": row.value, "low": row.low, "high": row.high} for row in answer.measures
        ]
        panels.append(
            interval_dots(
                rows,
                size=size,
                x_title="Agreement",
                domain=up_to_one(rows),
                rule_at=0.0,
                beside=names,
                title=answer.title if len(result.judged) > 1 else "",
            )
        )
    title = heading(
        "How far people agree",
        [f"Points with {level} bootstrap intervals over items. 1: perfect; 0: as by chance, for alphas and kappas."],
        size=size,
    )
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)
