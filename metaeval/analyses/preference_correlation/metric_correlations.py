"""How much does each metric agree with the experts? Correlations with permutation tests and bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from metaeval.analyses.base.plans import Permutations
from metaeval.analyses.base.work import Plan, Purpose, root_stream
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import judgements_behind
from metaeval.analyses.inputs.parts import as_stored
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import CorrelationBounds, CorrelationOfMetric
from metaeval.analyses.preference_correlation.unit_of_analysis import ChosenUnit
from metaeval.sampling import Replicates
from metaeval.stats import (
    Coefficient,
    CorrelationBootstrap,
    CorrelationInterval,
    CorrelationTest,
    JackknifeInterval,
    PermutationPlan,
    StatisticName,
    benjamini_hochberg,
    holm,
    jackknife_intervals,
)

TARGET = "the preference fractions"
BY_METHODS: Literal["bca by methods"] = "bca by methods"
NO_FLAGS: Mapping[str, str] = MappingProxyType({})


class MetricCorrelations:
    """Every metric with the preference fractions, by every coefficient, before the first sample is drawn.

    `scores` (metric -> one value per system) and `target` (one value per system); NaN leaves a system out.
    """

    def __init__(
        self,
        scores: Mapping[str, Sequence[float]],
        target: Sequence[float],
        *,
        study: StudyInputs,
        responses: Responses,
        unit: ChosenUnit,
        parameters: PreferenceCorrelation,
        seed: int,
        with_bootstrap: bool = True,
    ) -> None:
        self.parameters, self.unit = parameters, unit
        self._scores, self._target, self._systems = scores, target, study.systems
        self._tested = PermutationPlan(
            scores,
            target,
            coefficients=parameters.coefficients,
            n_resamples=parameters.permutations,
            seed=root_stream(seed, Purpose.PERMUTATIONS),
            alternative=parameters.alternative,
            two_sided=parameters.two_sided,
            systems=study.systems,
            target_name=TARGET,
            units=unit.crossing,
            exchangeable=unit.exchangeable,
        )
        resampled = with_bootstrap and parameters.interval != "jackknife" and parameters.resamples
        self._bootstrap = self._resampled(scores, study, responses, seed) if resampled else None

    @property
    def plans(self) -> dict[str, Plan]:
        """What to draw: permutations and, if intervals are requested, resamples."""
        plans: dict[str, Plan] = {"permutations": Permutations(self._tested)}
        return plans | ({"bootstrap": self._bootstrap.plan} if self._bootstrap else {})

    def rows(
        self,
        tests: Sequence[CorrelationTest],
        replicates: Replicates | None = None,
        flags: Mapping[str, str] = NO_FLAGS,
    ) -> list[CorrelationOfMetric]:
        """One row per metric and coefficient, corrected over the metrics of each coefficient.

        `flags` has remarks about the values of single metrics.
        """
        of_row = self._intervals(replicates)
        rows = []
        for coefficient in self.parameters.coefficients:
            family = [test for test in tests if test.coefficient == coefficient]
            p = [test.pvalue for test in family]
            for test, p_holm, p_bh in zip(family, holm(p), benjamini_hochberg(p), strict=True):
                told = CorrelationOfMetric.model_fields
                content = {key: value for key, value in as_stored(test).items() if key in told}
                content["permutations"] = test.n_resamples
                content["metric"] = test.row
                rows.append(
                    CorrelationOfMetric.model_validate(
                        {
                            **content,
                            "p_holm": p_holm,
                            "p_bh": p_bh,
                            "flag": flags.get(test.row, ""),
                            "interval": of_row.get((coefficient, test.row)),
                        }
                    )
                )
        return rows

    def _resampled(
        self, scores: Mapping[str, Sequence[float]], study: StudyInputs, responses: Responses, seed: int
    ) -> CorrelationBootstrap:
        how, by_units = self.parameters, self.parameters.interval == BY_METHODS
        judged = judgements_behind(
            responses,
            study.systems,
            both=how.both,
            weights=how.weights,
            average=how.average,
            identical=how.identical,
        )
        return CorrelationBootstrap(
            scores,
            judged,
            over=how.over,
            coefficients=how.coefficients,
            n_resamples=how.resamples,
            seed=root_stream(seed, Purpose.CORRELATION_BOOTSTRAP),
            target_name=TARGET,
            units=self.unit.crossing if by_units else None,
            exchangeable=self.unit.exchangeable if by_units else None,
        )

    def _intervals(self, replicates: Replicates | None) -> dict[tuple[Coefficient, str], CorrelationBounds]:
        """The intervals, by coefficient and metric."""
        how = self.parameters
        if how.interval == "jackknife":
            left_out = jackknife_intervals(
                self._scores,
                self._target,
                units=self.unit.crossing,
                exchangeable=self.unit.exchangeable,
                coefficients=how.coefficients,
                confidence_level=how.level,
                systems=self._systems,
                target_name=TARGET,
            )
            return {(found.coefficient, found.row): self._of_jackknife(found) for found in left_out}
        if self._bootstrap is None or replicates is None:
            return {}
        if how.interval != BY_METHODS:
            resampled = self._bootstrap.intervals(replicates, confidence_level=how.level, method=how.interval)
            return {
                (found.coefficient, found.row): CorrelationBounds.from_found(
                    found.interval, over=found.over, notes=found.notes
                )
                for found in resampled
            }
        return {
            (found.coefficient, found.row): self._by_methods(found)
            for found in self._bootstrap.intervals(replicates, confidence_level=how.level, method="bca")
        }

    def _by_methods(self, found: CorrelationInterval) -> CorrelationBounds:
        return CorrelationBounds.from_found(
            found.interval,
            method=BY_METHODS,
            statistic=found.statistic,
            units=found.units,
            over=found.over,
            notes=[*self._another(found.statistic, found.interval.reason), *found.notes],
        )

    def _another(self, statistic: StatisticName, reason: str) -> list[str]:
        if statistic == self.unit.statistic or reason:
            return []
        return [f"The interval is of the correlation {statistic}, which is not the tested one."]

    def _of_jackknife(self, found: JackknifeInterval) -> CorrelationBounds:
        return CorrelationBounds(
            low=found.low,
            high=found.high,
            level=found.confidence_level,
            method="jackknife",
            statistic=found.statistic,
            over=[found.left_out],
            units=found.units,
            standard_error=found.standard_error,
            reason=found.reason,
            notes=self._another(found.statistic, found.reason),
        )
