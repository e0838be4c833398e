"""How far people agree on each label: alpha of "this label or not", with its interval."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import interval_dots, up_to_one
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled


@figure()
def agreement_labels(result: Result, variant: str, size: Size) -> Chart:
    """Labels from the one on which people agree most; how often each was chosen stands beside its name."""
    panels = []
    names = [_name(row) for answer in result["judged"] for row in answer["labels"]]
    for answer in result["judged"]:
        rows = sorted(answer["labels"], key=lambda row: (row["alpha"] is None, -(row["alpha"] or 0.0)))
        panels.append(
            interval_dots(
                [row | {"name": _name(row), "value": row["alpha"]} for row in rows],
                size=size,
                x_title="Krippendorff’s alpha",
                domain=up_to_one([row | {"value": row["alpha"]} for row in rows]),
                rule_at=0.0,
                beside=names,
                title=answer["title"] if len(result["judged"]) > 1 else "",
            )
        )
    title = heading(
        "How far people agree on each label",
        ["In brackets: how often it was chosen. Alpha of “this label or not”, with bootstrap intervals over items."],
        is_simulated=result["is_simulated"],
        size=size,
    )
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)


def _name(row: dict[str, Any]) -> str:
    return f"{row['label']} ({row['count']:,})"
