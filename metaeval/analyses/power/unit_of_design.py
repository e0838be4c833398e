"""Models and methods of the planned systems, what the test of such a study exchanges, and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotations.designing.testing_unit import MORE, p_in_words
from annotations.ground.units import (
    Crossing,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    explained,
    held_exactly,
    smallest_p,
)
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.result import AssumedName, UnitOfDesign
from metaeval.stats import Judgements, SharedUnits

SYSTEMS, MODELS = 25, 2
"""Defaults without a planned study: those of Kurniawan et al. (2026), 13 methods with one hole."""


@dataclass(frozen=True)
class DesignedUnit:
    """(model, method) of each system, and what is exchanged."""

    names: tuple[tuple[str, str], ...]
    exchangeable: Exchangeable
    by_default: bool
    is_shared: bool
    """Whether systems have models or methods in common, so that they cannot be exchanged freely."""

    @classmethod
    def of_study(cls, study: StudyInputs, parameters: PowerOfStudy) -> DesignedUnit:
        """The unit for the systems that the study compares."""
        return cls._of(tuple((origin["model"], origin["method"]) for origin in study.origins), parameters)

    @classmethod
    def planned(cls, study: StudyInputs | None, parameters: PowerOfStudy) -> DesignedUnit:
        """The unit for the study's systems, unless the parameters request others; then for crossed models and
        methods."""
        if study is None:
            return cls._of(_crossed(parameters, MODELS), parameters)
        own = cls.of_study(study, parameters)
        asked = (parameters.models, parameters.methods, parameters.systems)
        if asked in {(None, None, None), (None, None, len(own.names))}:
            return own
        return cls._of(_crossed(parameters, len(own.crossing.model_names) or MODELS), parameters)

    @classmethod
    def _of(cls, names: tuple[tuple[str, str], ...], parameters: PowerOfStudy) -> DesignedUnit:
        usual = default_exchangeable(Crossing.of(names))
        exchangeable = usual if parameters.exchangeable == "default" else parameters.exchangeable
        unlike = parameters.likeness == parameters.model_spread == 0
        return cls(
            names,
            exchangeable,
            by_default=parameters.exchangeable == "default",
            is_shared=exchangeable != "systems" or (usual != "systems" and not unlike),
        )

    @property
    def crossing(self) -> Crossing:
        return Crossing.of(self.names)

    def judged(self, judged: Judgements) -> DesignedUnit:
        """The unit for only the systems with responses; what is exchanged stays the same."""
        kept = np.flatnonzero(np.diff(judged.system_starts) > 0)
        return replace(self, names=tuple(self.names[place] for place in kept))

    def shared(self, assumed: Mapping[AssumedName, float]) -> SharedUnits | None:
        """For the simulation; None: the systems have nothing in common, and any two can be exchanged."""
        if not self.is_shared:
            return None
        return SharedUnits(self.names, assumed["likeness"], assumed["model_spread"], self.exchangeable)

    def spread_within(self, assumed: Mapping[AssumedName, float]) -> float:
        """How much the systems of one model differ, relative to all systems: the rest is due to the models.

        s / sqrt(1 + m² (1 - 1/M)), for M models that are m times as far apart as the systems of one.
        """
        if not self.is_shared:
            return assumed["spread"]
        models = len(self.crossing.model_names)
        return assumed["spread"] / math.sqrt(1 + assumed["model_spread"] ** 2 * (1 - 1 / models))

    def described(self, parameters: PowerOfStudy) -> UnitOfDesign:
        """The unit in words, with the smallest possible p-value."""
        crossing = self.crossing
        double = parameters.alternative == "two-sided"
        least = smallest_p(crossing, self.exchangeable, permutations=parameters.permutations, double=double)
        return UnitOfDesign(
            exchangeable=self.exchangeable,
            by_default=self.by_default,
            words=explained(crossing, self.exchangeable),
            models=len(crossing.model_names),
            methods=len(crossing.method_names),
            possible=held_exactly(count_permutations(crossing, self.exchangeable)),
            smallest_p=least,
            smallest_in_words=p_in_words(least),
            warning=self._warning(least, parameters.alpha),
        )

    def _warning(self, least: float, alpha: float) -> str:
        if least <= alpha:
            return ""
        return (
            f"The smallest p that such a study can reach is {p_in_words(least)}: it cannot show anything at "
            f"{100 * alpha:g}%. {MORE[self.exchangeable]}"
        )


def _crossed(parameters: PowerOfStudy, usual_models: int) -> tuple[tuple[str, str], ...]:
    """Every method in every model, except the last, which some models lack if the numbers do not divide."""
    models, methods = parameters.models, parameters.methods
    if parameters.systems is None and methods is not None:
        systems = (models or usual_models) * methods
    else:
        systems = parameters.systems or SYSTEMS
    if models is None:
        models = math.ceil(systems / methods) if methods is not None else min(usual_models, systems)
    if methods is None:
        methods = math.ceil(systems / models)
    if not models * (methods - 1) < systems <= models * methods:
        raise AnalysisError(
            f"{systems} systems cannot be {models} models with {methods} methods each, of which at most "
            f"one may lack some models. Expected {models * (methods - 1) + 1} to {models * methods} "
            "systems; or leave out one of the three numbers.",
            systems=systems,
            models=models,
            methods=methods,
        )
    pairs = [(f"model {model + 1}", f"method {method + 1}") for method in range(methods) for model in range(models)]
    return tuple(pairs[:systems])
