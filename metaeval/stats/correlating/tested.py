"""Correlation of several rows of scores with one target, tested by permutation, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy.typing as npt

from annotations.ground.units import Crossing, Exchangeable
from metaeval.sampling import Seed, Steps, chosen_seed

from .coefficients import COEFFICIENTS, Coefficient
from .permutation import PermutationPlan
from .tails import Alternative, CorrelationTest, TwoSided


def correlation_tests(
    scores: Mapping[str, npt.ArrayLike],
    target: npt.ArrayLike,
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    n_resamples: int = 100_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    systems: Sequence[str] | None = None,
    units: Crossing | Sequence[tuple[str, str]] | None = None,
    exchangeable: Exchangeable | None = None,
    progress: Steps | None = None,
) -> tuple[CorrelationTest, ...]:
    """Correlate every row of scores with the target over systems, and test it by permuting the target.

    Parameters
    ----------
    scores : mapping from str to array_like, shape (n,)
        Rows of scores by name, one score per system. NaN leaves the system out of the row.
    target : array_like, shape (n,)
        One value per system. NaN leaves the system out of all rows.
    coefficients : sequence of {'pearson', 'spearman', 'kendall'}, optional
        Which correlation coefficients. The default is all three.
    n_resamples : int, default 100,000
        How many permutations to sample. If there are no more than this, all are enumerated.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    alternative : {'two-sided', 'greater', 'less'}, default 'two-sided'
        Alternative hypothesis.
    two_sided : {'double', 'magnitude'}, default 'double'
        Two-sided p-value: twice the smaller tail, or the share of values that are at least as large in magnitude.
    systems : sequence of str, optional
        Names of the systems, for results and reasons.
    units : Crossing or sequence of (model, method), optional
        Model and method of each system. By default, systems share nothing.
    exchangeable : str, optional
        What is exchanged under the null: 'systems', 'within model', 'methods jointly', 'models jointly', or 'models
        and methods'. The default follows from `units`.
    progress : callable, optional
        Called with the numbers of steps done and of all steps.

    Returns
    -------
    tuple of CorrelationTest
        For each coefficient, one per row.

    Raises
    ------
    ValueError
        If the lengths differ, or an option is not one of those above.

    Notes
    -----
    p = count / n! when all permutations are enumerated (n! <= `n_resamples`), else (1 + count) / (1 + n_resamples),
    never 0. Two-sided: min(1, 2 min(p_greater, p_less)) (`two_sided="double"`, SciPy's) or by magnitude, |r|
    (`"magnitude"`). See `PermutationPlan` for exclusions and for distributing the work.

    Without `units`, all systems are exchanged freely, which is valid only if they share nothing. `units` gives the
    (model, method) of each; whole methods, models, or the systems of each model are then exchanged, as `exchangeable`
    says or, by default, as follows from their names. The test is then of the coefficient whose mean over these
    permutations is 0, mostly the one within models (`within_correlation`); `CorrelationTest.tested` names it, and
    `CorrelationTest.overall` is the coefficient over all systems.

    References
    ----------
    Kurniawan et al. 2026, section 6 (the test); Phipson and Smyth 2010, Permutation P-values Should Never Be Zero (1 +
    count); Westfall and Young 1993, Resampling-Based Multiple Testing, algorithm 4.1 (`p_family`); Anderson and ter
    Braak 2003, Permutation Tests for Multi-Factorial Analysis of Variance (restricted permutations).

    Examples
    --------
    >>> metric = {"m": [0.62, 0.58, 0.71, 0.71, 0.49, 0.66, 0.8]}
    >>> fractions = [0.3, 0.25, 0.41, 0.37, 0.25, 0.33, 0.36]
    >>> (test,) = correlation_tests(metric, fractions, coefficients=["pearson"])
    >>> round(test.value, 4), round(test.pvalue, 4), test.exact
    (0.8413, 0.019, True)
    >>> units = [("RoBERTa", method) for method in "uvwxyz"] + [("BERT", method) for method in "uvwxyz"]
    >>> metric, fractions = {"m": [*range(6), *range(6)]}, [1, 2, 3, 4, 6, 5, 21, 22, 23, 24, 25, 26]
    >>> (test,) = correlation_tests(metric, fractions, coefficients=["pearson"], units=units)
    >>> test.exchangeable, test.tested, round(test.value, 3), round(test.overall, 3), round(test.pvalue, 4)
    ('methods jointly', 'within models', 0.971, 0.164, 0.0056)
    """
    seed = chosen_seed(seed, rng)
    plan = PermutationPlan(
        scores,
        target,
        coefficients=coefficients,
        n_resamples=n_resamples,
        seed=seed,
        alternative=alternative,
        two_sided=two_sided,
        systems=systems,
        units=units,
        exchangeable=exchangeable,
    )
    return plan.run(progress)
