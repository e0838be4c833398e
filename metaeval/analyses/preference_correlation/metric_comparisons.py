"""Is one metric better than another? Williams' test of every pair of metrics, and the paired test by exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotations.arrays import Vector
from metaeval import metrics
from metaeval.analyses.base import seeding
from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.work import Plan
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import DifferenceOfMetrics
from metaeval.sampling import Replicates, stream
from metaeval.stats import (
    COEFFICIENTS,
    Coefficient,
    MetricComparison,
    PairedMetrics,
    PermutationMethod,
    WilliamsTest,
    correlation,
    holm,
    williams_test,
)

METHOD: PermutationMethod = "systems"


@dataclass(frozen=True)
class _Tested:
    """Two metrics and their tests; no exchanges where none were asked for, or with the reason where none are
    possible."""

    first: str
    second: str
    williams: WilliamsTest
    exchanges: MetricComparison | None = None
    reason: str = ""

    @property
    def exchange_p(self) -> float:
        return np.nan if self.exchanges is None else self.exchanges.p_value


class MetricComparisons:
    """All pairs of metrics on the systems of a study, each by every coefficient.

    `scores` (metric -> one value a system) and `target` (one value a system); NaN leaves a system out of the pairs
    that need it. A metric of which lower values are better is turned round first, so that a difference above 0 always
    says that the first metric agrees better with the target; correlations keep their signs otherwise.
    """

    def __init__(
        self,
        scores: Mapping[str, Sequence[float]],
        target: Sequence[float],
        systems: Sequence[str],
        parameters: PreferenceCorrelation,
        seed: int,
    ) -> None:
        signs = {name: -1.0 if metrics.get(name).orientation == "lower" else 1.0 for name in scores}
        self.scores = {name: signs[name] * np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.target = np.asarray(target, dtype=np.float64)
        self.coefficients, self.systems = tuple(parameters.coefficients), tuple(systems)
        self.pairs = list(combinations(self.scores, 2))
        self._paired: dict[str, PairedMetrics] = {}
        self._plans: dict[str, Plan] = {}
        if parameters.exchanges:
            root = seeding.root(seed, seeding.Purpose.PAIRED_METRICS)
            for coefficient in self.coefficients:
                self._pair_up(coefficient, parameters.exchanges, stream(root, COEFFICIENTS.index(coefficient)))

    @property
    def plans(self) -> dict[str, Plan]:
        """The exchanges of all pairs; none where none are asked for."""
        return {"exchanges": Together(self._plans)} if self._plans else {}

    def rows(self, replicates: Mapping[str, Replicates] | None) -> list[DifferenceOfMetrics]:
        """A row a pair and coefficient, with Holm's correction over the pairs of a coefficient."""
        answer = []
        for coefficient in self.coefficients:
            family = [self._tested(coefficient, one, other, replicates or {}) for one, other in self.pairs]
            p_holm = holm([tested.williams.p_value for tested in family])
            exchange_p_holm = holm([tested.exchange_p for tested in family])
            answer += [self._row(coefficient, *found) for found in zip(family, p_holm, exchange_p_holm, strict=True)]
        return answer

    def _pair_up(self, coefficient: Coefficient, exchanges: int, seed: np.random.SeedSequence) -> None:
        for number, (one, other) in enumerate(self.pairs):
            columns = (self.scores[one][:, None], self.scores[other][:, None], self.target[:, None])
            paired = PairedMetrics(*columns, coefficient=coefficient)
            key = _key(coefficient, one, other)
            self._paired[key] = paired
            if not paired.reason:
                self._plans[key] = paired.permutation_plan(METHOD, resamples=exchanges, seed=stream(seed, number))

    def _tested(self, coefficient: Coefficient, one: str, other: str, replicates: Mapping[str, Replicates]) -> _Tested:
        williams = williams_test(self.scores[one], self.scores[other], self.target, coefficient=coefficient)
        key = _key(coefficient, one, other)
        paired = self._paired.get(key)
        if paired is None or paired.reason:
            return _Tested(one, other, williams, reason="" if paired is None else paired.reason)
        return _Tested(one, other, williams, paired.permutation_result(METHOD, replicates[key]))

    def _row(
        self, coefficient: Coefficient, tested: _Tested, p_holm: float, exchange_p_holm: float
    ) -> DifferenceOfMetrics:
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
            p_value=test.p_value,
            reason=test.reason,
            notes=list(test.notes),
            excluded=[self.systems[place] for place in test.excluded],
            exchange_p=tested.exchange_p,
            exchange_error=None if exchanges is None else exchanges.p_error,
            exchange_exact=None if exchanges is None else exchanges.exact,
            exchanges=0 if exchanges is None else exchanges.resamples,
            exchange_reason=tested.reason,
            p_value_holm=p_holm,
            exchange_p_holm=exchange_p_holm,
        )


def _of(x: Vector, y: Vector, coefficient: Coefficient) -> float:
    return correlation(x, y, coefficient).value


def _key(coefficient: Coefficient, one: str, other: str) -> str:
    return f"{coefficient}/{one}/{other}"
