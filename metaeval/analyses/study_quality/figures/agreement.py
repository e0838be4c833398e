"""How much each expert agrees with the others."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.study_quality.figures.words import interval_row, state
from metaeval.analyses.study_quality.naming import STEPS
from metaeval.analyses.study_quality.result import StudyQualityResult
from metaeval.figures.dots import DotPanel, dot_panels, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("How far each expert agrees with the rest")
def quality_agreement(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One panel per step; experts who agree most with the rest come first, those without a value last."""
    domain = up_to_one([interval_row(row.expert, row) for row in result.agreement])
    panels = []
    for step, step_title in STEPS.items():
        rows = [row for row in result.agreement if row.step == step]
        if rows:
            panels.append(
                DotPanel(
                    [
                        interval_row(row.expert, row)
                        for row in sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0)))
                    ],
                    x_title="Krippendorff’s alpha with the rest",
                    domain=domain,
                    rule_at=0.0,
                    rule_name="chance level",
                    title=step_title,
                )
            )
    level = f"{100 * result.parameters['level']:g}%"
    chart, left_out = dot_panels(panels, size=size, what="experts")
    title = heading(
        "How far each expert agrees with the rest",
        [
            *state(result),
            (f"1: agrees with everybody who judged the same; 0: chance level. {level} bootstrap intervals over items.")
            if panels
            else "Nobody has answered yet.",
            *left_out,
        ],
        size=size,
    )
    return styled(chart.properties(title=title), size)
