"""When two values are tied: one rule for all ranks, pairs and thresholds.

To a computer, 0.3 - 0.2 and 0.2 - 0.1 are different numbers. A statistic that asks whether values are equal would break
such ties by noise, and with them Wilcoxon's p, Spearman's rho or a ranking. So values count as equal if they differ by
at most `metaeval.rounding.ROUNDING` times the size of the numbers they were computed from, and so does everything in a
chain of such neighbours. Shares of counts, and means of shares, need no tolerance: `mean_of_shares` is exact.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix
from metaeval.rounding import ROUNDING


def evened(values: npt.ArrayLike, *, size: float | None = None) -> Matrix:
    """The values with ties made equal, row by row along the last axis: every chain takes its highest value.

    `size` is the size of the numbers that the values were computed from, by default the largest value of the row (a
    difference needs it; a mean of numbers of one sign does not). NaN stays NaN.

    >>> noisy = np.array([0.3 - 0.2, 0.2 - 0.1, 0.5])
    >>> bool(noisy[0] == noisy[1])
    False
    >>> even = evened(noisy, size=0.3)
    >>> bool(even[0] == even[1])
    True
    """
    array = np.asarray(values, dtype=np.float64)
    if array.shape[-1:] == (0,) or not array.size:
        return array.copy()
    order = np.argsort(array, axis=-1)
    ordered = np.take_along_axis(array, order, axis=-1)
    largest = np.nanmax(np.abs(np.nan_to_num(ordered)), axis=-1, keepdims=True) if size is None else size
    with np.errstate(invalid="ignore"):  # of two infinities
        apart = ~(np.diff(ordered, axis=-1) <= ROUNDING * largest) & (ordered[..., 1:] != ordered[..., :-1])
    # the highest value of a chain is at its end: the first place at or after a value that ends a chain
    places = np.arange(array.shape[-1])
    ends = np.concatenate(
        [np.where(apart, places[:-1], places[-1]), np.full((*array.shape[:-1], 1), places[-1])], axis=-1
    )
    highest = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    answer = np.empty_like(array)
    np.put_along_axis(answer, order, np.take_along_axis(ordered, highest, axis=-1), axis=-1)
    return answer


def mean_of_shares(counted: npt.ArrayLike, of: npt.ArrayLike) -> float:
    """The mean of counted / of, rounded once: two means that are equal are the same number.

    Integers or halves (n,), n > 0, with all of `of` above 0.

    >>> mean_of_shares([1, 2, 3], [3, 3, 3])
    0.6666666666666666
    >>> sum([1 / 3, 2 / 3, 1, 1, 1]) / 5 == mean_of_shares([3, 1, 3, 2, 3], [3] * 5)
    True
    """
    counts, totals = np.asarray(counted, dtype=np.float64), np.asarray(of, dtype=np.float64)
    pairs, times = np.unique(np.stack([counts, totals]), axis=1, return_counts=True)
    total = sum(
        (Fraction(count) / Fraction(whole) * int(n) for (count, whole), n in zip(pairs.T.tolist(), times, strict=True)),
        start=Fraction(0),
    )
    return float(total / len(counts))
