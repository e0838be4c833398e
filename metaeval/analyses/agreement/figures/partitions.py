"""Agreement in groups of items."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.figures.words import distance_title
from metaeval.analyses.agreement.parameters import Grouping
from metaeval.analyses.agreement.result import AgreementInGroup, AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.dots import DotPanel, dot_panels, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

GROUPINGS: dict[Grouping, str] = {
    "agreement": "Items by percentage agreement (PA)",
    "different_labels": "Items by how many different labels they got",
    "systems": "Items by system",
}


@figure("How far people agree in groups of items")
def agreement_partitions(result: AgreementResult, variant: str, size: Size) -> Chart:
    """One panel per way of grouping the items; the number of items is beside the group's name."""
    panels = []
    several = len(result.judged) > 1
    domain = up_to_one([_row(group) for answer in result.judged for group in answer.partitions])
    for answer in result.judged:
        groupings = dict.fromkeys(group.grouping for group in answer.partitions)
        for grouping in groupings:
            words = GROUPINGS[grouping]
            panels.append(
                DotPanel(
                    [_row(group) for group in answer.partitions if group.grouping == grouping],
                    x_title=f"Krippendorff’s alpha, {distance_title(answer.distance)}",
                    domain=domain,
                    rule_at=0.0,
                    rule_name="chance level",
                    title=f"{answer.title}. {words}" if several else words,
                )
            )
    chart, left_out = dot_panels(panels, size=size, what="groups")
    title = heading(
        "How far people agree in groups of items",
        ["In brackets: how many items. Bootstrap intervals over the items of a group.", *left_out]
        if panels
        else ["No partitions were requested."],
        size=size,
    )
    return styled(chart.properties(title=title), size)


def _row(group: AgreementInGroup) -> Row:
    return {"name": _name(group), "value": group.value, "low": group.low, "high": group.high}


def _name(group: AgreementInGroup) -> str:
    return f"{group.partition.replace('<=', '≤')} ({group.items:,})"
