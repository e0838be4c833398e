"""The headings of a scatter plot and its panels: the correlations, their tests, and what was left out."""

from __future__ import annotations

from metaeval.analyses.base.result import COEFFICIENT_SYMBOLS, COEFFICIENT_TITLES
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult
from metaeval.figures.style import number, p_value


def tests_of(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """One line per coefficient."""
    rows = [row for row in result.correlations if row.metric == metric]
    lines = [_line(row) for row in rows]
    return [*lines, f"One point per system ({rows[0].n})"] if rows else []


def _line(row: CorrelationOfMetric) -> str:
    title = COEFFICIENT_TITLES[row.coefficient]
    if row.value is None:
        return f"{title} undefined: {row.reason}"
    corrected = "" if row.p_holm is None else f" ({p_value(row.p_holm)} with Holm’s correction over the metrics)"
    return f"{title}{_which(row)} = {number(row.value)}{_bounds(row)}, {p_value(row.p_value)}{corrected}{_beside(row)}"


def left_out(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """Which systems are not in the chart, and why; the first three by name."""
    missing = [
        f"{entry.system} ({entry.reason})"
        for entry in result.exclusions
        if entry.what == "system" and entry.metric in {None, metric}
    ]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return [f"Left out: {'; '.join(missing[:3])}{more}"] if missing else []


def summary(result: PreferenceCorrelationResult, metric: str) -> list[str]:
    """Lines under a small panel's title: its first coefficient with its interval, and the corrected p."""
    row = next(row for row in result.correlations if row.metric == metric)
    if row.value is None:
        return ["undefined"]
    missing = f", {len(row.excluded)} left out" if row.excluded else ""
    return [
        f"{COEFFICIENT_SYMBOLS[row.coefficient]}{_which(row)} {number(row.value)}{_bounds(row)}",
        f"{p_value(row.p_holm)}, n = {row.n}{missing}".replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"),
    ]


def _which(row: CorrelationOfMetric) -> str:
    """Which correlation the value is, if not the overall one."""
    return "" if row.statistic == "overall" else f" {row.statistic}"


def _beside(row: CorrelationOfMetric) -> str:
    """The overall correlation, which is then not tested."""
    return "" if row.statistic == "overall" else f"; overall {number(row.overall)}, not tested"


def _bounds(row: CorrelationOfMetric) -> str:
    """The interval of this value in brackets, if there is one."""
    interval = row.interval
    if interval is None or interval.statistic != row.statistic or interval.low is None or interval.high is None:
        return ""
    return f" [{number(interval.low)}, {number(interval.high)}]"
