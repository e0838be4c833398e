"""Does the answer hold? The same tests with one thing left out, or counted or exchanged differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from annotations.ground.arrays import Codes, Mask, Vector
from annotations.ground.units import EXCHANGEABLE, Exchangeable, count_permutations
from metaeval.analyses.base import seeding
from metaeval.analyses.base.plans import Permutations, Together
from metaeval.analyses.base.saying import ALPHA
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import Responses
from metaeval.analyses.inputs.fractions import Both, Identical
from metaeval.analyses.inputs.studies import gave_away
from metaeval.analyses.preference_correlation.correlations import Scores, SystemPreferences, fractions_of
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    Variation,
    VariationKind,
    VariedCorrelation,
)
from metaeval.stats import Coefficient, CorrelationTest, correlation, within_correlation

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


class Sensitivity:
    """Every variation of an analysis.

    `alike` are the responses that count, with every comparison marked whose two sides looked the same.
    """

    def __init__(self, scores: Scores, preferences: SystemPreferences, alike: Responses) -> None:
        self.scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.preferences, self.parameters, self.target = preferences, preferences.parameters, preferences.target
        self._varied = {f"{varied.kind}/{varied.name}": varied for varied in self._variations(alike)}
        permutations: dict[str, Plan] = {
            key: Permutations(
                preferences.permutations(
                    self.scores,
                    varied.target,
                    varied.exchangeable,
                    number=min(self.parameters.permutations, MOST_PERMUTATIONS),
                    purpose=seeding.Purpose.SENSITIVITY,
                )
            )
            for key, varied in self._varied.items()
        }
        self.plans: dict[str, Plan] = {"sensitivity": Together(permutations)} if permutations else {}

    def rows(
        self,
        tests: Mapping[str, Sequence[CorrelationTest]] | None,
        questions: Mapping[str, Sequence[CorrelationOfMetric]],
    ) -> list[Variation]:
        """All variations, in order; `questions` are the correlations of each question, the requested one first."""
        rows = [
            Variation(
                kind=varied.kind,
                name=varied.name,
                is_asked=varied.is_asked,
                cannot_reject=self.preferences.least_p(varied.target, varied.exchangeable) > ALPHA,
                rows=[
                    VariedCorrelation(
                        metric=test.row,
                        coefficient=test.coefficient,
                        value=test.value,
                        n=test.n,
                        p_value=test.pvalue,
                        p_error=test.p_error,
                        reason=test.reason,
                    )
                    for test in (tests or {})[key]
                ],
            )
            for key, varied in self._varied.items()
        ]
        cannot_reject = self.preferences.least_p(self.target, self.preferences.exchangeable) > ALPHA
        fields = VariedCorrelation.model_fields
        for place, (name, correlations) in enumerate(questions.items()):
            varied = [VariedCorrelation(**{field: getattr(row, field) for field in fields}) for row in correlations]
            rows.append(
                Variation(kind="values", name=name, is_asked=place == 0, cannot_reject=cannot_reject, rows=varied)
            )
        order = get_args(VariationKind)
        return sorted([*rows, *self._without_systems()], key=lambda row: order.index(row.kind))

    def _variations(self, alike: Responses) -> Iterator[Varied]:
        """All that are tested."""
        preferences, choices = self.preferences, self.parameters
        crossing, exchangeable, responses = preferences.crossing, preferences.exchangeable, preferences.responses
        yield from self._without_each("method left out", crossing.method_names, crossing.methods, exchangeable)
        yield from self._without_each("model left out", crossing.model_names, crossing.models, exchangeable)
        if len(crossing.model_names) > 1:
            for code, name in enumerate(crossing.model_names):
                yield from self._without("one model", name, crossing.models != code, "within model")
        judged = preferences.judged(self.target)
        for unit in EXCHANGEABLE:
            if count_permutations(judged, unit) > 1:
                yield Varied("exchangeable", unit, self.target, unit, is_asked=unit == exchangeable)
        if responses.both.any():
            for both in get_args(Both):
                target = self._fractions(responses, both=both)
                yield Varied("both", both, target, exchangeable, is_asked=both == choices.both)
        if alike.looked_alike.any():
            for identical in get_args(Identical):
                target = self._fractions(responses if identical == "keep" else alike, identical=identical)
                yield Varied("identical", identical, target, exchangeable, is_asked=identical == choices.identical)
        # Comparisons that reveal the system are odd systems' worst predictions: leaving them out favours these systems.
        reveals = gave_away(preferences.study)[responses.response]
        if reveals.any() and not reveals.all():
            yield Varied("given away", "left out", self._fractions(responses.of(~reveals)), exchangeable)

    def _fractions(
        self, responses: Responses, *, both: Both | None = None, identical: Identical | None = None
    ) -> Vector:
        fractions = fractions_of(responses, self.preferences.study, self.parameters, both=both, identical=identical)
        return np.array([fraction.fraction for fraction in fractions])

    def _without_each(
        self, kind: VariationKind, names: Sequence[str], codes: Codes, exchangeable: Exchangeable
    ) -> Iterator[Varied]:
        """Leaving out each method, or each model, in turn: `codes` say which of `names` each system has."""
        for code, name in enumerate(names):
            yield from self._without(kind, name, codes == code, exchangeable)

    def _without(self, kind: VariationKind, name: str, omitted: Mask, exchangeable: Exchangeable) -> Iterator[Varied]:
        """A variation without some systems; nothing if too few remain for a correlation, or none was judged."""
        target = np.where(omitted, np.nan, self.target)
        remaining = int(np.isfinite(target).sum())
        if FEWEST_SYSTEMS <= remaining < int(np.isfinite(self.target).sum()):
            yield Varied(kind, name or NO_NAME, target, exchangeable)

    def _without_systems(self) -> list[Variation]:
        """The influence of single systems: only values, if methods or models have more than one system."""
        judged = np.flatnonzero(np.isfinite(self.target))
        crossing = self.preferences.crossing
        sizes = [max(np.bincount(codes), default=0) for codes in (crossing.methods, crossing.models)]
        if min(sizes) <= 1 or len(judged) <= FEWEST_SYSTEMS:
            return []
        return [
            Variation(
                kind="system left out",
                name=self.preferences.study.systems[system],
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
        places = places[np.isfinite(self.scores[metric][places])]
        x, y, crossing = self.scores[metric][places], self.target[places], self.preferences.crossing
        if self.preferences.statistic == "overall":
            result = correlation(x, y, coefficient)
        else:
            within = crossing.models if self.preferences.statistic == "within models" else crossing.methods
            result = within_correlation(x, y, within[places], coefficient)
        return VariedCorrelation(
            metric=metric,
            coefficient=coefficient,
            value=result.value,
            n=result.n,
            p_value=None,
            p_error=None,
            reason=result.reason,
        )
