"""Studies with a known truth: models and methods, what they share, and how closely a metric follows the preferences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Matrix, Vector
from annotations.ground.units import Crossing

RUNS_ALIKE = 0.9
"""The correlation of two runs of one model and method, whose predictions are almost the same."""


@dataclass(frozen=True)
class PlantedDesign:
    """`models` x `methods` systems (with separate methods per model if `nested`), with `runs` of each.

    A method's values in two models correlate at `likeness`. Models are shifted by normal amounts with standard
    deviation `shift` (relative to methods within a model), independently in every metric and in the preferences.
    `holes` are pairs (model, method) that no system has.
    """

    name: str
    models: int = 1
    methods: int = 13
    likeness: float = 0.0
    shift: float = 0.0
    nested: bool = False
    runs: int = 1
    holes: tuple[tuple[int, int], ...] = ()

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Model and method of each system, in order; runs of the same are adjacent."""
        every = [(model, method) for model in range(self.models) for method in range(self.methods)]
        return [cell for cell in every if cell not in self.holes for _ in range(self.runs)]

    @property
    def crossing(self) -> Crossing:
        """What the names of the systems say."""
        return Crossing.of(
            [
                (f"model {model}", f"method {model}.{method}" if self.nested else f"method {method}")
                for model, method in self.cells
            ]
        )

    def drawn(self, rng: np.random.Generator, correlations: tuple[float, ...]) -> tuple[Matrix, Vector]:
        """One study: scores of a metric for each of these true correlations within models (metrics, n), and the
        standardised preference fractions (n,)."""
        target = self._values(rng)
        own = [self._values(rng) for _ in correlations]
        scores = [r * target + math.sqrt(1 - r**2) * noise for r, noise in zip(correlations, own, strict=True)]
        shifts = self.shift * rng.normal(size=(len(scores) + 1, self.models))
        models = np.array([model for model, _ in self.cells])
        return np.array(scores) + shifts[1:, models], target + shifts[0, models]

    def _values(self, rng: np.random.Generator) -> Vector:
        """Variance 1 within models; correlated between models and between runs as declared."""
        models, methods = np.array(self.cells).T
        shared = rng.normal(size=self.methods)[methods]
        own = rng.normal(size=(self.models, self.methods))[models, methods]
        value: Vector = math.sqrt(self.likeness) * shared + math.sqrt(1 - self.likeness) * own
        if self.runs == 1:
            return value
        single: Vector = math.sqrt(RUNS_ALIKE) * value + math.sqrt(1 - RUNS_ALIKE) * rng.normal(size=len(value))
        return single


def crossed_studies(
    rng: np.random.Generator, shape: tuple[int, int, int], *, r: Sequence[float], likeness: float, shift: float
) -> tuple[Matrix, list[Matrix]]:
    """Preference fractions and, for each correlation in `r`, a metric: each (studies, models, methods).

    As `PlantedDesign.drawn`, for complete crossings.
    """
    studies, models, methods = shape

    def values() -> Matrix:
        shared, own = rng.normal(size=(studies, 1, methods)), rng.normal(size=shape)
        return math.sqrt(likeness) * shared + math.sqrt(1 - likeness) * own

    def shifts() -> Matrix:
        return shift * rng.normal(size=(studies, models, 1))

    target = values()
    metrics = [true * target + math.sqrt(1 - true**2) * values() + shifts() for true in r]
    return target + shifts(), metrics


def pearson_of_studies(x: Matrix, y: Matrix, *, within: bool = True) -> Vector:
    """Pearson's r of each study (studies,): of values minus their model's mean, or over all systems."""
    axes = (2,) if within else (1, 2)
    a, b = x - x.mean(axis=axes, keepdims=True), y - y.mean(axis=axes, keepdims=True)
    r: Vector = (a * b).sum(axis=(1, 2)) / np.sqrt((a**2).sum(axis=(1, 2)) * (b**2).sum(axis=(1, 2)))
    return r


def without_each_method(x: Matrix, y: Matrix) -> Matrix:
    """r within models without each method in turn: (methods, studies)."""
    methods = x.shape[2]
    others = [np.delete(np.arange(methods), method) for method in range(methods)]
    return np.array([pearson_of_studies(x[:, :, rest], y[:, :, rest]) for rest in others])


def jackknife_errors(values: Matrix) -> Vector:
    """`metaeval.stats.correlating.jackknife.jackknife_error` of each column (methods, studies)."""
    methods = len(values)
    errors: Vector = np.sqrt((methods - 1) / methods * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return errors
