"""How many people a matrix of shares may come from, if nobody says.

Shares of five people come in fifths. A page that draws them beside a model's must draw both in fifths
(annotations/shown/displaying.py), and the values of a matrix without annotations still show how it was made.
"""

import numpy as np

from annotations.ground.arrays import Integers, Matrix

MOST = 100
COMMON = 0.05  # a number of people is assumed if this share of the rows needs it
EXACT = 1e-6  # rounding errors of computed shares: float32 keeps seven digits
DECIMALS = (2, 3, 4, 5)  # how many decimals published shares may be rounded to


def parts_of_shares(P: Matrix) -> Integers:
    """A number n of people for every row such that all its values are multiples of 1/n.

    A row needs at least its smallest such n, but 50% may come from two people or from ten. So it gets the largest
    multiple of it that a twentieth of all rows (not counting unanimous ones) needs; if there is none, its own. 100 if
    no n up to 100 fits, as after smoothing. Values rounded to a few decimals count as multiples if they are within
    that rounding, provided that this explains every row.

    Args:
        P: float64, N instances x K labels, values in [0, 1].

    Returns:
        int64, N numbers from 1 to 100.

    >>> parts_of_shares(np.array([[0.2, 0.8], [0.4, 0.6], [0.0, 1.0]])).tolist()
    [5, 5, 5]
    >>> parts_of_shares(np.array([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2]])).tolist()
    [10, 10, 10]
    >>> parts_of_shares(np.array([[0.333, 0.667], [0.25, 0.75]])).tolist()
    [3, 4]
    >>> parts_of_shares(np.array([[0.1214, 0.8786]])).tolist()
    [100]
    """
    least = _least(P, EXACT)
    rounding = _rounding(P)
    if rounding is not None:
        near = _least(P, rounding)
        least = near if (near < MOST).all() else least
    needed, counts = np.unique(least[least > 1], return_counts=True)
    believed = needed[counts >= COMMON * counts.sum()]
    multiples = (believed % least[:, None] == 0) * believed
    parts: Integers = np.maximum(least, multiples.max(axis=1, initial=0))
    return parts


def _least(P: Matrix, tolerance: float) -> Integers:
    """For every row, the smallest n such that all values are multiples of 1/n, within `tolerance`; 100 if there is
    none.
    """
    # With many people every value is near some multiple, so nearness means nothing.
    numbers = [n for n in range(1, MOST) if 2 * n * tolerance <= 0.1]
    least = np.full(len(P), MOST, dtype=np.int64)
    for n in reversed(numbers):
        least[(np.abs(P * n - np.round(P * n)) <= n * tolerance + 1e-9).all(axis=1)] = n
    return least


def _rounding(P: Matrix) -> float | None:
    """Half a unit of the last decimal, if all values have few."""
    for decimals in DECIMALS:
        if (np.abs(P - np.round(P, decimals)) < 1e-9).all():
            return 0.5 * 10.0**-decimals
    return None
