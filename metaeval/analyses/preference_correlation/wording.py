"""Which metric agrees best with the experts: as a question, and its answer in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, counted, interval, number, p_value
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult
from metaeval.stats import Coefficient

CALLED: Mapping[Coefficient, str] = {
    "pearson": "correlation",
    "spearman": "rank correlation",
    "kendall": "rank correlation (Kendall)",
}
LEVEL = 0.05


def answer(result: PreferenceCorrelationResult) -> str:
    """The metric that goes with the experts' choices most, by the first coefficient that was asked for."""
    coefficient = result.coefficients[0]
    rows = [row for row in result.correlations if row.coefficient == coefficient]
    known = [row for row in rows if row.value is not None]
    if not known:
        return f"No metric can be compared with the experts: {because(rows[0].reason)}"
    sign = {metric.name: 1.0 if metric.orientation == "higher" else -1.0 for metric in result.metrics}
    titles = {metric.name: metric.title for metric in result.metrics}
    best = max(known, key=lambda row: sign[row.metric] * (row.value or 0.0))
    found = _figures(best, CALLED[coefficient], len(known))
    called = titles[best.metric] + ("" if sign[best.metric] > 0 else " (lower is better)")
    if len(known) == 1:
        return f"{called} and the experts’ choices: {found}."
    if sign[best.metric] * (best.value or 0.0) <= 0:
        return f"None of {len(known)} metrics agrees with the experts. The best, {called}: {found}."
    return f"Of {len(known)} metrics, {called} agrees best with the experts: {found}.{_beside(result, best)}"


def _figures(row: CorrelationOfMetric, called: str, metrics: int) -> str:
    bounds = row.interval
    between = interval(bounds.low, bounds.high, bounds.level) if bounds and bounds.statistic == row.statistic else ""
    chance = "" if row.p_value is None else p_value(row.p_value)
    if chance and row.p_holm is not None and metrics > 1 and p_value(row.p_holm) != chance:
        chance += f" ({p_value(row.p_holm).removeprefix('p = ')} corrected for {metrics} metrics)"
    return f"{called} {number(row.value or 0.0)}{after(between)}{after(chance)}"


def _beside(result: PreferenceCorrelationResult, best: CorrelationOfMetric) -> str:
    """How many of the others the best one is not told apart from, where that was tested."""
    if result.unit is not None and result.unit.cannot_reject:
        return " With so few systems, no p-value here can be below .05."
    pairs = [
        row.by_units.p_holm
        for row in result.comparisons
        if row.coefficient == best.coefficient and best.metric in {row.first, row.second} and row.by_units is not None
    ]
    known = [p for p in pairs if p is not None]
    alike = sum(p >= LEVEL for p in known)
    if not known:
        return ""
    if not alike:
        return " It is better than each of the others."
    return f" It is not told apart from {counted(alike, 'other metric')}."


WORDS = PlainWords(
    question="Which metric agrees best with the experts?",
    group="The metrics",
    is_preset=True,
    shows="Each metric with its correlation with the experts’ choices, how sure it is, and whether one is better than "
    "another. It needs experts’ choices about three systems or more.",
    place=0,
    needs={SubjectKind.STUDY: ("preferences", "three systems")},
    compared=("metrics", "values", "instances", "include_pilot"),
    statistics=("coefficients", "level", "permutations", "alternative", "both", "average", "weights"),
    answer=answer,
)
