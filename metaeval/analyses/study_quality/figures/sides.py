"""Which side experts choose: the share of A, which is one half without bias."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.study_quality.figures.words import interval_row, state
from metaeval.analyses.study_quality.result import StudyQualityResult
from metaeval.figures.dots import interval_dots
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure()
def quality_sides(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """All experts first, then each; the dashed line is one half."""
    level = f"{100 * result.parameters['level']:g} %"
    panel = interval_dots(
        [interval_row(row.expert, row) for row in result.sides],
        size=size,
        x_title="Share of A where one side was chosen",
        domain=(0.0, 1.0),
        rule_at=0.5,
        percent=True,
    )
    title = heading(
        "Do experts favour a side?",
        [*state(result), f"Sides are drawn: without bias the share is one half. {level} intervals (Wilson)."],
        size=size,
    )
    return styled(alt.vconcat(panel).properties(title=title), size)
