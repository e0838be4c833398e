"""Ratios with one rule for 0/0: `zero_division`, as in scikit-learn."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Vector


def ratio(numerator: float, denominator: float, zero_division: float) -> float:
    """numerator / denominator, and `zero_division` for 0/0."""
    return float(numerator / denominator) if denominator > 0 else zero_division


def mean_ratio(numerators: Vector, denominators: Vector, zero_division: float) -> float:
    """Mean over labels of numerator / denominator, with each 0/0 counting as `zero_division`."""
    return float(ratios(numerators, denominators, zero_division).mean())


def ratios(numerators: Vector, denominators: Vector, zero_division: float) -> Vector:
    """numerator / denominator label by label, `zero_division` for 0/0."""
    quotients = np.full(len(numerators), zero_division)
    np.divide(numerators, denominators, out=quotients, where=denominators > 0)
    return quotients
