"""What stands over a scatter and over its panels: the correlations, their tests, and what was left out."""

from __future__ import annotations

from metaeval.analyses.base.coefficients import SYMBOLS, TITLES
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult
from metaeval.figures.style import number, p_value


def tests_of(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """A line a coefficient."""
    rows = [row for row in result.correlations if row.metric == metric]
    lines = [
        f"{TITLES[row.coefficient]} = {number(row.value)}{_bounds(row)}, {p_value(row.p_value)}"
        if row.value is not None
        else f"{TITLES[row.coefficient]} undefined: {row.reason}"
        for row in rows
    ]
    return [*lines[:-1], f"{lines[-1]} ({rows[0].n} systems)"] if rows else []


def left_out(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """Which systems are not in the chart, and why; the first three by name."""
    missing = [
        f"{entry.system} ({entry.reason})"
        for entry in result.exclusions
        if entry.what == "system" and entry.metric in {None, metric}
    ]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return [f"Left out: {'; '.join(missing[:3])}{more}"] if missing else []


def summary(result: PreferenceCorrelationResult, metric: str) -> str:
    """One line under a small panel's title: its first coefficient."""
    row = next(row for row in result.correlations if row.metric == metric)
    if row.value is None:
        return "undefined"
    missing = f", {len(row.excluded)} left out" if row.excluded else ""
    parts = f"{SYMBOLS[row.coefficient]} = {number(row.value)}, {p_value(row.p_value)}, n = {row.n}{missing}"
    return parts.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # lines break between the parts


def _bounds(row: CorrelationOfMetric) -> str:
    """The bootstrap interval in brackets, where there is one."""
    interval = row.interval
    if interval is None or interval.low is None or interval.high is None:
        return ""
    return f" [{number(interval.low)}, {number(interval.high)}]"
