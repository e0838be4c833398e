"""Methods in order of their mean rank over many rankings: datasets, models and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Integers, Mask, Matrix, Vector
from metaeval.checking import as_numbers, checked_sequences
from metaeval.describing import described
from metaeval.stats.correlating.coefficients import average_ranks


@described
@dataclass(frozen=True, eq=False)
class MeanRanks:
    """The ranks of methods, and their means."""

    ranks: Matrix
    """(rankings, methods): The rank of every method in every ranking; NaN where it is not ranked."""
    means: Vector
    """(methods,): The means over rankings."""
    rankings: Integers
    """(methods,): How many ranks each mean is over."""

    def to_dict(self) -> dict[str, Any]:
        return {"ranks": self.ranks.tolist(), "means": self.means.tolist(), "rankings": self.rankings.tolist()}


def mean_ranks(
    values: npt.ArrayLike, *, lower: Sequence[bool], last: npt.ArrayLike, absent: npt.ArrayLike
) -> MeanRanks:
    """The mean rank of every method, 1 being the best.

    Parameters
    ----------
    values : array_like, shape (rankings, methods)
        Values of the methods in each ranking.
    lower : sequence of bool
        For each ranking, whether lower values are better.
    last : array_like of bool, shape (rankings, methods)
        Where a method is degenerate and ranks last.
    absent : array_like of bool, shape (rankings, methods)
        Where a method does not exist.

    Returns
    -------
    MeanRanks
        The ranks and their means; NaN for a method that is in no ranking.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    Equal values share the mean of their ranks. Where `last` is true, or the value is NaN, a method is degenerate: it
    ranks below all others in that ranking, sharing the last ranks with other such methods. Where `absent` is true, the
    method does not exist, and the others are ranked without it. A ranking of fewer than two methods is left out.

    References
    ----------
    Kurniawan et al. 2026, Figures 1 to 4, where methods are in order of their mean rank, degenerate ones last.

    Examples
    --------
    >>> none = [[False] * 3] * 2
    >>> mean_ranks(
    ...     [[0.9, 0.5, 0.7], [0.2, 0.2, float("nan")]], lower=[False, True], last=none, absent=none
    ... ).means.tolist()
    [1.25, 2.25, 2.5]
    """
    matrix = as_numbers("values", values, "a matrix (rankings, methods)")
    checked_sequences("one a ranking", values=np.atleast_1d(matrix), lower=lower)
    is_absent: Mask = np.asarray(absent, dtype=np.bool_)
    bottom: Mask = np.asarray(last, dtype=np.bool_)
    if matrix.ndim != 2 or not matrix.shape == is_absent.shape == bottom.shape or np.isinf(matrix).any():
        msg = f"values have shape {matrix.shape}; expected (rankings, methods), none infinite, as `last` and `absent`"
        raise ValueError(msg)
    bottom = (bottom | np.isnan(matrix)) & ~is_absent
    ranks = np.full(matrix.shape, np.nan)
    for row, is_lower in enumerate(lower):
        good = ~bottom[row] & ~is_absent[row]
        if good.sum() + bottom[row].sum() < 2:
            continue
        if good.any():
            ranks[row, good] = average_ranks(matrix[row, good] if is_lower else -matrix[row, good])
        ranks[row, bottom[row]] = good.sum() + (bottom[row].sum() + 1) / 2
    rankings = np.isfinite(ranks).sum(axis=0)
    means = np.full(matrix.shape[1], np.nan)
    np.divide(np.nansum(ranks, axis=0), rankings, out=means, where=rankings > 0)
    return MeanRanks(ranks, means, rankings.astype(np.int64))
