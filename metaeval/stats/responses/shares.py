"""Shares of answers: Wilson's interval, the sign test, and resampling over experts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.sampling import Replicates, ResamplingPlan, Seed
from metaeval.stats.intervals import wilson_interval
from metaeval.stats.results import Statistic

NO_ANSWER = "no answer that counts"


@dataclass(frozen=True)
class Share(Statistic):
    """A share of n answers with Wilson's interval.

    Attributes
    ----------
    name : str
        What the share is of, such as an expert.
    value : float
        In [0, 1]; NaN where it is undefined.
    low, high : float
        The limits.
    n : int
        How many answers count.
    pvalue, p_holm : float or None
        P-value for the null of 1/2, and the same corrected over the experts; None if nothing is tested.
    left_out : int
        How many answers do not count.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    name: str
    value: float
    low: float
    high: float
    n: int
    pvalue: float | None = None
    p_holm: float | None = None
    left_out: int = 0
    reason: str = ""


def share_of(
    name: str, successes: float, n: int, confidence_level: float, left_out: int, *, half: bool = False
) -> Share:
    if n == 0:
        return Share(name, math.nan, math.nan, math.nan, 0, left_out=left_out, reason=NO_ANSWER)
    low, high = wilson_interval(successes, n, confidence_level=confidence_level)
    p = sign_test(int(successes), n) if half else None
    return Share(name, successes / n, low, high, n, p, left_out=left_out)


def sign_test(successes: int, n: int) -> float:
    """Two-sided exact p-value for a fair coin."""
    from scipy.stats import binomtest  # takes half a second to import, so only when needed

    return float(binomtest(successes, n).pvalue)


def share_plan(chosen: npt.ArrayLike, n: npt.ArrayLike, *, n_resamples: int, seed: Seed) -> ResamplingPlan:
    """Replicates (n_resamples,) of the ratio sum chosen / sum n over resampled experts, to distribute.

    chosen, n: for each expert (E,), the answers that chose side A and those that chose one side; or correct minus wrong
    guesses, and all guesses.
    """
    yes, answers = np.asarray(chosen), np.asarray(n)

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        people = np.random.default_rng(stream).integers(0, len(yes), (size, len(yes)))
        with np.errstate(invalid="ignore"):
            found: Replicates = yes[people].sum(axis=1) / answers[people].sum(axis=1)
        return found

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)
