"""Agreement in groups of items."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.figures.words import distance_title
from metaeval.figures.dots import interval_dots, up_to_one
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled

GROUPINGS = {
    "agreement": "Items by percentage agreement (PA)",
    "different_labels": "Items by how many different labels they got",
    "systems": "Items by system",
}


@figure()
def agreement_partitions(result: Result, variant: str, size: Size) -> Chart:
    """A panel a way to group the items; the number of items stands beside the group's name."""
    panels = []
    several = len(result["judged"]) > 1
    domain = up_to_one([row for answer in result["judged"] for row in answer["partitions"]])
    names = [_name(row) for answer in result["judged"] for row in answer["partitions"]]
    for answer in result["judged"]:
        groupings = dict.fromkeys(row["grouping"] for row in answer["partitions"])
        for grouping in groupings:
            rows = [row for row in answer["partitions"] if row["grouping"] == grouping]
            words = GROUPINGS[grouping]
            panels.append(
                interval_dots(
                    [row | {"name": _name(row)} for row in rows],
                    size=size,
                    x_title=f"Krippendorff’s alpha, {distance_title(answer['distance'])}",
                    domain=domain,
                    rule_at=0.0,
                    beside=names,
                    title=f"{answer['title']}. {words}" if several else words,
                )
            )
    title = heading(
        "How far people agree in groups of items",
        ["In brackets: how many items. Bootstrap intervals over the items of a group."]
        if panels
        else ["No partitions were asked for."],
        is_simulated=result["is_simulated"],
        size=size,
    )
    if not panels:
        panels = [interval_dots([], size=size, x_title="")]
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)


def _name(row: dict[str, Any]) -> str:
    return f"{row['partition'].replace('<=', '≤')} ({row['items']:,})"
