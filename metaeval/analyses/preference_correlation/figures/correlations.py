"""How far each metric agrees with the experts, which agrees better, and whether this holds."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.result import COEFFICIENT_TITLES, DescribedMetric
from metaeval.analyses.base.table import Row
from metaeval.analyses.base.wording import ALPHA, listed
from metaeval.analyses.preference_correlation.result import (
    DifferenceOfMetrics,
    PreferenceCorrelationResult,
    varied_correlations,
)
from metaeval.analyses.preference_correlation.tables import KINDS
from metaeval.figures.dots import BREAK, SPLIT, TOP_OF_PAGE, DotPanel, centred, dot_panels, padded
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import BOLD, Size, text_width, wrapped
from metaeval.figures.style import INK, LINE, SOFT, heading, number, styled
from metaeval.stats import Coefficient

LEAST_REACH = 0.2
"""The ends of the colour scale are at least this far from 0, so that small differences look small."""
TICK = "M 0 -0.6 L 0 0.6"
COLUMNS = {"screen": 2, "two": 2, "one": 1}
BELOW, NOT_BELOW, UNTESTED = f"p < {ALPHA:g}", f"p ≥ {ALPHA:g}", "not tested"


@figure("How far each metric agrees with the experts")
def correlation_dots(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """Metrics in the order of the first coefficient, the highest on top; the same order in all panels."""
    coefficients = result.coefficients
    rows = {(row.coefficient, row.metric): row for row in result.correlations}
    values = {metric.name: rows[coefficients[0], metric.name].value for metric in result.metrics}
    order = sorted(result.metrics, key=lambda metric: (values[metric.name] is None, -(values[metric.name] or 0.0)))
    panels = []
    for coefficient in coefficients:
        dots: list[Row] = []
        for metric in order:
            row = rows[coefficient, metric.name]
            low, high = (row.interval.low, row.interval.high) if row.interval else (None, None)
            dots.append({"name": metric.title, "value": row.value, "low": low, "high": high})
        panels.append(
            DotPanel(
                dots,
                x_title=COEFFICIENT_TITLES[coefficient],
                domain=(-1.05, 1.05),
                rule_at=0.0,
                rule_name="no correlation",
            )
        )
    chart, left_out = dot_panels(panels, size=size, what="metrics")
    title = heading("How far each metric agrees with the experts", [*_intervals(result), *left_out], size=size)
    return styled(chart.properties(title=title), size)


def _intervals(result: PreferenceCorrelationResult) -> list[str]:
    """What the intervals are, if there are any."""
    intervals = [row.interval for row in result.correlations if row.interval]
    if not intervals:
        return []
    interval = next((interval for interval in intervals if not interval.reason), intervals[0])
    over = listed(interval.over)
    if interval.method != "jackknife":
        return [f"Points with {100 * interval.level:g}% bootstrap intervals over {over}."]
    if interval.reason:
        return [f"Without intervals: {interval.reason}."]
    tested = "" if interval.statistic == "overall" else f" of the correlation {interval.statistic}"
    return [
        f"Points{tested} with {100 * interval.level:g}% intervals (Fisher’s z, leaving out each of the "
        f"{interval.units} {over} in turn)."
    ]


@figure("Which metric agrees better", variants=lambda result: result.coefficients if result.comparisons else [])
def metric_differences(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """The row's correlation minus the column's; coloured, with a star, if the test with Holm's correction finds it: the
    test by units of analysis or, in results before version 3, Williams'."""
    coefficient = _coefficient(result, variant)
    compared = [row for row in result.comparisons if row.coefficient == coefficient]
    titles = {metric.name: metric.title for metric in result.metrics}
    cells: list[Row] = []
    for row in compared:
        first, second = titles[row.first], titles[row.second]
        cells += [_cell(first, second, row, 1), _cell(second, first, row, -1)]
    names = list(titles.values())
    reach = max([LEAST_REACH, *(abs(value) for row in compared if (value := _difference(row)[0]) is not None)])
    title = COEFFICIENT_TITLES[coefficient]
    chart, left_out = heat_map(
        cells,
        rows=names,
        columns=names,
        colour=Colour(f"Difference in {title}", (-reach, reach), scheme="blueorange", middle=0.0),
        size=size,
        with_legend=any(not cell["grey"] for cell in cells),
    )
    by_units = next((row.by_units for row in compared if row.by_units), None)
    over = "over systems" if by_units is None or by_units.statistic == "overall" else by_units.statistic
    test = "Williams’ test"
    if by_units is not None and by_units.test == "jackknife":
        test = f"Leaving out each of the {by_units.units} {by_units.left_out} in turn"
    elif by_units is not None:
        test = f"Exchanging the two metrics’ values of whole {by_units.left_out}"
    notes = [
        f"{title} of the row’s metric minus that of the column’s, {over}; orange: the row agrees better, "
        "blue: the column; grey: they cannot be told apart.",
        f"* {test}, Holm-corrected p < {ALPHA:g}.",
    ]
    if not result.comparisons:
        notes = ["There are no two metrics to compare."]
    notes += left_out
    words = heading("Which metric agrees better", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=words), size)


def _coefficient(result: PreferenceCorrelationResult, variant: str) -> Coefficient:
    return next(name for name in result.coefficients if variant in {"", name})


def _difference(row: DifferenceOfMetrics) -> tuple[float | None, float | None]:
    """The difference, and the p-value of its test."""
    if row.by_units is None:
        return row.difference, row.p_value_holm
    return row.by_units.difference, row.by_units.p_holm


def _cell(row: str, column: str, pair: DifferenceOfMetrics, sign: int) -> Row:
    value, p_value = _difference(pair)
    if value is None:
        return {"row": row, "column": column, "value": None, "grey": True}
    significant = p_value is not None and p_value < ALPHA
    text = number(sign * round(value, 2) + 0.0) + ("*" if significant else "")
    return {"row": row, "column": column, "value": sign * value, "text": text, "grey": not significant}


@figure(
    "Does the answer hold?",
    variants=lambda result: result.coefficients[1:],
    exists=lambda result: bool(result.sensitivity),
)
def holding(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """One panel per metric: the answer as a line, and a point for each variation; by the first coefficient or
    another."""
    coefficient = _coefficient(result, variant)
    columns = COLUMNS[size.name]
    kinds = [words for kind, words in KINDS.items() if any(row.kind == kind for row in result.sensitivity)]
    room = min(max(text_width(kind, size.text) for kind in kinds), 0.6 * size.width / columns)
    lines = {kind: BREAK.join(wrapped(kind, room, size.text, most=2)) for kind in kinds}
    width = max(80, int((size.width - 2 * size.padding - (columns - 1) * size.text * 1.6) / columns - room - 12))
    step = size.text * (1.3 if size.is_paper else 1.5)
    step = max(step, 2.4 * size.text if any(BREAK in name for name in lines.values()) else 0)
    high = len(kinds) * step + size.text * 3.2
    above = 5.5 * size.text if size.is_paper else TOP_OF_PAGE
    fit = max(1, int((size.height - 2 * size.padding - above) / high)) * columns
    shown = result.metrics[:fit]
    every = [varied_correlations(result.sensitivity, metric.name, coefficient) for metric in result.metrics]
    ends = padded([0.0, *(row.value for rows in every for _, row in rows if row.value is not None)])
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
            description=_description(result, coefficient, metric),
        )
        for place, metric in enumerate(shown)
    ]
    notes = [
        f"{COEFFICIENT_TITLES[coefficient]}: the vertical line is the answer; each point shows the result with one "
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
    answer = _answer(result, coefficient, metric)
    points: list[Row] = [
        {
            "kind": kinds[KINDS[variation.kind]],
            "name": variation.name,
            "value": row.value,
            "p": row.p_value,
            "shown": UNTESTED if row.p_value is None else BELOW if row.p_value < ALPHA else NOT_BELOW,
        }
        for variation, row in varied_correlations(result.sensitivity, metric, coefficient)
    ]
    x = alt.X(
        "value:Q",
        title=COEFFICIENT_TITLES[coefficient] if is_last else None,
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
    line = alt.Chart(InlineRows(values=[] if answer is None else [{"value": answer}]))
    panel: Chart = alt.layer(zero, line.mark_rule(color=INK, strokeWidth=1.4).encode(x=x), marks)
    return panel


def _answer(result: PreferenceCorrelationResult, coefficient: Coefficient, metric: str) -> float | None:
    rows = result.correlations
    return next(row.value for row in rows if (row.metric, row.coefficient) == (metric, coefficient))


def _description(result: PreferenceCorrelationResult, coefficient: Coefficient, metric: DescribedMetric) -> str:
    values = [
        row.value
        for variation in result.sensitivity
        for row in variation.rows
        if (row.metric, row.coefficient) == (metric.name, coefficient) and row.value is not None
    ]
    spread = "nothing defined with changes"
    if values:
        spread = f"with changes from {number(min(values))} to {number(max(values))}"
    return f"{metric.title}: {number(_answer(result, coefficient, metric.name))}, {spread}"
