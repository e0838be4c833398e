"""How much values vary."""

from __future__ import annotations

import math

from annotations.ground.arrays import Vector
from metaeval.stats.correlating.coefficients import is_constant


def standard_deviation(values: Vector) -> float:
    """The standard deviation, which divides by n - 1: exactly 0 where the values differ only by rounding, since three
    times the same accuracy would otherwise vary by 1e-16; NaN of fewer than two values.

    >>> import numpy as np
    >>> standard_deviation(np.array([0.1, 0.2, 0.3])).__round__(9), standard_deviation(np.full(3, 158 / 168))
    (0.1, 0.0)
    """
    if len(values) < 2:
        return math.nan
    return 0.0 if is_constant(values) else float(values.std(ddof=1))
