"""How far each expert got."""

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
    "answered": ("Answered", HUES[0]),
    "half": ("Step 1 only", HUES[5]),
    "waiting": ("Waiting", "#ccd3db"),
    "skipped": ("Skipped", HUES[1]),
}


@figure("How far experts got")
def quality_places(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One bar per expert: what became of their places."""
    rows = [row.plain() | {"name": f"{row.expert} ({row.state})"} for row in result.people]
    chart, left_out = stacked_bars(rows, PARTS, size=size, x_title="Places")
    drop_out = result.drop_out
    words = (
        f"Drop-out is undefined: {drop_out.reason}."
        if drop_out.value is None
        else f"Drop-out: {drop_out.stopped} of {drop_out.n} experts who began ({100 * drop_out.value:.0f}%)."
    )
    title = heading("How far experts got", [*state(result), words, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)
