"""Pearson's r, Spearman's rho and Kendall's tau-b, over all pairs and within parts; tests reuse their steps.

If systems are exchanged only within their model, the overall coefficient keeps what the models' means have in common:
its mean over the permutations is not 0, so its size means little. The coefficients within parts (models) have mean 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Places, Signs, Vector
from metaeval.checking import as_numbers, checked_choice, checked_sequences
from metaeval.describing import described
from metaeval.frames import aligned
from metaeval.rounding import is_one_value
from metaeval.stats.results import Statistic
from metaeval.stats.ties import evened

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)

FEW = 128
"""Up to this many values, comparing every pair is faster than sorting."""


@described
@dataclass(frozen=True)
class Correlation(Statistic):
    """A correlation coefficient of n pairs."""

    coefficient: Coefficient
    """Which coefficient."""
    value: float
    """In [-1, 1], or NaN where it is undefined."""
    n: int
    """How many pairs."""
    reason: str = ""

    def __float__(self) -> float:
        return self.value


@described
def correlation(x: npt.ArrayLike, y: npt.ArrayLike, coefficient: Coefficient = "pearson") -> Correlation:
    """One correlation coefficient of two sequences.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Values of the same length. Two Series are matched by their index.

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
    if reason:
        return Correlation(coefficient, math.nan, len(a), reason)
    one_part = np.zeros(len(a), dtype=np.int64)
    value = _kendall(a, b) if coefficient == "kendall" else value_within(a, b, one_part, coefficient)
    return Correlation(coefficient, value, len(a))


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


def average_ranks(values: Vector) -> Vector:
    """Ranks from 1; ties (`evened`) share their mean rank.

    >>> average_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(evened(values), return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[where]


def _kendall(x: Vector, y: Vector) -> float:
    agree, untied_x, untied_y = concordance(x, y)
    tau = agree / (math.sqrt(untied_x) * math.sqrt(untied_y))
    return min(1.0, max(-1.0, tau))  # roots are rounded: 3 / (sqrt(3) sqrt(3)) is above 1


def concordance(x: Vector, y: Vector) -> tuple[int, int, int]:
    """Pairs in the same order minus pairs in opposite orders, and the pairs that are not tied in x, and in y.

    Short sequences (n,), n > 1, are compared pair by pair. Long ones are sorted by x and then by y: the pairs in
    opposite orders are then those that y still has in the wrong order.

    Source: Knight 1966, A Computer Method for Calculating Kendall's Tau with Ungrouped Data.

    >>> concordance(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 3.0, 2.0, 2.0]))
    (1, 5, 5)
    """
    n = len(x)
    if n <= FEW:
        above = np.triu_indices(n, 1)
        a, b = (pair_signs(values)[above].astype(np.int64) for values in (x, y))
        return int(a @ b), int(a @ a), int(b @ b)
    from .coefficient_kernels import sorted_pairs

    agree, untied_x, untied_y = sorted_pairs(average_ranks(x), average_ranks(y), n)
    return agree, untied_x, untied_y


def pair_signs(values: Vector) -> Signs:
    """sign(value i - value j), 0 for ties (`evened`): shape (n, n)."""
    even = evened(values)
    return np.sign(even[:, None] - even[None, :]).astype(np.int8)


@described
def within_correlation(
    x: npt.ArrayLike, y: npt.ArrayLike, parts: Sequence[str] | AnyArray, coefficient: Coefficient = "pearson"
) -> Correlation:
    """One correlation coefficient of n pairs within parts.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Values of the same length.
    parts : sequence of str
        The part (such as the model) of each pair.

    Raises
    ------
    ValueError
        If the lengths differ, or a value is NaN or infinite.

    Notes
    -----
    Pearson: of the values, each minus the mean of its part. Spearman: the same for average ranks within each part
    (values are ranked before they are centred, so that rounding cannot break ties). Kendall: the sum of sign(x_i - x_j)
    sign(y_i - y_j) over pairs i < j of one part, over sqrt(pairs untied in x times pairs untied in y). With one part it
    is `correlation`. Undefined (NaN with the reason) where all values within every part are equal.

    References
    ----------
    Pearson's is the pooled within-group correlation of the analysis of covariance (Cochran 1957); Kendall's is that of
    Korn 1984, The Ranges of Limiting Values of Some Partial Correlations under Conditional Independence.

    Examples
    --------
    >>> x, y = [1, 2, 3, 11, 12, 13], [5, 6, 7, 1, 2, 3]
    >>> within_correlation(x, y, list("AAABBB")).value, round(correlation(x, y).value, 3)
    (1.0, -0.853)
    """
    x, y = aligned(x=x, y=y)
    a, b = (as_numbers(name, row, "one value per pair (n,)") for name, row in (("x", x), ("y", y)))
    whole = correlation(a, b, coefficient)  # refuses values that are not finite, or of different lengths
    checked_sequences("one part a pair", x=a, parts=parts)
    _, codes = np.unique(np.asarray(list(parts) if isinstance(parts, str) else parts), return_inverse=True)
    if codes.shape != a.shape:
        msg = f"parts has shape {codes.shape}, x has shape {a.shape}; expected one part a pair"
        raise ValueError(msg)
    reason = whole.reason or undefined_within_because(a, b, codes, ("x", "y"), "part")
    return Correlation(coefficient, math.nan if reason else value_within(a, b, codes, coefficient), len(a), reason)


def value_within(x: Vector, y: Vector, parts: Codes, coefficient: Coefficient) -> float:
    """The coefficient where it is defined."""
    if coefficient == "kendall":
        i, j = pairs_within(parts)
        signs_x, signs_y = pair_signs(x)[i, j].astype(np.int64), pair_signs(y)[i, j].astype(np.int64)
        untied = math.sqrt(np.count_nonzero(signs_x)) * math.sqrt(np.count_nonzero(signs_y))
        return min(1.0, max(-1.0, int(signs_x @ signs_y) / untied)) if untied else math.nan
    ranked = coefficient == "spearman"
    return float(
        np.clip(standard_within(x, parts, ranked=ranked) @ standard_within(y, parts, ranked=ranked), -1.0, 1.0)
    )


def undefined_within_because(x: Vector, y: Vector, parts: Codes, names: tuple[str, str], part: str) -> str:
    """Why no coefficient within parts exists (`part` is what they are called); empty where it does."""
    for values, name in zip((x, y), names, strict=True):
        if not centred_within(values, parts).any():
            return f"within every {part} all values of {name} are equal"
    return ""


def centred_within(values: Vector, parts: Codes) -> Vector:
    """The values minus the mean of their part; exactly 0 where a part's values differ only by rounding."""
    centred = np.zeros(len(values))
    for part in np.unique(parts):
        own = values[parts == part]
        if not is_constant(own):
            centred[parts == part] = own - own.mean()
    return centred


def ranked_within(values: Vector, parts: Codes) -> Vector:
    """Average ranks from 1 within each part; ties are those of all values (`evened`)."""
    even = evened(values)
    ranks = np.zeros(len(values))
    for part in np.unique(parts):
        ranks[parts == part] = average_ranks(even[parts == part])
    return ranks


def standard_within(values: Vector, parts: Codes, *, ranked: bool) -> Vector:
    """The values (or their ranks within parts), centred within parts and of length 1: a coefficient is a product of
    two."""
    centred = centred_within(ranked_within(values, parts) if ranked else values, parts)
    length = math.sqrt(float(centred @ centred))
    return centred / length if length else centred


def pairs_within(parts: Codes) -> tuple[Places, Places]:
    """Places i < j of all pairs of one part.

    >>> [places.tolist() for places in pairs_within(np.array([0, 1, 0, 0]))]
    [[0, 0, 2], [2, 3, 3]]
    """
    i, j = np.triu_indices(len(parts), k=1)
    same = parts[i] == parts[j]
    return i[same], j[same]
