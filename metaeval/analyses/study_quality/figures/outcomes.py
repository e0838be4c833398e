"""How often each expert chose A, B, both and neither."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.study_quality.figures.words import state
from metaeval.analyses.study_quality.result import StudyQualityResult
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.stacked import stacked_bars
from metaeval.figures.style import HUES, heading, styled

PARTS = {
    "a": ("A", HUES[0]),
    "b": ("B", HUES[4]),
    "both": ("Both", "#66717f"),
    "neither": ("Neither", "#ccd3db"),
}


@figure("What experts chose")
def quality_outcomes(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One bar per expert."""
    rows = [row.plain() | {"name": row.expert} for row in result.sides[1:]]
    chart, left_out = stacked_bars(rows, PARTS, size=size, x_title="Preference responses")
    title = heading(
        "What experts chose",
        [*state(result), "Preference responses of each expert, repeats left out.", *left_out],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)
