"""The result of a permutation test of a correlation, and the smallest p-values that it can give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from annotations.ground.units import Exchangeable
from metaeval.checking import checked_choice, checked_count, checked_level
from metaeval.stats.results import SignificanceResult

from .coefficients import Coefficient
from .exchanging import StatisticName

Alternative = Literal["two-sided", "greater", "less"]
TwoSided = Literal["double", "magnitude"]

SIDES: dict[Alternative, int] = {"two-sided": 0, "greater": 1, "less": -1}


@dataclass(frozen=True)
class CorrelationTest(SignificanceResult):
    """A row's correlation with the target, and its permutation test.

    Attributes
    ----------
    row : str
        Name of the row.
    coefficient : {'pearson', 'spearman', 'kendall'}
        Which coefficient.
    value : float
        The coefficient that is tested, in [-1, 1]; NaN where it is undefined.
    n : int
        How many systems.
    pvalue : float
        Its p-value, according to `alternative` and `two_sided`; NaN where nothing can be exchanged.
    p_error : float
        Monte Carlo standard error of the p-value; 0 if every permutation was enumerated.
    p_family : float
        Step-down max-T p-value over the rows of the same coefficient.
    alternative : {'two-sided', 'greater', 'less'}
        Alternative hypothesis.
    two_sided : {'double', 'magnitude'}
        Kind of a two-sided p-value.
    exact : bool
        Whether every permutation was enumerated.
    n_resamples : int
        How many permutations were counted.
    count_greater_equal, count_less_equal, count_magnitude : int
        How many permutations have a value that is >= the observed one, <= it, and at least as large in magnitude.
    excluded : tuple of str
        Systems that were left out.
    reason : str
        Why the value is undefined; empty if it is defined.
    exchangeable : str
        What is exchanged under the null.
    tested : {'overall', 'within models', 'within methods'}
        Which coefficient is tested; follows from `exchangeable`.
    overall : float
        The coefficient over all systems; not tested if `tested` is another one.
    """

    row: str
    coefficient: Coefficient
    value: float
    n: int
    pvalue: float = math.nan
    p_error: float = math.nan
    p_family: float = math.nan
    alternative: Alternative = "two-sided"
    two_sided: TwoSided = "double"
    exact: bool = False
    n_resamples: int = 0
    count_greater_equal: int = 0
    count_less_equal: int = 0
    count_magnitude: int = 0
    excluded: tuple[str, ...] = ()
    reason: str = ""
    exchangeable: Exchangeable = "systems"
    tested: StatisticName = "overall"
    overall: float = math.nan

    @property
    def statistic(self) -> float:
        """`value`, under the name that SciPy's results have."""
        return self.value


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
