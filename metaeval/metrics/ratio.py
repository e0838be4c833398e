"""Ratios with one rule for 0/0, which is `zero_division` as in scikit-learn."""

from __future__ import annotations

import numpy as np

from .pair import Vector


def ratio(numerator: float, denominator: float, zero_division: float) -> float:
    """numerator / denominator, and `zero_division` for 0/0."""
    return float(numerator / denominator) if denominator > 0 else zero_division


def mean_ratio(numerators: Vector, denominators: Vector, zero_division: float) -> float:
    """Mean over labels of numerator / denominator, each 0/0 counting as `zero_division`."""
    ratios = np.full(len(numerators), zero_division)
    np.divide(numerators, denominators, out=ratios, where=denominators > 0)
    return float(ratios.mean())
