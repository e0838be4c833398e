"""What is exchanged in the tests of a study, from the names of its systems, and what a reader must know about it."""

from __future__ import annotations

from dataclasses import dataclass

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
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import UnitOfAnalysis
from metaeval.stats.correlating.exchanging import STATISTICS, StatisticName

ALPHA = 0.05
FEW_SYSTEMS = 6

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


@dataclass(frozen=True)
class ChosenUnit:
    """The crossing of models and methods (one entry per system), and what is exchanged."""

    crossing: Crossing
    exchangeable: Exchangeable
    by_default: bool

    @classmethod
    def of(cls, study: StudyInputs, parameters: PreferenceCorrelation) -> ChosenUnit:
        crossing = Crossing.of([(origin["model"], origin["method"]) for origin in study.origins])
        if parameters.exchangeable == "default":
            return cls(crossing, default_exchangeable(crossing), by_default=True)
        return cls(crossing, parameters.exchangeable, by_default=False)

    @property
    def statistic(self) -> StatisticName:
        return STATISTICS[self.exchangeable]

    def described(self, target: Vector, parameters: PreferenceCorrelation) -> UnitOfAnalysis:
        """The unit in words, and what the judged systems (those with a number in `target`) allow."""
        judged = self.crossing.of_systems(np.flatnonzero(np.isfinite(target)))
        least = least_p(judged, self.exchangeable, parameters)
        possible = count_permutations(judged, self.exchangeable)
        return UnitOfAnalysis(
            exchangeable=self.exchangeable,
            by_default=self.by_default,
            words=explained(judged, self.exchangeable),
            statistic=self.statistic,
            models=len(judged.model_names),
            methods=len(judged.method_names),
            possible=held_exactly(possible),
            smallest_p=least,
            cannot_reject=_cannot_reject(possible, least),
            beside=BESIDE[self.statistic],
            few=_few(len(judged)),
        )


def least_p(judged: Crossing, exchangeable: Exchangeable, parameters: PreferenceCorrelation) -> float:
    """The smallest p-value that the parameters' test can give for these systems."""
    double = parameters.alternative == "two-sided" and parameters.two_sided == "double"
    return smallest_p(judged, exchangeable, permutations=parameters.permutations, double=double)


def _cannot_reject(possible: int, least: float) -> str:
    """
    >>> _cannot_reject(24, 2 / 24)
    'Only 24 arrangements are possible, so no p-value can be below 0.0833: this design cannot reject at 5%.'
    >>> _cannot_reject(720, 2 / 720)
    ''
    """
    if least <= ALPHA:
        return ""
    ways = "Only one arrangement is possible" if possible == 1 else f"Only {possible:,} arrangements are possible"
    return f"{ways}, so no p-value can be below {least:.3g}: this design cannot reject at {100 * ALPHA:g}%."


def _few(systems: int) -> str:
    """
    >>> _few(3)
    'Only 3 systems were judged. With so few, a correlation near 1 or −1 can arise by chance alone.'
    >>> _few(26)
    ''
    """
    if systems >= FEW_SYSTEMS:
        return ""
    return f"Only {systems} systems were judged. With so few, a correlation near 1 or −1 can arise by chance alone."
