"""Pearson's r, Spearman's rho and Kendall's tau-b, and their parts that permutation tests reuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import as_numbers, checked_choice
from metaeval.frames import aligned
from metaeval.rounding import is_one_value
from metaeval.stats.results import Statistic
from metaeval.stats.ties import evened

from .concordance import concordance

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)


@dataclass(frozen=True)
class Correlation(Statistic):
    """A correlation coefficient of n pairs.

    Attributes
    ----------
    coefficient : {'pearson', 'spearman', 'kendall'}
        Which coefficient.
    value : float
        In [-1, 1], or NaN where it is undefined.
    n : int
        How many pairs.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    coefficient: Coefficient
    value: float
    n: int
    reason: str = ""

    def __float__(self) -> float:
        return self.value


def correlation(x: npt.ArrayLike, y: npt.ArrayLike, coefficient: Coefficient = "pearson") -> Correlation:
    """One correlation coefficient of two sequences.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Values of the same length. Two Series are matched by their index.
    coefficient : {'pearson', 'spearman', 'kendall'}, default 'pearson'
        Which correlation coefficient.

    Returns
    -------
    Correlation
        A value in [-1, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ, or a value is NaN or infinite: leave such pairs out first.

    Notes
    -----
    Pearson: sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2). Spearman: the same of average
    ranks. Kendall tau-b: (concordant - discordant) / sqrt((n0 - ties in x)(n0 - ties in y)), n0 = n(n - 1)/2. Values
    that differ only by rounding are tied (`metaeval.stats.ties`). Undefined (NaN with the reason) for fewer than two
    pairs, and where all values of x or of y are equal.

    References
    ----------
    Spearman 1904, The Proof and Measurement of Association between Two Things; Kendall 1945, The Treatment of Ties in
    Ranking Problems (tau-b); compared with preferences in Kurniawan et al. 2026, section 6.

    Examples
    --------
    >>> correlation([1, 2, 3, 4], [1, 3, 2, 4], "kendall").value
    0.6666666666666667
    >>> correlation([1, 1, 1], [1, 2, 3]).reason
    'all values of x are equal'
    """
    checked_choice("coefficient", coefficient, COEFFICIENTS)
    x, y = aligned(x=x, y=y)
    a, b = (as_numbers(name, row, "one value per pair (n,)") for name, row in (("x", x), ("y", y)))
    if a.ndim != 1 or a.shape != b.shape:
        msg = f"x has shape {a.shape}, y has shape {b.shape}; expected two sequences of one length"
        raise ValueError(msg)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = "x and y must be finite; leave out what is undefined, and say so"
        raise ValueError(msg)
    reason = undefined_because(a, b, "x", "y")
    value = math.nan if reason else _coefficients[coefficient](a, b)
    return Correlation(coefficient, value, len(a), reason)


def undefined_because(x: Vector, y: Vector, x_name: str, y_name: str) -> str:
    """Why no coefficient of x and y exists; empty where it does."""
    if len(x) < 2:
        return f"fewer than two pairs of {x_name} and {y_name}"
    for values, name in ((x, x_name), (y, y_name)):
        if is_constant(values):
            return f"all values of {name} are equal"
    return ""


def is_constant(values: Vector) -> bool:
    """Whether the values differ only by rounding."""
    return bool(is_one_value(values.min(), values.max(), np.abs(values).max()))


def stretch_over_systems(coefficient: Coefficient, n: int) -> float:
    """The factor by which an interval over n > 1 resampled systems is stretched (`bootstrap_interval`).

    The variance of replicates of Pearson's r, like that of any mean, is too small by a factor of (n - 1) / n. That of
    rank coefficients is too large: a system drawn twice is tied with itself, which removes a share of about 1 / n of
    Kendall's pairs and half as much of Spearman's.
    """
    return {"pearson": math.sqrt(n / (n - 1)), "spearman": math.sqrt((n - 1) / n), "kendall": (n - 1) / n}[coefficient]


def standardised(values: Vector) -> Vector:
    """Centred and of length 1, so that Pearson's r of two such vectors is their product."""
    centred = values - values.mean()
    unit: Vector = centred / np.sqrt(centred @ centred)
    return unit


def average_ranks(values: Vector) -> Vector:
    """Ranks from 1; ties (`evened`) share their mean rank.

    >>> average_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(evened(values), return_inverse=True, return_counts=True)
    last = counts.cumsum()
    ranks: Vector = (last - (counts - 1) / 2)[where]
    return ranks


def _pearson(x: Vector, y: Vector) -> float:
    return float(np.clip(standardised(x) @ standardised(y), -1.0, 1.0))


def _spearman(x: Vector, y: Vector) -> float:
    return _pearson(average_ranks(x), average_ranks(y))


def _kendall(x: Vector, y: Vector) -> float:
    agree, untied_x, untied_y = concordance(x, y)
    tau = agree / (math.sqrt(untied_x) * math.sqrt(untied_y))
    return min(1.0, max(-1.0, tau))  # roots are rounded: 3 / (sqrt(3) sqrt(3)) is above 1


_coefficients: dict[Coefficient, Callable[[Vector, Vector], float]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
