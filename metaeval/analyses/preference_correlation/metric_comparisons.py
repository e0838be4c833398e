"""Is one metric better than another? Williams' test of every pair of metrics, and the paired test by exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from annotations.arrays import Vector
from metaeval import metrics
from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.work import Plan
from metaeval.sampling import Replicates, stream
from metaeval.stats import COEFFICIENTS, Coefficient, PairedMetrics, PermutationMethod, correlation, holm, williams_test

METHOD: PermutationMethod = "systems"


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
        *,
        coefficients: Sequence[Coefficient],
        exchanges: int,
        seed: np.random.SeedSequence,
        systems: Sequence[str],
    ) -> None:
        self.turned = tuple(name for name in scores if metrics.get(name).orientation == "lower")
        signs = {name: -1.0 if name in self.turned else 1.0 for name in scores}
        self.scores = {name: signs[name] * np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.target = np.asarray(target, dtype=np.float64)
        self.coefficients, self.systems = tuple(coefficients), tuple(systems)
        self.pairs = list(combinations(self.scores, 2))
        self._paired: dict[str, PairedMetrics] = {}
        self._plans: dict[str, Plan] = {}
        if exchanges:
            for coefficient in self.coefficients:
                self._pair_up(coefficient, exchanges, stream(seed, COEFFICIENTS.index(coefficient)))

    @property
    def plan(self) -> Together | None:
        """The exchanges of all pairs; None where none are asked for."""
        return Together(self._plans) if self._plans else None

    def rows(self, replicates: Mapping[str, Replicates] | None) -> list[dict[str, Any]]:
        """A row a pair and coefficient, with Holm's correction over the pairs of a coefficient."""
        answer = []
        for coefficient in self.coefficients:
            family = [self._row(coefficient, one, other, replicates or {}) for one, other in self.pairs]
            for key in ("p_value", "exchange_p"):
                corrected = holm([np.nan if row[key] is None else row[key] for row in family])
                for row, p in zip(family, corrected, strict=True):
                    row[f"{key}_holm"] = p
            answer += family
        return answer

    def _pair_up(self, coefficient: Coefficient, exchanges: int, seed: np.random.SeedSequence) -> None:
        for number, (one, other) in enumerate(self.pairs):
            columns = (self.scores[one][:, None], self.scores[other][:, None], self.target[:, None])
            paired = PairedMetrics(*columns, coefficient=coefficient)
            key = _key(coefficient, one, other)
            self._paired[key] = paired
            if not paired.reason:
                self._plans[key] = paired.permutation_plan(METHOD, resamples=exchanges, seed=stream(seed, number))

    def _row(
        self, coefficient: Coefficient, one: str, other: str, replicates: Mapping[str, Replicates]
    ) -> dict[str, Any]:
        first, second = self.scores[one], self.scores[other]
        test = williams_test(first, second, self.target, coefficient=coefficient)
        kept = np.isfinite(first) & np.isfinite(second) & np.isfinite(self.target)
        key = _key(coefficient, one, other)
        row = {
            "coefficient": coefficient,
            "first": one,
            "second": other,
            "first_value": _of(first[kept], self.target[kept], coefficient),
            "second_value": _of(second[kept], self.target[kept], coefficient),
            "difference": test.difference,
            "n": test.n,
            "t": test.t,
            "p_value": test.p_value,
            "reason": test.reason,
            "notes": list(test.notes),
            "excluded": [self.systems[place] for place in test.excluded],
            "exchange_p": None,
            "exchange_error": None,
            "exchange_exact": None,
            "exchanges": 0,
            "exchange_reason": "",
        }
        if key in self._paired:
            paired = self._paired[key]
            row["exchange_reason"] = paired.reason
            if not paired.reason:
                found = paired.permutation_result(METHOD, replicates[key])
                row |= {
                    "exchange_p": found.p_value,
                    "exchange_error": found.p_error,
                    "exchange_exact": found.exact,
                    "exchanges": found.resamples,
                }
        return row


def _of(x: Vector, y: Vector, coefficient: Coefficient) -> float:
    return correlation(x, y, coefficient).value


def _key(coefficient: Coefficient, one: str, other: str) -> str:
    return f"{coefficient}/{one}/{other}"
