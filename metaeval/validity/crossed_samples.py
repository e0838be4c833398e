"""Many crossed studies at once, as arrays: for sections whose figures need thousands of them in seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Matrix, Vector


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
    kept = [np.delete(np.arange(methods), method) for method in range(methods)]
    return np.array([pearson_of_studies(x[:, :, rest], y[:, :, rest]) for rest in kept])


def jackknife_errors(values: Matrix) -> Vector:
    """`metaeval.stats.correlating.jackknife.jackknife_error` of each column (methods, studies)."""
    methods = len(values)
    errors: Vector = np.sqrt((methods - 1) / methods * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return errors
