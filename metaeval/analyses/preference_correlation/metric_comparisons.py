"""Is one metric better than another? By whole methods and, as published, as if systems were independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Vector
from metaeval import metrics
from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.work import Plan, Purpose, root_stream
from metaeval.analyses.preference_correlation.parameters import PairedTest, PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import ComparisonByUnits, DifferenceOfMetrics
from metaeval.analyses.preference_correlation.unit_of_analysis import ChosenUnit
from metaeval.sampling import Replicates, stream
from metaeval.stats import (
    COEFFICIENTS,
    Coefficient,
    MetricComparison,
    PairedCorrelations,
    PairedMetrics,
    PairedUnits,
    PermutationMethod,
    WilliamsTest,
    correlation,
    holm,
    williams_test,
)

METHOD: PermutationMethod = "systems"


@dataclass(frozen=True)
class _Tested:
    """Two metrics and their tests; no exchanges if none were requested, or with the reason if none are possible."""

    first: str
    second: str
    williams: WilliamsTest
    exchanges: MetricComparison | None = None
    by_units: PairedCorrelations | None = None
    reason: str = ""

    @property
    def exchange_p(self) -> float:
        return np.nan if self.exchanges is None else self.exchanges.pvalue

    def unit_p(self, test: PairedTest) -> float:
        if self.by_units is None:
            return np.nan
        return self.by_units.pvalue if test == "jackknife" else self.by_units.p_exchange


class _Corrected(NamedTuple):
    """The p-values of a pair with Holm's correction."""

    williams: float
    exchanges: float
    by_units: float


class MetricComparisons:
    """All pairs of metrics on the systems of a study, each by every coefficient.

    `scores` (metric -> one value per system) and `target` (one value per system); NaN leaves a system out of the pairs
    that need it. Metrics whose lower values are better are negated first, so that a difference above 0 always means
    that the first metric agrees better with the target; otherwise correlations keep their signs.
    """

    def __init__(
        self,
        scores: Mapping[str, Sequence[float]],
        target: Sequence[float],
        systems: Sequence[str],
        unit: ChosenUnit,
        *,
        parameters: PreferenceCorrelation,
        seed: int,
    ) -> None:
        signs = {name: -1.0 if metrics.get(name).orientation == "lower" else 1.0 for name in scores}
        self.scores = {name: signs[name] * np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.target = np.asarray(target, dtype=np.float64)
        self.coefficients, self.systems = tuple(parameters.coefficients), tuple(systems)
        self.pairs = list(combinations(self.scores, 2))
        self.test, self.level = parameters.paired, parameters.level
        self._paired: dict[str, PairedMetrics] = {}
        self._by_units: dict[str, PairedUnits] = {}
        self._plans: dict[str, Plan] = {}
        if self.test != "exchange systems":
            root = root_stream(seed, Purpose.PAIRED_METRICS)
            exchanges = parameters.exchanges if self.test == "exchange methods" else 0
            for coefficient in self.coefficients:
                self._pair_by_units(coefficient, unit, exchanges, stream(root, COEFFICIENTS.index(coefficient)))
        elif parameters.exchanges:
            root = root_stream(seed, Purpose.PAIRED_METRICS)
            for coefficient in self.coefficients:
                self._pair_up(coefficient, parameters.exchanges, stream(root, COEFFICIENTS.index(coefficient)))

    @property
    def plans(self) -> dict[str, Plan]:
        """The exchanges of all pairs, if requested."""
        return {"exchanges": Together(self._plans)} if self._plans else {}

    def rows(self, replicates: Mapping[str, Replicates] | None) -> list[DifferenceOfMetrics]:
        """One row per pair and coefficient, with Holm's correction over the pairs of a coefficient."""
        answer = []
        for coefficient in self.coefficients:
            family = [self._tested(coefficient, one, other, replicates or {}) for one, other in self.pairs]
            p_holm = holm([tested.williams.pvalue for tested in family])
            exchange_p_holm = holm([tested.exchange_p for tested in family])
            unit_p_holm = holm([tested.unit_p(self.test) for tested in family])
            corrected = [_Corrected(*found) for found in zip(p_holm, exchange_p_holm, unit_p_holm, strict=True)]
            answer += [self._row(coefficient, *found) for found in zip(family, corrected, strict=True)]
        return answer

    def _pair_by_units(
        self, coefficient: Coefficient, unit: ChosenUnit, exchanges: int, seed: np.random.SeedSequence
    ) -> None:
        for number, (one, other) in enumerate(self.pairs):
            paired = PairedUnits(
                self.scores[one],
                self.scores[other],
                self.target,
                units=unit.crossing,
                exchangeable=unit.exchangeable,
                coefficient=coefficient,
            )
            key = _key(coefficient, one, other)
            self._by_units[key] = paired
            if exchanges and np.isfinite(paired.first) and np.isfinite(paired.second):
                self._plans[key] = paired.permutation_plan(n_resamples=exchanges, seed=stream(seed, number))

    def _pair_up(self, coefficient: Coefficient, exchanges: int, seed: np.random.SeedSequence) -> None:
        for number, (one, other) in enumerate(self.pairs):
            columns = (self.scores[one][:, None], self.scores[other][:, None], self.target[:, None])
            paired = PairedMetrics(*columns, coefficient=coefficient)
            key = _key(coefficient, one, other)
            self._paired[key] = paired
            if not paired.reason:
                self._plans[key] = paired.permutation_plan(METHOD, n_resamples=exchanges, seed=stream(seed, number))

    def _tested(self, coefficient: Coefficient, one: str, other: str, replicates: Mapping[str, Replicates]) -> _Tested:
        williams = williams_test(self.scores[one], self.scores[other], self.target, coefficient=coefficient)
        key = _key(coefficient, one, other)
        if key in self._by_units:
            found = self._by_units[key].result(replicates.get(key), confidence_level=self.level)
            return _Tested(one, other, williams, by_units=found)
        paired = self._paired.get(key)
        if paired is None or paired.reason:
            return _Tested(one, other, williams, reason="" if paired is None else paired.reason)
        return _Tested(one, other, williams, paired.permutation_result(METHOD, replicates[key]))

    def _row(self, coefficient: Coefficient, tested: _Tested, corrected: _Corrected) -> DifferenceOfMetrics:
        first, second = self.scores[tested.first], self.scores[tested.second]
        kept = np.isfinite(first) & np.isfinite(second) & np.isfinite(self.target)
        test, exchanges = tested.williams, tested.exchanges
        return DifferenceOfMetrics(
            coefficient=coefficient,
            first=tested.first,
            second=tested.second,
            first_value=_of(first[kept], self.target[kept], coefficient),
            second_value=_of(second[kept], self.target[kept], coefficient),
            difference=test.difference,
            n=test.n,
            t=test.t,
            p_value=test.pvalue,
            reason=test.reason,
            notes=list(test.notes),
            excluded=[self.systems[place] for place in test.excluded],
            exchange_p=tested.exchange_p,
            exchange_error=None if exchanges is None else exchanges.p_error,
            exchange_exact=None if exchanges is None else exchanges.exact,
            exchanges=0 if exchanges is None else exchanges.n_resamples,
            exchange_reason=tested.reason,
            p_value_holm=corrected.williams,
            exchange_p_holm=corrected.exchanges,
            by_units=None if tested.by_units is None else self._compared(tested.by_units, corrected.by_units),
        )

    def _compared(self, found: PairedCorrelations, p_holm: float) -> ComparisonByUnits:
        is_jackknife = self.test == "jackknife"
        without_p = "" if is_jackknife or np.isfinite(found.p_exchange) else "nothing was exchanged"
        return ComparisonByUnits(
            test="jackknife" if is_jackknife else "exchange methods",
            statistic=found.tested,
            first=found.first,
            second=found.second,
            difference=found.difference,
            low=found.low,
            high=found.high,
            t=found.t,
            p_value=found.pvalue if is_jackknife else found.p_exchange,
            p_error=0.0 if is_jackknife else found.p_exchange_error,
            p_holm=p_holm,
            units=found.units,
            left_out=found.left_out,
            exchanges=found.exchanges,
            reason=found.reason if is_jackknife else without_p,
        )


def _of(x: Vector, y: Vector, coefficient: Coefficient) -> float:
    return correlation(x, y, coefficient).value


def _key(coefficient: Coefficient, one: str, other: str) -> str:
    return f"{coefficient}/{one}/{other}"
