"""Does the answer hold? Every metric's correlation with one thing changed, one row per kind of variation."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.preference_correlation.result import PreferenceCorrelationResult
from metaeval.analyses.preference_correlation.tables_of_holding import KINDS
from metaeval.analyses.preference_correlation.unit_of_analysis import ALPHA
from metaeval.figures.dots import BREAK, SPLIT, TOP_OF_PAGE, centred, padded
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import BOLD, Size, text_width, wrapped
from metaeval.figures.style import INK, LINE, SOFT, heading, number, styled
from metaeval.stats import Coefficient

TICK = "M 0 -0.6 L 0 0.6"
COLUMNS = {"screen": 2, "two": 2, "one": 1}
BELOW, NOT_BELOW, UNTESTED = f"p < {ALPHA:g}", f"p ≥ {ALPHA:g}", "not tested"


@figure(
    "Does the answer hold?",
    variants=lambda result: result.coefficients[1:],
    exists=lambda result: bool(result.sensitivity),
)
def holding(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """One panel per metric: the answer as a line, and a point for each variation; by the first coefficient or
    another."""
    coefficient = next(known for known in result.coefficients if variant in {"", known})
    columns = COLUMNS[size.name]
    kinds = [words for kind, words in KINDS.items() if any(one.kind == kind for one in result.sensitivity)]
    room = min(max(text_width(kind, size.text) for kind in kinds), 0.6 * size.width / columns)
    lines = {kind: BREAK.join(wrapped(kind, room, size.text, most=2)) for kind in kinds}
    width = max(80, int((size.width - 2 * size.padding - (columns - 1) * size.text * 1.6) / columns - room - 12))
    step = size.text * (1.3 if size.is_paper else 1.5)
    step = max(step, 2.4 * size.text if any(BREAK in name for name in lines.values()) else 0)
    high = len(kinds) * step + size.text * 3.2
    above = 5.5 * size.text if size.is_paper else TOP_OF_PAGE
    fit = max(1, int((size.height - 2 * size.padding - above) / high)) * columns
    shown = result.metrics[:fit]
    ends = _ends(result, coefficient)
    panels = [
        _panel(
            result, coefficient, metric.name, lines, ends=ends, size=size, is_last=place >= len(shown) - columns
        ).properties(
            width=width,
            height=alt.Step(step),
            title=alt.TitleParams(
                text=wrapped(metric.title, width + room, size.text * 1.1 * BOLD),
                fontSize=size.text * 1.1,
                anchor="start",
                offset=4,
            ),
            description=_told(result, coefficient, metric),
        )
        for place, metric in enumerate(shown)
    ]
    notes = [
        f"{TITLES[coefficient]}: the vertical line is the answer; each point shows the result with one "
        "thing changed. Dashed: no correlation.",
        "Filled points have an uncorrected p below 5%; vertical ticks were not tested; tests on fewer "
        "systems have less to go on.",
    ]
    if len(shown) < len(result.metrics):
        notes.append(f"The first {len(shown)} of {len(result.metrics)} metrics; the tables have all.")
    title = heading("Does the answer hold?", notes, size=size)
    return styled(alt.concat(*panels, columns=columns, spacing=size.text * 1.2).properties(title=title), size)


def _panel(
    result: PreferenceCorrelationResult,
    coefficient: Coefficient,
    metric: str,
    kinds: dict[str, str],
    *,
    ends: tuple[float, float],
    size: Size,
    is_last: bool,
) -> Chart:
    asked = next(row.value for row in result.correlations if (row.metric, row.coefficient) == (metric, coefficient))
    points: list[Row] = [
        {
            "kind": kinds[KINDS[one.kind]],
            "name": one.name,
            "value": row.value,
            "p": row.p_value,
            "shown": _shown(row.p_value),
        }
        for one in result.sensitivity
        if not (one.kind == "exchangeable" and one.cannot_reject)
        for row in one.rows
        if (row.metric, row.coefficient) == (metric, coefficient) and row.value is not None
    ]
    x = alt.X(
        "value:Q",
        title=TITLES[coefficient] if is_last else None,
        scale=alt.Scale(domain=list(ends), nice=False),
        axis=alt.Axis(labels=is_last, ticks=is_last),
    )
    names = list(kinds.values())
    axis = alt.Axis(labelLimit=0, labelOverlap=False, labelExpr=SPLIT, labelOffset=centred(names, size))
    y = alt.Y("kind:N", sort=names, title=None, scale=alt.Scale(domain=names), axis=axis)
    marks = (
        alt.Chart(InlineRows(values=points))
        .mark_point(size=size.text * 3.4, opacity=0.75, color=LINE)
        .encode(
            x=x,
            y=y,
            fillOpacity=alt.FillOpacity(
                "shown:N",
                scale=alt.Scale(domain=[BELOW, NOT_BELOW, UNTESTED], range=[1, 0, 0]),
                legend=None,
            ),
            fill=alt.value(LINE),
            shape=alt.Shape(
                "shown:N",
                scale=alt.Scale(domain=[BELOW, NOT_BELOW, UNTESTED], range=["circle", "circle", TICK]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("kind:N", title="What is changed"),
                alt.Tooltip("name:N", title="With"),
                alt.Tooltip("value:Q", format=".3f"),
                alt.Tooltip("p:Q", format=".3f"),
            ],
        )
    )
    zero = alt.Chart(InlineRows(values=[{"value": 0.0}])).mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x=x)
    answer = alt.Chart(InlineRows(values=[] if asked is None else [{"value": asked}]))
    panel: Chart = alt.layer(zero, answer.mark_rule(color=INK, strokeWidth=1.4).encode(x=x), marks)
    return panel


def _told(result: PreferenceCorrelationResult, coefficient: Coefficient, metric: DescribedMetric) -> str:
    """What a panel shows, in words."""
    wanted = (metric.name, coefficient)
    asked = next(row.value for row in result.correlations if (row.metric, row.coefficient) == wanted)
    values = [
        row.value
        for one in result.sensitivity
        for row in one.rows
        if (row.metric, row.coefficient) == wanted and row.value is not None
    ]
    spread = (
        f"with changes from {number(min(values))} to {number(max(values))}"
        if values
        else ("nothing defined with changes")
    )
    return f"{metric.title}: {number(asked)}, {spread}"


def _ends(result: PreferenceCorrelationResult, coefficient: Coefficient) -> tuple[float, float]:
    """The range of all panels' values, including zero."""
    values = [
        row.value
        for one in result.sensitivity
        if not (one.kind == "exchangeable" and one.cannot_reject)
        for row in one.rows
        if row.coefficient == coefficient and row.value is not None
    ]
    return padded([0.0, *values])


def _shown(p_value: float | None) -> str:
    if p_value is None:
        return UNTESTED
    return BELOW if p_value < ALPHA else NOT_BELOW
