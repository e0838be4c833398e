"""Which metric is highest by a coefficient, and which others the tests distinguish it from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.analyses.base.wording import ALPHA
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult


@dataclass(frozen=True)
class BestMetric:
    """The highest metric, and how the others compare with it. Metrics are identified by name.

    The corrected p-values of the tests that take the unit of analysis into account decide, and no others.
    """

    row: CorrelationOfMetric
    agreement: float
    """Above 0: the metric is better where experts chose more often, whether higher or lower values are better."""
    known: Sequence[CorrelationOfMetric]
    """All metrics with a correlation, including this one."""
    level: Sequence[str]
    """Others with exactly the same agreement."""
    apart: Sequence[str]
    """Those that it is distinguished from."""
    alike: Sequence[str]
    """Those that it is not distinguished from."""
    beaten_by: Sequence[str]
    """Those that agree better on the systems that both have, which may not be all systems."""
    untested: Sequence[str]
    """Those for which there is no such test."""

    @property
    def p(self) -> float | None:
        """The p-value that decides: corrected over the metrics if there are several."""
        return self.row.p_value if self.row.p_holm is None else self.row.p_holm

    @property
    def is_found(self) -> bool:
        """Whether its own correlation is distinguished from 0."""
        return self.p is not None and self.p < ALPHA

    @property
    def agrees_best(self) -> bool:
        """Whether it may be called best: above 0, and distinguished from 0 and from each of the others."""
        return self.agreement > 0 and self.is_found and len(self.apart) == len(self.known) - 1


def best_metric(result: PreferenceCorrelationResult) -> BestMetric | None:
    """The best metric by the first coefficient; None if no metric has a correlation."""
    coefficient = result.coefficients[0]
    sign = {metric.name: 1.0 if metric.orientation == "higher" else -1.0 for metric in result.metrics}
    known = [row for row in result.correlations if row.coefficient == coefficient and row.value is not None]
    if not known:
        return None
    agreement = {row.metric: sign[row.metric] * (row.value or 0.0) for row in known}
    best = max(known, key=lambda row: agreement[row.metric])
    stands: dict[str, list[str]] = {"apart": [], "alike": [], "beaten_by": [], "untested": []}
    for row in known:
        if row is not best:
            stands[_stands(result, best, row.metric)].append(row.metric)
    return BestMetric(
        row=best,
        agreement=agreement[best.metric],
        known=known,
        level=[name for name, value in agreement.items() if name != best.metric and value == agreement[best.metric]],
        **stands,
    )


def _stands(result: PreferenceCorrelationResult, best: CorrelationOfMetric, other: str) -> str:
    for pair in result.comparisons:
        if pair.coefficient != best.coefficient or {pair.first, pair.second} != {best.metric, other}:
            continue
        found = pair.by_units
        if found is None or found.p_holm is None or found.difference is None:
            return "untested"
        if found.p_holm >= ALPHA or not found.difference:
            return "alike"
        return "apart" if (found.difference > 0) == (pair.first == best.metric) else "beaten_by"
    return "untested"
