"""Which side experts choose: the share of A, which is one half without bias."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.study_quality.figures.words import interval_row, state
from metaeval.analyses.study_quality.result import StudyQualityResult
from metaeval.figures.dots import DotPanel, dot_panels
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("Do experts favour a side?")
def quality_sides(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """All experts first, then each; the dashed line is one half."""
    level = f"{100 * result.parameters['level']:g}%"
    panel = DotPanel(
        [interval_row(row.expert, row) for row in result.sides],
        x_title="Share of A when one side was chosen",
        domain=(0.0, 1.0),
        rule_at=0.5,
        rule_name="no side favoured",
        percent=True,
    )
    chart, left_out = dot_panels([panel], size=size, what="experts")
    title = heading(
        "Do experts favour a side?",
        [
            *state(result),
            (f"Sides are drawn at random: without bias the share is one half. {level} intervals (Wilson)."),
            *left_out,
        ],
        size=size,
    )
    return styled(chart.properties(title=title), size)
