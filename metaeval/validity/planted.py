"""Studies with a known truth: models and methods, what they share, and how closely a metric follows the preferences."""

from __future__ import annotations

import math
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
