"""How experts answer: how long they take, how far they agree, which sides they choose, and how far they got."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.study_quality.result import STEPS, ExpertAgreement, SideChoices, StudyQualityResult
from metaeval.figures.dots import DotPanel, dot_panels, dot_row, up_to_one
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.stacked import stacked_bars
from metaeval.figures.style import HUES, heading, styled

CHOICES = {
    "a": ("A", HUES[0]),
    "b": ("B", HUES[4]),
    "both": ("Both", "#66717f"),
    "neither": ("Neither", "#ccd3db"),
}
PLACES = {
    "answered": ("Answered", HUES[0]),
    "half": ("Step 1 only", HUES[5]),
    "waiting": ("Waiting", "#ccd3db"),
    "skipped": ("Skipped", HUES[1]),
}


@figure("How long experts take for an answer")
def quality_times(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One panel per step, with the median and the middle half of the answers; all experts first, then each."""
    panels = []
    for step, step_title in STEPS.items():
        rows = [row for row in result.times if row.step == step]
        longest = max((row.q3 for row in rows if row.q3 is not None), default=0.0)
        panels.append(
            DotPanel(
                [dot_row(row.expert, row.median, row.q1, row.q3) for row in rows],
                x_title="Seconds",
                domain=(0.0, 1.06 * longest if longest > 0 else 1.0),
                title=step_title,
                digits=0,
            )
        )
    note = "Points: medians; lines: the middle half of the answers. Times count only while the page was in use."
    return _dots("How long experts take for an answer", result, panels, note, size)


@figure("How far each expert agrees with the rest")
def quality_agreement(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One panel per step; experts who agree most with the rest come first, those without a value last."""
    domain = up_to_one([_interval_row(row) for row in result.agreement])
    panels = []
    for step, step_title in STEPS.items():
        rows = [row for row in result.agreement if row.step == step]
        rows.sort(key=lambda row: (row.value is None, -(row.value or 0.0)))
        if rows:
            panels.append(
                DotPanel(
                    [_interval_row(row) for row in rows],
                    x_title="Krippendorff’s alpha with the rest",
                    domain=domain,
                    rule_at=0.0,
                    rule_name="chance level",
                    title=step_title,
                )
            )
    level = f"{100 * result.parameters['level']:g}%"
    note = f"1: agrees with everybody who judged the same; 0: chance level. {level} bootstrap intervals over items."
    title = "How far each expert agrees with the rest"
    return _dots(title, result, panels, note if panels else "Nobody has answered yet.", size)


@figure("Do experts favour a side?")
def quality_sides(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """All experts first, then each; the dashed line is one half."""
    panel = DotPanel(
        [_interval_row(row) for row in result.sides],
        x_title="Share of A when one side was chosen",
        domain=(0.0, 1.0),
        rule_at=0.5,
        rule_name="no side favoured",
        percent=True,
    )
    level = f"{100 * result.parameters['level']:g}%"
    note = f"Sides are drawn at random: without bias the share is one half. {level} intervals (Wilson)."
    return _dots("Do experts favour a side?", result, [panel], note, size)


@figure("What experts chose")
def quality_outcomes(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One bar per expert: how often A, B, both and neither."""
    rows = [row.plain() | {"name": row.expert} for row in result.sides[1:]]
    chart, left_out = stacked_bars(rows, CHOICES, size=size, x_title="Preference responses")
    notes = [*_state(result), "Preference responses of each expert, repeats left out.", *left_out]
    return styled(alt.vconcat(chart).properties(title=heading("What experts chose", notes, size=size)), size)


@figure("How far experts got")
def quality_places(result: StudyQualityResult, variant: str, size: Size) -> Chart:
    """One bar per expert: what became of their places."""
    rows = [row.plain() | {"name": f"{row.expert} ({row.state})"} for row in result.people]
    chart, left_out = stacked_bars(rows, PLACES, size=size, x_title="Places")
    drop_out = result.drop_out
    note = (
        f"Drop-out is undefined: {drop_out.reason}."
        if drop_out.value is None
        else f"Drop-out: {drop_out.stopped} of {drop_out.n} experts who began ({100 * drop_out.value:.0f}%)."
    )
    title = heading("How far experts got", [*_state(result), note, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _dots(title: str, result: StudyQualityResult, panels: Sequence[DotPanel], note: str, size: Size) -> Chart:
    chart, left_out = dot_panels(panels, size=size, what="experts")
    notes = [*_state(result), note, *left_out]
    return styled(chart.properties(title=heading(title, notes, size=size)), size)


def _state(result: StudyQualityResult) -> list[str]:
    """Whether a study is still running, and whether only its pilot is shown."""
    sentences = []
    if result.scope == "only":
        sentences.append("The pilot’s answers.")
    if result.state != "closed":
        sentences.append(f"The study is {result.state}: the answers so far.")
    return [" ".join(sentences)] if sentences else []


def _interval_row(row: ExpertAgreement | SideChoices) -> Row:
    return dot_row(row.expert, row.value, row.low, row.high)
