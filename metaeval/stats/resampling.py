"""The p-value of replicates, shared by all resampling tests."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.sampling import Replicates

LARGEST_ENUMERATION = 40
"""Exchanges are numbered in 64 bits; at most 2 to this power of them are ever enumerated."""


def tail_p_value(replicates: Replicates, observed: float, alternative: str, two_sided: str, *, exact: bool) -> float:
    """The share of null replicates at least as extreme as the observed value.

    (1 + count) / (1 + n) when sampled, count / n when the replicates are all there are. Two-sided as
    min(1, 2 min(p_greater, p_less)) (`"double"`) or by magnitude. An undefined replicate (NaN) counts as extreme, so it
    can never make a result significant. NaN if `observed` is.
    """
    if np.isnan(observed):
        return float("nan")
    slack = 1e-12 * max(1.0, abs(observed))  # summing in another order moves a value by about 1e-15
    undefined = np.isnan(replicates)

    def share(extreme: Mask) -> float:
        count = int((extreme | undefined).sum())
        return count / len(replicates) if exact else (1 + count) / (1 + len(replicates))

    greater, less = share(replicates >= observed - slack), share(replicates <= observed + slack)
    if alternative == "greater":
        return greater
    if alternative == "less":
        return less
    if two_sided == "magnitude":
        return share(np.abs(replicates) >= abs(observed) - slack)
    return min(1.0, 2 * min(greater, less))


def is_enumerable(units: int, n_resamples: int) -> bool:
    """Whether to compute all 2^units ways to exchange two values of each unit: if there are at most `n_resamples`.

    >>> is_enumerable(10, 1024), is_enumerable(11, 1024)
    (True, False)
    """
    return units <= LARGEST_ENUMERATION and 2**units <= n_resamples
