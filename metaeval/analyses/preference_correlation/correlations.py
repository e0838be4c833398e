"""How much does each metric agree with the experts, and is one better than another? Correlations and their tests.

Both by whole methods and, as published, as if systems were independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from annotations.ground.arrays import Vector
from annotations.ground.units import (
    Crossing,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    explained,
    held_exactly,
    smallest_p,
)
from metaeval import metrics
from metaeval.analyses.base.plans import Permutations, Together
from metaeval.analyses.base.wording import ALPHA
from metaeval.analyses.base.work import Plan, Purpose, root_stream
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import Both, Fraction, Identical, judgements_behind, preference_fractions
from metaeval.analyses.inputs.parts import Number, as_stored
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import (
    FEW_SYSTEMS,
    ComparisonByUnits,
    CorrelationBounds,
    CorrelationOfMetric,
    DifferenceOfMetrics,
    UnitOfAnalysis,
)
from metaeval.sampling import Replicates, stream
from metaeval.stats import (
    COEFFICIENTS,
    Coefficient,
    CorrelationBootstrap,
    CorrelationTest,
    PairedMetrics,
    PairedUnits,
    PermutationMethod,
    PermutationPlan,
    StatisticName,
    benjamini_hochberg,
    correlation,
    holm,
    jackknife_intervals,
    williams_test,
)
from metaeval.stats.correlating.exchanging import STATISTICS
from metaeval.stats.intervals import IntervalMethod

TARGET = "the preference fractions"
BY_METHODS: Literal["bca by methods"] = "bca by methods"
EXCHANGED: PermutationMethod = "systems"
BESIDE: dict[StatisticName, str] = {
    "overall": "",
    "within models": (
        "The tested correlation is the one within models: it compares methods on the same model. The "
        "overall correlation is shown beside it without a star, because it also reflects how far the "
        "models differ from one another, which is not tested."
    ),
    "within methods": (
        "The tested correlation is the one within methods: it compares models with the same method. The "
        "overall correlation is shown beside it without a star, because it also reflects how far the "
        "methods differ from one another, which is not tested."
    ),
}
"""Notes on the two correlations of a table."""

Scores = Mapping[str, Sequence[float] | Vector]
"""By metric: one value per system, NaN where it is undefined."""


@dataclass(frozen=True, eq=False)
class SystemPreferences:
    """How often experts chose the systems of a study, and what is exchanged in tests of correlations with this.

    `crossing` has the systems' models and methods; it and `fractions` have one entry per system.
    """

    study: StudyInputs
    responses: Responses
    fractions: list[Fraction]
    crossing: Crossing
    exchangeable: Exchangeable
    parameters: PreferenceCorrelation
    seed: int

    @classmethod
    def of(
        cls, study: StudyInputs, responses: Responses, parameters: PreferenceCorrelation, seed: int
    ) -> SystemPreferences:
        crossing = Crossing.of([(origin["model"], origin["method"]) for origin in study.origins])
        choice = parameters.exchangeable
        exchangeable = default_exchangeable(crossing) if choice == "default" else choice
        fractions = fractions_of(responses, study, parameters)
        return cls(study, responses, fractions, crossing, exchangeable, parameters, seed)

    @property
    def target(self) -> Vector:
        """One fraction per system; NaN for those without one."""
        return np.array([fraction.fraction for fraction in self.fractions])

    @property
    def statistic(self) -> StatisticName:
        return STATISTICS[self.exchangeable]

    def judged(self, target: Vector) -> Crossing:
        """The systems with a number in `target`."""
        return self.crossing.of_systems(np.flatnonzero(np.isfinite(target)))

    def least_p(self, target: Vector, exchangeable: Exchangeable) -> float:
        """The smallest p-value that a test of these systems can give."""
        double = self.parameters.alternative == "two-sided" and self.parameters.two_sided == "double"
        return smallest_p(self.judged(target), exchangeable, permutations=self.parameters.permutations, double=double)

    def permutations(
        self, scores: Scores, target: Vector, exchangeable: Exchangeable, *, number: int, purpose: Purpose
    ) -> PermutationPlan:
        """The plan of permuting `target`."""
        return PermutationPlan(
            scores,
            target,
            coefficients=self.parameters.coefficients,
            n_resamples=number,
            seed=root_stream(self.seed, purpose),
            alternative=self.parameters.alternative,
            two_sided=self.parameters.two_sided,
            systems=self.study.systems,
            target_name=TARGET,
            units=self.crossing,
            exchangeable=exchangeable,
        )

    def described(self) -> UnitOfAnalysis:
        """What is exchanged, and what the judged systems allow."""
        judged = self.judged(self.target)
        least = self.least_p(self.target, self.exchangeable)
        possible = count_permutations(judged, self.exchangeable)
        ways = "Only one arrangement is possible" if possible == 1 else f"Only {possible:,} arrangements are possible"
        return UnitOfAnalysis(
            exchangeable=self.exchangeable,
            by_default=self.parameters.exchangeable == "default",
            words=explained(judged, self.exchangeable),
            statistic=self.statistic,
            models=len(judged.model_names),
            methods=len(judged.method_names),
            possible=held_exactly(possible),
            smallest_p=least,
            cannot_reject=f"{ways}, so no p-value can be below {least:.3g}: this design cannot reject at 5%."
            if least > ALPHA
            else "",
            beside=BESIDE[self.statistic],
            few=f"Only {len(judged)} systems were judged. With so few, a correlation near 1 or −1 can arise by chance "
            "alone."
            if len(judged) < FEW_SYSTEMS
            else "",
        )


def fractions_of(
    responses: Responses,
    study: StudyInputs,
    parameters: PreferenceCorrelation,
    *,
    both: Both | None = None,
    identical: Identical | None = None,
) -> list[Fraction]:
    """The preference fractions of the systems; `both` and `identical` replace the parameters' choices."""
    return preference_fractions(
        responses,
        study.systems,
        both=both or parameters.both,
        weights=parameters.weights,
        average=parameters.average,
        identical=identical or parameters.identical,
    )


class MetricCorrelations:
    """Every metric with the preference fractions, by every coefficient, before the first sample is drawn."""

    def __init__(self, scores: Scores, preferences: SystemPreferences, *, with_bootstrap: bool = True) -> None:
        self.scores, self.preferences, self.parameters = scores, preferences, preferences.parameters
        permutations = preferences.permutations(
            scores,
            preferences.target,
            preferences.exchangeable,
            number=self.parameters.permutations,
            purpose=Purpose.PERMUTATIONS,
        )
        self.plans: dict[str, Plan] = {"permutations": Permutations(permutations)}
        self._bootstrap: CorrelationBootstrap | None = None
        if with_bootstrap and self.parameters.interval != "jackknife" and self.parameters.resamples:
            self._bootstrap = self._resampled()
            self.plans["bootstrap"] = self._bootstrap.plan

    def _resampled(self) -> CorrelationBootstrap:
        preferences, parameters = self.preferences, self.parameters
        by_methods = parameters.interval == BY_METHODS
        judgements = judgements_behind(
            preferences.responses,
            preferences.study.systems,
            both=parameters.both,
            weights=parameters.weights,
            average=parameters.average,
            identical=parameters.identical,
        )
        return CorrelationBootstrap(
            self.scores,
            judgements,
            over=parameters.over,
            coefficients=parameters.coefficients,
            n_resamples=parameters.resamples,
            seed=root_stream(preferences.seed, Purpose.CORRELATION_BOOTSTRAP),
            target_name=TARGET,
            units=preferences.crossing if by_methods else None,
            exchangeable=preferences.exchangeable if by_methods else None,
        )

    def rows(
        self, tests: Sequence[CorrelationTest], flags: Mapping[str, str], replicates: Replicates | None = None
    ) -> list[CorrelationOfMetric]:
        """One row per metric and coefficient, corrected over the metrics of each coefficient.

        `flags` has remarks about the values of single metrics.
        """
        intervals = self._intervals(replicates)
        rows = []
        for coefficient in self.parameters.coefficients:
            family = [test for test in tests if test.coefficient == coefficient]
            p = [test.pvalue for test in family]
            for test, p_holm, p_bh in zip(family, holm(p), benjamini_hochberg(p), strict=True):
                stored = as_stored(test).items()
                content = {key: value for key, value in stored if key in CorrelationOfMetric.model_fields}
                content |= {
                    "permutations": test.n_resamples,
                    "metric": test.row,
                    "p_holm": p_holm,
                    "p_bh": p_bh,
                    "flag": flags.get(test.row, ""),
                    "interval": intervals.get((coefficient, test.row)),
                }
                rows.append(CorrelationOfMetric.model_validate(content))
        return rows

    def _intervals(self, replicates: Replicates | None) -> dict[tuple[Coefficient, str], CorrelationBounds]:
        parameters, preferences = self.parameters, self.preferences
        if parameters.interval == "jackknife":
            left_out = jackknife_intervals(
                self.scores,
                preferences.target,
                units=preferences.crossing,
                exchangeable=preferences.exchangeable,
                coefficients=parameters.coefficients,
                confidence_level=parameters.level,
                systems=preferences.study.systems,
                target_name=TARGET,
            )
            return {
                (interval.coefficient, interval.row): CorrelationBounds(
                    low=interval.low,
                    high=interval.high,
                    level=interval.confidence_level,
                    method="jackknife",
                    statistic=interval.statistic,
                    over=[interval.left_out],
                    units=interval.units,
                    standard_error=interval.standard_error,
                    reason=interval.reason,
                    notes=self._other_statistic(interval.statistic, interval.reason),
                )
                for interval in left_out
            }
        if self._bootstrap is None or replicates is None:
            return {}
        method: IntervalMethod = "bca" if parameters.interval == BY_METHODS else parameters.interval
        bounds = {}
        for row in self._bootstrap.intervals(replicates, confidence_level=parameters.level, method=method):
            content: dict[str, object] = {"over": row.over, "notes": row.notes}
            if parameters.interval == BY_METHODS:
                notes = [*self._other_statistic(row.statistic, row.interval.reason), *row.notes]
                content |= {"method": BY_METHODS, "statistic": row.statistic, "units": row.units, "notes": notes}
            bounds[row.coefficient, row.row] = CorrelationBounds.from_found(row.interval, **content)
        return bounds

    def _other_statistic(self, statistic: StatisticName, reason: str) -> list[str]:
        if statistic == self.preferences.statistic or reason:
            return []
        return [f"The interval is of the correlation {statistic}, which is not the tested one."]


class MetricComparisons:
    """All pairs of metrics on the systems of a study, each by every coefficient.

    Metrics whose lower values are better are negated first, so that a difference above 0 always means that the first
    metric agrees better with the preference fractions; otherwise correlations keep their signs.
    """

    def __init__(self, scores: Scores, preferences: SystemPreferences) -> None:
        signs = {name: -1.0 if metrics.get(name).orientation == "lower" else 1.0 for name in scores}
        self.scores = {name: signs[name] * np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.preferences, self.parameters, self.target = preferences, preferences.parameters, preferences.target
        self._exchanges: dict[tuple[Coefficient, str, str], PairedMetrics] = {}
        self._by_units: dict[tuple[Coefficient, str, str], PairedUnits] = {}
        plans: dict[str, Plan] = {}
        root = root_stream(preferences.seed, Purpose.PAIRED_METRICS)
        for coefficient in self.parameters.coefficients:
            for number, (first, second) in enumerate(combinations(self.scores, 2)):
                seed = stream(stream(root, COEFFICIENTS.index(coefficient)), number)
                if plan := self._plan(coefficient, first, second, seed):
                    plans[_key(coefficient, first, second)] = plan
        self.plans: dict[str, Plan] = {"exchanges": Together(plans)} if plans else {}

    def _plan(self, coefficient: Coefficient, first: str, second: str, seed: np.random.SeedSequence) -> Plan | None:
        """The exchanges of a pair; None if none are requested or possible."""
        exchanges = self.parameters.exchanges
        x, y = self.scores[first], self.scores[second]
        if self.parameters.paired != "exchange systems":
            preferences = self.preferences
            by_units = self._by_units[coefficient, first, second] = PairedUnits(
                x,
                y,
                self.target,
                units=preferences.crossing,
                exchangeable=preferences.exchangeable,
                coefficient=coefficient,
            )
            is_defined = np.isfinite(by_units.first) and np.isfinite(by_units.second)
            if self.parameters.paired == "jackknife" or not exchanges or not is_defined:
                return None
            return by_units.permutation_plan(n_resamples=exchanges, seed=seed)
        if not exchanges:
            return None
        pair = PairedMetrics(x[:, None], y[:, None], self.target[:, None], coefficient=coefficient)
        self._exchanges[coefficient, first, second] = pair
        return None if pair.reason else pair.permutation_plan(EXCHANGED, n_resamples=exchanges, seed=seed)

    def rows(self, replicates: Mapping[str, Replicates] | None) -> list[DifferenceOfMetrics]:
        """One row per pair and coefficient, with Holm's correction over the pairs of a coefficient."""
        rows = []
        for coefficient in self.parameters.coefficients:
            pairs = combinations(self.scores, 2)
            family = [self._row(coefficient, first, second, replicates or {}) for first, second in pairs]
            p_holm = _corrected([row.p_value for row in family])
            exchange_p_holm = _corrected([row.exchange_p for row in family])
            unit_p_holm = _corrected([row.by_units.p_value if row.by_units else None for row in family])
            for row, p, exchange_p, unit_p in zip(family, p_holm, exchange_p_holm, unit_p_holm, strict=True):
                by_units = row.by_units.model_copy(update={"p_holm": unit_p}) if row.by_units else None
                corrected = {"p_value_holm": p, "exchange_p_holm": exchange_p, "by_units": by_units}
                rows.append(row.model_copy(update=corrected))
        return rows

    def _row(
        self, coefficient: Coefficient, first: str, second: str, replicates: Mapping[str, Replicates]
    ) -> DifferenceOfMetrics:
        """The pair's tests, not yet corrected."""
        x, y = self.scores[first], self.scores[second]
        complete = np.isfinite(x) & np.isfinite(y) & np.isfinite(self.target)
        williams = williams_test(x, y, self.target, coefficient=coefficient)
        pair = self._exchanges.get((coefficient, first, second))
        exchanges = None
        if pair is not None and not pair.reason:
            exchanges = pair.permutation_result(EXCHANGED, replicates[_key(coefficient, first, second)])
        return DifferenceOfMetrics(
            coefficient=coefficient,
            first=first,
            second=second,
            first_value=correlation(x[complete], self.target[complete], coefficient).value,
            second_value=correlation(y[complete], self.target[complete], coefficient).value,
            difference=williams.difference,
            n=williams.n,
            t=williams.t,
            p_value=williams.pvalue,
            reason=williams.reason,
            notes=list(williams.notes),
            excluded=[self.preferences.study.systems[place] for place in williams.excluded],
            exchange_p=None if exchanges is None else exchanges.pvalue,
            exchange_error=None if exchanges is None else exchanges.p_error,
            exchange_exact=None if exchanges is None else exchanges.exact,
            exchanges=0 if exchanges is None else exchanges.n_resamples,
            exchange_reason="" if pair is None else pair.reason,
            p_value_holm=None,
            exchange_p_holm=None,
            by_units=self._compared_by_units(coefficient, first, second, replicates),
        )

    def _compared_by_units(
        self, coefficient: Coefficient, first: str, second: str, replicates: Mapping[str, Replicates]
    ) -> ComparisonByUnits | None:
        pair = self._by_units.get((coefficient, first, second))
        if pair is None:
            return None
        key = _key(coefficient, first, second)
        result = pair.result(replicates.get(key), confidence_level=self.parameters.level)
        is_jackknife = self.parameters.paired == "jackknife"
        without_p = "" if np.isfinite(result.p_exchange) else "nothing was exchanged"
        return ComparisonByUnits(
            test="jackknife" if is_jackknife else "exchange methods",
            statistic=result.tested,
            first=result.first,
            second=result.second,
            difference=result.difference,
            low=result.low,
            high=result.high,
            t=result.t,
            p_value=result.pvalue if is_jackknife else result.p_exchange,
            p_error=0.0 if is_jackknife else result.p_exchange_error,
            p_holm=None,
            units=result.units,
            left_out=result.left_out,
            exchanges=result.exchanges,
            reason=result.reason if is_jackknife else without_p,
        )


def _key(coefficient: Coefficient, first: str, second: str) -> str:
    return f"{coefficient}/{first}/{second}"


def _corrected(p_values: Sequence[Number]) -> list[Number]:
    """Holm's correction over the pairs; p-values that are undefined stay so."""
    p_holm = holm([np.nan if p is None else p for p in p_values])
    return [None if np.isnan(p) else float(p) for p in p_holm]
