"""How much people agree on each label: alpha of "this label or not", with its interval."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.result import AgreementOnLabel, AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.dots import DotPanel, dot_panels, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("How far people agree on each label")
def agreement_labels(result: AgreementResult, variant: str, size: Size) -> Chart:
    """Labels, those with most agreement first; how often each was chosen is beside its name."""
    panels = []
    for answer in result.judged:
        labels = sorted(answer.labels, key=lambda label: (label.alpha is None, -(label.alpha or 0.0)))
        rows: list[Row] = [
            {"name": _name(label), "value": label.alpha, "low": label.low, "high": label.high} for label in labels
        ]
        panels.append(
            DotPanel(
                rows,
                x_title="Krippendorff’s alpha",
                domain=up_to_one(rows),
                rule_at=0.0,
                rule_name="chance level",
                title=answer.title if len(result.judged) > 1 else "",
            )
        )
    chart, left_out = dot_panels(panels, size=size, what="labels")
    title = heading(
        "How far people agree on each label",
        [
            "In brackets: how often it was chosen. Alpha of “this label or not”, with bootstrap intervals over items.",
            *left_out,
        ],
        size=size,
    )
    return styled(chart.properties(title=title), size)


def _name(label: AgreementOnLabel) -> str:
    return f"{label.label} ({label.count:,})"
