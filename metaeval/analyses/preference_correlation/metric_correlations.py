"""How far does each metric agree with the experts? Correlations with permutation tests and bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.analyses.base import seeding
from metaeval.analyses.base.plans import Permutations
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import judgements_behind
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import CorrelationBounds, CorrelationOfMetric
from metaeval.sampling import Replicates
from metaeval.stats import (
    CorrelationBootstrap,
    CorrelationInterval,
    CorrelationTest,
    PermutationPlan,
    benjamini_hochberg,
    holm,
)

TARGET = "the preference fractions"


class MetricCorrelations:
    """Every metric with the preference fractions, by every coefficient, before the first sample is drawn.

    `scores` (metric -> one value a system) and `target` (one value a system); NaN leaves a system out.
    """

    def __init__(
        self,
        scores: Mapping[str, Sequence[float]],
        target: Sequence[float],
        *,
        study: StudyInputs,
        responses: Responses,
        parameters: PreferenceCorrelation,
        seed: int,
    ) -> None:
        self.parameters = parameters
        self._tested = PermutationPlan(
            scores,
            target,
            coefficients=parameters.coefficients,
            permutations=parameters.permutations,
            seed=seeding.root(seed, seeding.Purpose.PERMUTATIONS),
            alternative=parameters.alternative,
            two_sided=parameters.two_sided,
            systems=study.systems,
            target_name=TARGET,
        )
        self._bootstrap = self._resampled(scores, study, responses, seed) if parameters.resamples else None

    @property
    def plans(self) -> dict[str, Plan]:
        """What is to be drawn: permutations and, where intervals are asked for, resamples."""
        plans: dict[str, Plan] = {"permutations": Permutations(self._tested)}
        return plans | ({"bootstrap": self._bootstrap.plan} if self._bootstrap else {})

    def rows(self, tests: Sequence[CorrelationTest], replicates: Replicates | None) -> list[CorrelationOfMetric]:
        """A row a metric and coefficient, with the corrections over the metrics of each coefficient."""
        of_row = {(found.coefficient, found.row): found for found in self._intervals(replicates)}
        rows = []
        for coefficient in self.parameters.coefficients:
            family = [test for test in tests if test.coefficient == coefficient]
            p = [test.p_value for test in family]
            for test, p_holm, p_bh in zip(family, holm(p), benjamini_hochberg(p), strict=True):
                found = of_row.get((coefficient, test.row))
                content = test.to_dict()
                content["metric"] = content.pop("row")
                interval = found and CorrelationBounds.from_found(found.interval, over=found.over, notes=found.notes)
                rows.append(
                    CorrelationOfMetric.model_validate(
                        {**content, "p_holm": p_holm, "p_bh": p_bh, "interval": interval}
                    )
                )
        return rows

    def _resampled(
        self, scores: Mapping[str, Sequence[float]], study: StudyInputs, responses: Responses, seed: int
    ) -> CorrelationBootstrap:
        how = self.parameters
        judged = judgements_behind(responses, study.systems, both=how.both, weights=how.weights, average=how.average)
        return CorrelationBootstrap(
            scores,
            judged,
            over=how.over,
            coefficients=how.coefficients,
            resamples=how.resamples,
            seed=seeding.root(seed, seeding.Purpose.CORRELATION_BOOTSTRAP),
            target_name=TARGET,
        )

    def _intervals(self, replicates: Replicates | None) -> Sequence[CorrelationInterval]:
        if self._bootstrap is None or replicates is None:
            return ()
        return self._bootstrap.intervals(replicates, level=self.parameters.level, method=self.parameters.interval)
