"""How long experts take: the median of each step and the middle half of the answers."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.study_quality.figures.words import state
from metaeval.analyses.study_quality.naming import STEPS
from metaeval.analyses.study_quality.result import StudyQualityResult
from metaeval.figures.dots import DotPanel, dot_panels
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("How long experts take for an answer")
def quality_times(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One panel per step; all experts first, then each."""
    panels = []
    for step, step_title in STEPS.items():
        rows = [row for row in result.times if row.step == step]
        panels.append(
            DotPanel(
                [{"name": row.expert, "value": row.median, "low": row.q1, "high": row.q3} for row in rows],
                x_title="Seconds",
                domain=_domain([row.q3 for row in rows if row.q3 is not None]),
                title=step_title,
                digits=0,
            )
        )
    chart, left_out = dot_panels(panels, size=size, what="experts")
    title = heading(
        "How long experts take for an answer",
        [
            *state(result),
            ("Points: medians; lines: the middle half of the answers. Times count only while the page was in use."),
            *left_out,
        ],
        size=size,
    )
    return styled(chart.properties(title=title), size)


def _domain(quartiles: list[float]) -> tuple[float, float]:
    return (0.0, 1.06 * max(quartiles)) if quartiles and max(quartiles) > 0 else (0.0, 1.0)
