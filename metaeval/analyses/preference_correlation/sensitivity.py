"""Does the answer hold? The same tests with one thing left out, or counted or exchanged differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from annotations.ground.arrays import Codes, Mask, Vector
from annotations.ground.units import EXCHANGEABLE, Exchangeable, count_permutations
from metaeval.analyses.base.plans import Permutations, Together
from metaeval.analyses.base.work import Plan, Purpose, root_stream
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import Both, Identical, preference_fractions
from metaeval.analyses.inputs.studies import gave_away
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    Variation,
    VariationKind,
    VariedCorrelation,
)
from metaeval.analyses.preference_correlation.unit_of_analysis import ALPHA, ChosenUnit, least_p
from metaeval.stats import Coefficient, CorrelationTest, PermutationPlan, correlation, within_correlation

MOST_PERMUTATIONS = 8192
"""Permutations per test here: one block. The Monte Carlo error is given beside each p-value; near .05 it is .003."""

FEWEST_SYSTEMS = 3
NO_NAME = "(none named)"


@dataclass(frozen=True, eq=False)
class Varied:
    """A variation before it is computed; NaN in `target` leaves a system out."""

    kind: VariationKind
    name: str
    target: Vector
    exchangeable: Exchangeable
    is_asked: bool = False

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.name}"


class Sensitivity:
    """Every variation of an analysis.

    `scores` (metric -> one value per system) and `target` (one value per system) are those of the analysis itself;
    `responses` are those that it counts, and `alike` the same with every comparison marked whose two sides looked the
    same.
    """

    def __init__(
        self,
        scores: Mapping[str, Sequence[float]],
        target: Sequence[float],
        *,
        study: StudyInputs,
        responses: Responses,
        alike: Responses,
        unit: ChosenUnit,
        parameters: PreferenceCorrelation,
        seed: int,
    ) -> None:
        self.scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.target = np.asarray(target, dtype=np.float64)
        self.study, self.responses, self.alike = study, responses, alike
        self.unit, self.parameters = unit, parameters
        crossing = unit.crossing
        self._tested = self._without_each("method left out", crossing.method_names, crossing.methods)
        self._tested += self._without_each("model left out", crossing.model_names, crossing.models)
        self._tested += [*self._one_model(), *self._exchanging()]
        self._tested += [*self._counting_both(), *self._counting_identical(), *self._without_give_aways()]
        self._plans = {
            varied.key: PermutationPlan(
                self.scores,
                varied.target,
                coefficients=parameters.coefficients,
                n_resamples=min(parameters.permutations, MOST_PERMUTATIONS),
                seed=root_stream(seed, Purpose.SENSITIVITY),
                alternative=parameters.alternative,
                two_sided=parameters.two_sided,
                systems=study.systems,
                target_name="the preference fractions",
                units=unit.crossing,
                exchangeable=varied.exchangeable,
            )
            for varied in self._tested
        }

    @property
    def plans(self) -> dict[str, Plan]:
        """The permutations of all variations; none if there is nothing to vary."""
        plans: dict[str, Plan] = {key: Permutations(plan) for key, plan in self._plans.items()}
        return {"sensitivity": Together(plans)} if plans else {}

    def variations(
        self,
        tests: Mapping[str, Sequence[CorrelationTest]] | None,
        questions: Mapping[str, Sequence[CorrelationOfMetric]],
    ) -> list[Variation]:
        """All variations, in order; `questions` are the correlations of each question, first the one that was asked."""
        found = [
            Variation(
                kind=varied.kind,
                name=varied.name,
                is_asked=varied.is_asked,
                cannot_reject=self._cannot_reject(varied.target, varied.exchangeable),
                rows=[_row(test) for test in (tests or {})[varied.key]],
            )
            for varied in self._tested
        ]
        found += self._without_systems()
        found += [
            Variation(
                kind="values",
                name=name,
                is_asked=place == 0,
                cannot_reject=self._cannot_reject(self.target, self.unit.exchangeable),
                rows=[_same(row) for row in rows],
            )
            for place, (name, rows) in enumerate(questions.items())
        ]
        order = get_args(VariationKind)
        return sorted(found, key=lambda variation: order.index(variation.kind))

    def _cannot_reject(self, target: Vector, exchangeable: Exchangeable) -> bool:
        judged = self.unit.crossing.of_systems(np.flatnonzero(np.isfinite(target)))
        return least_p(judged, exchangeable, self.parameters) > ALPHA

    def _leaving_out(self, kind: VariationKind, name: str, gone: Mask) -> list[Varied]:
        """A variation without some systems; nothing if too few are left for a correlation, or none was judged."""
        target = np.where(gone, np.nan, self.target)
        left = int(np.isfinite(target).sum())
        if left < FEWEST_SYSTEMS or left == int(np.isfinite(self.target).sum()):
            return []
        return [Varied(kind, name, target, self.unit.exchangeable)]

    def _without_each(self, kind: VariationKind, names: Sequence[str], codes: Codes) -> list[Varied]:
        """Leaving out each method, or each model, in turn: `codes` say which one of `names` each system has."""
        return [
            varied
            for code, name in enumerate(names)
            for varied in self._leaving_out(kind, name or NO_NAME, codes == code)
        ]

    def _one_model(self) -> list[Varied]:
        crossing = self.unit.crossing
        if len(crossing.model_names) < 2:
            return []
        return [
            replace(varied, exchangeable="within model")
            for code, name in enumerate(crossing.model_names)
            for varied in self._leaving_out("one model", name or NO_NAME, crossing.models != code)
        ]

    def _exchanging(self) -> list[Varied]:
        """Every unit that the design allows, except those that exchange nothing."""
        judged = self.unit.crossing.of_systems(np.flatnonzero(np.isfinite(self.target)))
        return [
            Varied("exchangeable", choice, self.target, choice, is_asked=choice == self.unit.exchangeable)
            for choice in EXCHANGEABLE
            if count_permutations(judged, choice) > 1
        ]

    def _counting_both(self) -> list[Varied]:
        if not self.responses.both.any():
            return []
        return [
            self._counted("both", choice, self.responses, both=choice, is_asked=choice == self.parameters.both)
            for choice in get_args(Both)
        ]

    def _counting_identical(self) -> list[Varied]:
        if not self.alike.looked_alike.any():
            return []
        return [
            self._counted(
                "identical",
                choice,
                self.responses if choice == "keep" else self.alike,
                identical=choice,
                is_asked=choice == self.parameters.identical,
            )
            for choice in get_args(Identical)
        ]

    def _without_give_aways(self) -> list[Varied]:
        """Without comparisons that reveal the system. This favours odd systems, since these are their worst
        predictions."""
        away = gave_away(self.study)[self.responses.response]
        if not away.any() or away.all():
            return []
        return [self._counted("given away", "left out", self.responses.of(~away), is_asked=False)]

    def _counted(
        self,
        kind: VariationKind,
        name: str,
        responses: Responses,
        *,
        is_asked: bool,
        both: Both | None = None,
        identical: Identical | None = None,
    ) -> Varied:
        how = self.parameters
        fractions = preference_fractions(
            responses,
            self.study.systems,
            both=both or how.both,
            weights=how.weights,
            average=how.average,
            identical=identical or how.identical,
        )
        target = np.array([fraction.fraction for fraction in fractions])
        return Varied(kind, name, target, self.unit.exchangeable, is_asked=is_asked)

    def _without_systems(self) -> list[Variation]:
        """The influence of single systems: only values, if methods or models have more than one system."""
        judged = np.flatnonzero(np.isfinite(self.target))
        alone = [
            max(np.bincount(codes), default=0) for codes in (self.unit.crossing.methods, self.unit.crossing.models)
        ]
        if min(alone) <= 1 or len(judged) <= FEWEST_SYSTEMS:
            return []
        return [
            Variation(
                kind="system left out",
                name=self.study.systems[system],
                is_asked=False,
                cannot_reject=False,
                rows=[
                    self._without_system(metric, coefficient, judged[judged != system])
                    for coefficient in self.parameters.coefficients
                    for metric in self.scores
                ],
            )
            for system in judged.tolist()
        ]

    def _without_system(self, metric: str, coefficient: Coefficient, places: Vector) -> VariedCorrelation:
        kept = places[np.isfinite(self.scores[metric][places])]
        x, y = self.scores[metric][kept], self.target[kept]
        crossing = self.unit.crossing
        if self.unit.statistic == "within models":
            found = within_correlation(x, y, crossing.models[kept], coefficient)
        elif self.unit.statistic == "within methods":
            found = within_correlation(x, y, crossing.methods[kept], coefficient)
        else:
            found = correlation(x, y, coefficient)
        return VariedCorrelation(
            metric=metric,
            coefficient=coefficient,
            value=found.value,
            n=found.n,
            p_value=None,
            p_error=None,
            reason=found.reason,
        )


def _row(test: CorrelationTest) -> VariedCorrelation:
    return VariedCorrelation(
        metric=test.row,
        coefficient=test.coefficient,
        value=test.value,
        n=test.n,
        p_value=test.pvalue,
        p_error=test.p_error,
        reason=test.reason,
    )


def _same(row: CorrelationOfMetric) -> VariedCorrelation:
    return VariedCorrelation.model_validate({name: getattr(row, name) for name in VariedCorrelation.model_fields})
