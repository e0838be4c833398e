"""Correlation within parts: what remains if the parts (models) themselves are not compared.

If systems are exchanged only within their model, the overall coefficient keeps what the models' means have in common:
its mean over the permutations is not 0, so its size means little. The coefficients here have mean 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Places, Vector
from metaeval.checking import as_numbers, checked_sequences
from metaeval.frames import aligned
from metaeval.stats.ties import evened

from .coefficients import Coefficient, Correlation, average_ranks, correlation, is_constant
from .concordance import pair_signs


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
    coefficient : {'pearson', 'spearman', 'kendall'}, default 'pearson'
        Which correlation coefficient.

    Returns
    -------
    Correlation
        A value in [-1, 1], or NaN with a reason.

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
    unit: Vector = centred / length if length else centred
    return unit


def pairs_within(parts: Codes) -> tuple[Places, Places]:
    """Places i < j of all pairs of one part.

    >>> [places.tolist() for places in pairs_within(np.array([0, 1, 0, 0]))]
    [[0, 0, 2], [2, 3, 3]]
    """
    i, j = np.triu_indices(len(parts), k=1)
    same = parts[i] == parts[j]
    return i[same], j[same]
