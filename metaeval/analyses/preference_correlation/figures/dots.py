"""Every metric's correlation with the experts' preference and its interval, one panel per coefficient."""

from __future__ import annotations

from collections.abc import Sequence

from altair.typing import ChartType as Chart

from metaeval.analyses.base.result import COEFFICIENT_TITLES
from metaeval.analyses.base.table import Row
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult
from metaeval.figures.dots import DotPanel, dot_panels
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("How far each metric agrees with the experts")
def correlation_dots(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """Metrics in the order of the first coefficient, the highest on top; the same order in all panels."""
    coefficients = result.coefficients
    rows = {(row.coefficient, row.metric): row for row in result.correlations}
    order = sorted(result.metrics, key=lambda metric: _place(rows[coefficients[0], metric.name].value))
    panels = [
        DotPanel(
            [_dot(rows[coefficient, metric.name], metric.title) for metric in order],
            x_title=COEFFICIENT_TITLES[coefficient],
            domain=(-1.05, 1.05),
            rule_at=0.0,
            rule_name="no correlation",
        )
        for coefficient in coefficients
    ]
    chart, left_out = dot_panels(panels, size=size, what="metrics")
    title = heading("How far each metric agrees with the experts", [*_about(result), *left_out], size=size)
    return styled(chart.properties(title=title), size)


def _about(result: PreferenceCorrelationResult) -> list[str]:
    """What the intervals are, if there are any."""
    found = [row.interval for row in result.correlations if row.interval]
    if not found:
        return []
    interval = next((one for one in found if not one.reason), found[0])
    if interval.method == "jackknife":
        if interval.reason:
            return [f"Without intervals: {interval.reason}."]
        tested = "" if interval.statistic == "overall" else f" of the correlation {interval.statistic}"
        return [
            f"Points{tested} with {100 * interval.level:g}% intervals (Fisher’s z, leaving out each of "
            f"the {interval.units} {_listed(interval.over)} in turn)."
        ]
    return [f"Points with {100 * interval.level:g}% bootstrap intervals over {_listed(interval.over)}."]


def _place(value: float | None) -> tuple[bool, float]:
    return value is None, -(value or 0.0)


def _dot(row: CorrelationOfMetric, title: str) -> Row:
    low, high = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return {"name": title, "value": row.value, "low": low, "high": high}


def _listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> _listed(["systems", "comparisons", "experts"]), _listed(["systems"])
    ('systems, comparisons and experts', 'systems')
    """
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
