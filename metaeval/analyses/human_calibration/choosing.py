"""The temperatures of each system: one that was requested, or the best on other instances or data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from annotations.ground.arrays import Integers
from metaeval import metrics
from metaeval.analyses.base.work import Plan
from metaeval.analyses.human_calibration.entries import known_places
from metaeval.analyses.human_calibration.judging import Judging
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.temperatures import TemperaturePlan, Temperatures, best, folds_of
from metaeval.sampling import Replicates


class Choosing:
    """The search for the best temperature of every system, and what it found.

    On the judged dataset, the temperature of every fold is chosen on the other folds. On another dataset, one is chosen
    on all instances for which the system of the same name has a prediction; the two datasets need not have the same
    labels.
    """

    def __init__(self, judging: Judging, parameters: HumanCalibration, seed: np.random.SeedSequence) -> None:
        self._judging, self._parameters = judging, parameters
        self._folds = 1 if judging.fitted_on else parameters.folds
        self._fold = folds_of(len(judging.data.P), self._folds, seed)

    def plans(self, systems: Sequence[str]) -> dict[str, Plan]:
        """A plan for every system that needs one."""
        if self._parameters.scaling != "grid":
            return {}
        data = self._judging.fitted_on or self._judging.data
        fold: Integers = np.zeros(len(data.P), dtype=np.int64) if self._judging.fitted_on else self._fold
        plans: dict[str, Plan] = {}
        for name in systems:
            if name not in data.systems:
                continue
            known = known_places(data, name)
            rows = slice(None) if known is None else known
            plans[_key(name)] = TemperaturePlan(
                data.P[rows], data.Q[name][rows], fold[rows], self._folds, self._parameters.criterion
            )
        return plans

    def chosen(self, name: str, replicates: Mapping[str, Replicates]) -> Temperatures | None:
        """The temperatures of the system; None if no scaling is requested."""
        parameters, slug = self._parameters, self._judging.slug_fitted_on
        if parameters.scaling == "none":
            return None
        if parameters.scaling == "one":
            words = f"T = {parameters.temperature:g}"
            return Temperatures(words, (parameters.temperature,), np.zeros_like(self._fold))
        words = f"T of {slug}" if slug else "T chosen"
        if _key(name) not in replicates:
            return Temperatures(words, (math.nan,), self._fold, f"the dataset {slug} has no system of this name")
        temperatures = tuple(best(replicates[_key(name)]))
        reason = ""
        if any(math.isnan(temperature) for temperature in temperatures):
            title = metrics.get(parameters.criterion).title
            reason = f"{title} is undefined at every temperature of the grid" + (f" on {slug}" if slug else "")
        return Temperatures(words, temperatures, self._fold, reason)


def _key(name: str) -> str:
    return f"temperature/{name}"
