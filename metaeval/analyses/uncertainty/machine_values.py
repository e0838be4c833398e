"""Machines that give numbers, and people's labels as numbers for comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Matrix, Vector

PREFERENCE_POINTS: Vector = np.array([1.0, -1.0, 0.0, 0.0])
"""The points of a preference for the first side, the second, both and neither (`judged_items.OF_TWO`, `OF_SYSTEM`).

A difference between two sides says which one is closer and by how much, not whether either is close: so both and
neither are the same point, that of no preference.
"""


def expected_values(predicted: Sequence[Matrix], points: Vector) -> Vector:
    """The mean of the expected values of several systems: (items,).

    For one system: the sum over labels of point x probability. `predicted` are its distributions (items, labels),
    `points` the labels' points on the scale. Probability below the scale counts as the first point, as in its
    distribution. Range: that of the points.

    Source: Liu et al. 2023, G-Eval, section 2.3, whose score weights each point by its probability.

    >>> expected_values([np.array([[0.5, 0.25, 0.25], [0, 0, 1]])], np.array([1, 2, 3])).tolist()
    [1.75, 3.0]
    """
    values: Vector = np.mean([Q @ points for Q in predicted], axis=0)
    return values
