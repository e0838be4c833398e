"""What all resampling tests share: alternatives, and p-values of replicates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.checking import checked_choice, checked_count, checked_level
from metaeval.sampling import Replicates, ResamplingPlan, Seed

Alternative = Literal["two-sided", "greater", "less"]
TwoSided = Literal["double", "magnitude"]

SIDES: dict[Alternative, int] = {"two-sided": 0, "greater": 1, "less": -1}

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


def swap_plan(
    value: Callable[[Mask], Replicates], units: int, *, n_resamples: int, seed: Seed, tosses: type = np.int64
) -> ResamplingPlan:
    """Null replicates of `value`, a function of which units are exchanged (B, units): all 2^units, or so many drawn.

    `tosses` is the type of integer that is drawn for each unit, which is part of a result's definition.
    """
    if not is_enumerable(units, n_resamples):

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            return value(np.random.default_rng(stream).integers(0, 2, (size, units), dtype=tosses) == 1)

        return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)

    def enumerate_all(_: np.random.SeedSequence, size: int) -> Replicates:
        return value(np.arange(size)[:, np.newaxis] >> np.arange(units) & 1 == 1)

    return ResamplingPlan(enumerate_all, n_resamples=2**units, seed=seed, block=2**units)


def error_of_p(p: float, n_resamples: int, *, doubled: bool, exact: bool) -> float:
    """The Monte Carlo standard error of a p-value from so many replicates, perhaps of twice a tail; 0 if exact."""
    tails = 2 if doubled else 1
    return 0.0 if exact else tails * math.sqrt(p / tails * (1 - p / tails) / n_resamples)


def smallest_sampled_p(n_resamples: int, alternative: Alternative, two_sided: TwoSided) -> float:
    """The smallest p-value that this many sampled permutations can give.

    >>> smallest_sampled_p(19, "two-sided", "magnitude"), smallest_sampled_p(19, "two-sided", "double")
    (0.05, 0.1)
    """
    tails = 2 if alternative == "two-sided" and two_sided == "double" else 1
    return tails / (1 + n_resamples)


def refuse_out_of_reach(alpha: float, *, n_resamples: int, alternative: Alternative, two_sided: TwoSided) -> None:
    """ValueError for a level that so few sampled permutations cannot reach, or that is not in (0, 1).

    >>> refuse_out_of_reach(0.05, n_resamples=19, alternative="greater", two_sided="double")
    >>> refuse_out_of_reach(0.05, n_resamples=18, alternative="greater", two_sided="double")
    Traceback (most recent call last):
    ValueError: alpha is 0.05; 18 permutations cannot give a p-value that low; expected more of them
    """
    checked_level(alpha, "alpha")
    checked_count("n_resamples", n_resamples)
    checked_choice("alternative", alternative, tuple(SIDES))
    checked_choice("two_sided", two_sided, get_args(TwoSided))
    if not smallest_sampled_p(n_resamples, alternative, two_sided) <= alpha:
        msg = f"alpha is {alpha}; {n_resamples} permutations cannot give a p-value that low; expected more of them"
        raise ValueError(msg)
