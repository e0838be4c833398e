"""Every measure of agreement with its interval, one panel per step."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.result import AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.dots import DotPanel, dot_panels, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("How far people agree")
def agreement_measures(result: AgreementResult, variant: str, size: Size) -> Chart:
    """1 is perfect agreement; 0 is chance level, except for percentage and pairwise agreement."""
    level = f"{100 * result.parameters['level']:g}%"
    panels = []
    for answer in result.judged:
        rows: list[Row] = [
            {"name": row.title, "value": row.value, "low": row.low, "high": row.high} for row in answer.measures
        ]
        panels.append(
            DotPanel(
                rows,
                x_title="Agreement",
                domain=up_to_one(rows),
                rule_at=0.0,
                rule_name="chance level",
                title=answer.title if len(result.judged) > 1 else "",
            )
        )
    chart, left_out = dot_panels(panels, size=size, what="measures")
    title = heading(
        "How far people agree",
        [
            (
                f"Points with {level} bootstrap intervals over items. 1: perfect; 0: chance level, for alphas "
                "and kappas."
            ),
            *left_out,
        ],
        size=size,
    )
    return styled(chart.properties(title=title), size)
