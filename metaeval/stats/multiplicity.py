"""Corrections for having tested more than one hypothesis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import checked_array, shown
from metaeval.describing import described_as


def holm(p_values: npt.ArrayLike) -> Vector:
    """Holm's step-down p-values: they bound the probability of any false rejection, whatever the dependence.

    Parameters
    ----------
    p_values : array_like, shape (M,)
        P-values in [0, 1]; NaN for tests that are undefined.

    Returns
    -------
    ndarray, shape (M,)
        Adjusted p-values, in the same order; NaN where the p-value is.

    Raises
    ------
    ValueError
        If a p-value is not in [0, 1].

    Notes
    -----
    Formula, over the m defined p in ascending order: max over j <= i of min(1, (m - j + 1) p_j). Undefined p-values do
    not count among the m.

    References
    ----------
    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure, the sequentially rejective Bonferroni test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


@described_as(holm)
def benjamini_hochberg(p_values: npt.ArrayLike) -> Vector:
    """Benjamini and Hochberg's step-up p-values: they bound the expected share of false rejections.

    Notes
    -----
    Formula, over the m defined p in ascending order: min over j >= i of min(1, m p_j / j), under independence or
    positive dependence. Undefined p-values do not count among the m.

    References
    ----------
    Benjamini and Hochberg 1995, Controlling the False Discovery Rate, section 3.1.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(12).tolist()
    [0.03, 0.04, 0.04]
    """

    def step_up(p: Vector) -> Vector:
        scaled = p * len(p) / np.arange(1, len(p) + 1)
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjusted(p_values, step_up)


def _adjusted(p_values: npt.ArrayLike, adjust_ascending: Callable[[Vector], Vector]) -> Vector:
    p = checked_array("p_values", p_values, 1, "one p-value per test (M,), NaN where undefined", missing=True)
    defined = np.flatnonzero(~np.isnan(p))
    if ((p[defined] < 0) | (p[defined] > 1)).any():
        msg = f"p_values are {shown(p.tolist())}; expected p-values in [0, 1]"
        raise ValueError(msg)
    ascending = defined[np.argsort(p[defined], kind="stable")]
    adjusted = np.full_like(p, np.nan)
    adjusted[ascending] = np.minimum(1.0, adjust_ascending(p[ascending]))
    return adjusted
