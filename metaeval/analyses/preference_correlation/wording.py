"""Which metric agrees best with the experts: as a question, and its answer in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotations.units import Exchangeable
from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, counted, interval, listed, number, p_value
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, PreferenceCorrelationResult
from metaeval.stats import Coefficient

CALLED: Mapping[Coefficient, str] = {
    "pearson": "correlation",
    "spearman": "rank correlation",
    "kendall": "rank correlation (Kendall)",
}
LEVEL = 0.05

EXCHANGED: Mapping[Exchangeable, str] = {
    "systems": "any two of {systems} systems",
    "within model": "systems of the same model",
    "methods jointly": "{methods} methods, jointly in all models",
    "models jointly": "{models} models, jointly in all methods",
    "models and methods": "{models} models and {methods} methods",
}
"""What the tests exchange, in words."""


def answer(result: PreferenceCorrelationResult) -> str:
    """What the first coefficient says, in as few claims as its tables bear.

    A metric *agrees best* only if it is told apart from every other one, after correction; otherwise it *has the
    highest correlation here*. Where none is above 0, none agrees. Corrected p-values decide, and no claim is made of
    what a test could not tell: its interval stands there instead. An answer *holds* if its sign and its decision are
    the same in every row of the sensitivity table.
    """
    coefficient = result.coefficients[0]
    rows = [row for row in result.correlations if row.coefficient == coefficient]
    known = [row for row in rows if row.value is not None]
    if not known:
        return f"No metric can be compared with the experts: {because(rows[0].reason)}"
    claims = _Claims(result, known)
    return " ".join(part for part in (claims.first(), claims.limits(), claims.holds()) if part)


class _Claims:
    """What may be said of one coefficient's correlations."""

    def __init__(self, result: PreferenceCorrelationResult, known: Sequence[CorrelationOfMetric]) -> None:
        self._result, self._known = result, known
        self._sign = {metric.name: 1.0 if metric.orientation == "higher" else -1.0 for metric in result.metrics}
        self._titles = {metric.name: metric.title for metric in result.metrics}
        self._best = max(known, key=self._agreement)
        top = self._agreement(self._best)
        self._level = [row for row in known if row is not self._best and self._agreement(row) == top]

    def _agreement(self, row: CorrelationOfMetric) -> float:
        """Above 0: the metric is better where experts chose more often."""
        return self._sign[row.metric] * (row.value or 0.0)

    def _called(self, metric: str) -> str:
        return self._titles[metric] + ("" if self._sign[metric] > 0 else " (lower is better)")

    def first(self) -> str:
        """Which metric stands highest, and what it is told apart from."""
        best, count = self._best, len(self._known)
        figures = _figures(best, CALLED[best.coefficient], count)
        called = self._called(best.metric)
        if count == 1:
            return f"{called} and the experts’ choices: {figures}."
        if self._agreement(best) <= 0:
            return f"None of {count} metrics agrees with the experts. The highest, {called}: {figures}."
        if self._level:
            level = listed([called, *(self._called(row.metric) for row in self._level)])
            return f"{level} have the same correlation with the experts’ choices, the highest here: {figures}."
        apart, alike, untested = self._told_apart()
        if not alike and not untested:
            return f"{called} agrees best with the experts: {figures}. It is told apart from {_each(len(apart))}."
        said = f"{called} has the highest correlation with the experts’ choices here: {figures}."
        if alike:
            said += f" It is not told apart from {listed([self._called(name) for name in alike])}."
        if untested and len(untested) < count - 1:
            said += f" Whether it differs from {listed([self._called(name) for name in untested])} is not known."
        return said

    def _told_apart(self) -> tuple[list[str], list[str], list[str]]:
        """The other metrics: told apart from the best after correction; not told apart; not tested."""
        apart: list[str] = []
        alike: list[str] = []
        tested = {}
        for row in self._result.comparisons:
            if row.coefficient == self._best.coefficient and self._best.metric in {row.first, row.second}:
                is_first = row.first == self._best.metric
                tested[row.second if is_first else row.first] = (row.by_units, is_first)
        for other in self._known:
            if other is self._best:
                continue
            found, is_first = tested.get(other.metric, (None, True))
            if found is None or found.p_holm is None or found.difference is None:
                continue
            is_better = (found.difference > 0) == is_first and found.difference != 0
            (apart if found.p_holm < LEVEL and is_better else alike).append(other.metric)
        told = {self._best.metric, *apart, *alike}
        return apart, alike, [row.metric for row in self._known if row.metric not in told]

    def limits(self) -> str:
        """What was exchanged, where that can reject at all, and that the highest of several is too high."""
        unit = self._result.unit
        if unit is not None and unit.cannot_reject:
            return "With so few systems, no p-value here can be below .05."
        parts = []
        if unit is not None:
            exchanged = EXCHANGED[unit.exchangeable].format(
                systems=self._best.n, methods=unit.methods, models=unit.models
            )
            parts.append(f"The tests exchange {exchanged}.")
        if len(self._known) > 1:
            parts.append(f"The highest of {len(self._known)} correlations is on average too high.")
        return " ".join(parts)

    def holds(self) -> str:
        """Whether the highest correlation keeps its sign and its decision whatever else is done otherwise."""
        best = self._best
        varied = [
            (variation, row)
            for variation in self._result.sensitivity
            if not (variation.kind == "exchangeable" and variation.cannot_reject)
            for row in variation.rows
            if (row.metric, row.coefficient) == (best.metric, best.coefficient) and row.value is not None
        ]
        if not varied or best.value is None:
            return ""
        changed = [
            f"{variation.name} ({variation.kind})" if variation.name else variation.kind
            for variation, row in varied
            if (row.value or 0.0) * best.value <= 0
            or (
                best.p_value is not None and row.p_value is not None and (row.p_value < LEVEL) != (best.p_value < LEVEL)
            )
        ]
        values = [row.value for _, row in varied if row.value is not None]
        between = f"{number(min(values))} to {number(max(values))}"
        if not changed:
            return f"Sign and decision are the same in {counted(len(varied), 'variation')} ({between})."
        return f"Sign or decision change with {listed(changed)}; over {counted(len(varied), 'variation')}: {between}."


def _each(count: int) -> str:
    return "the other one, after correction" if count == 1 else f"each of the other {count}, after correction"


def _figures(row: CorrelationOfMetric, called: str, metrics: int) -> str:
    bounds = row.interval
    between = interval(bounds.low, bounds.high, bounds.level) if bounds and bounds.statistic == row.statistic else ""
    chance = "" if row.p_value is None else p_value(row.p_value)
    if row.p_holm is not None and metrics > 1:
        chance = f"{p_value(row.p_holm)} corrected for {metrics} metrics"
    return f"{called} {number(row.value or 0.0)}{after(between)}{after(chance)}"


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
