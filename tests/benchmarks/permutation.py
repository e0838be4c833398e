"""The permutation test of a meta-evaluation against SciPy's: 25 systems x 6 metrics x 100,000 permutations.

    python -m tests.benchmarks.permutation [--permutations 100000] [--rounds 7]

Both do the same work in the same run: six correlations with one target, two-sided p-values. SciPy gets the vectorised
statistic that is fastest for it; for Kendall there is no vectorised one, so SciPy gets 1/500 of the permutations
and its time is multiplied (its cost is linear in them).
"""

import argparse
import sys
from functools import partial

import numpy as np
from scipy import stats as scipy_stats

from metaeval.stats import Coefficient, correlation_tests

from ._timing import Row, compare, report, seconds

SYSTEMS, METRICS = 25, 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--permutations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    target = rng.random(SYSTEMS)
    scores = target + rng.normal(0, 0.5, (METRICS, SYSTEMS))
    rows = [
        measure("pearson", scores, target, options.permutations, options.rounds, share=1, least=5),
        measure("spearman", scores, target, options.permutations, options.rounds, share=1, least=5),
        measure("kendall", scores, target, options.permutations, 3, share=500, least=None),
    ]
    linear = [
        f"{count:,}: {seconds(partial(ours, 'pearson', scores, target, count)) * 1000:.1f} ms"
        for count in (options.permutations, 3 * options.permutations, 10 * options.permutations)
    ]
    title = f"Permutation test, {SYSTEMS} systems x {METRICS} metrics x {options.permutations:,} permutations"
    return 0 if report(title, rows, [f"Ours grows linearly (Pearson): {'; '.join(linear)}"]) else 1


def measure(
    coefficient: Coefficient,
    scores: np.ndarray,
    target: np.ndarray,
    permutations: int,
    rounds: int,
    *,
    share: int,
    least: float | None,
) -> Row:
    same = scipy_once(coefficient, scores[0], target, 2000)
    assert abs(same.statistic - ours(coefficient, scores, target, 2000)[0].value) < 1e-12
    return compare(
        f"{coefficient.title()}, {permutations:,} permutations",
        ours=lambda: ours(coefficient, scores, target, permutations),
        other=lambda: [scipy_once(coefficient, row, target, permutations // share) for row in scores],
        other_name="scipy.stats.permutation_test" + ("" if share == 1 else f" (1/{share}, extrapolated)"),
        rounds=rounds,
        target=least,
        other_scale=share,
    )


def ours(coefficient: Coefficient, scores: np.ndarray, target: np.ndarray, permutations: int):
    named = {str(i): row for i, row in enumerate(scores)}
    return correlation_tests(named, target, coefficients=[coefficient], permutations=permutations, seed=1)


def scipy_once(coefficient: Coefficient, x: np.ndarray, y: np.ndarray, permutations: int):
    if coefficient == "kendall":
        return scipy_stats.permutation_test(
            (x,),
            lambda permuted: scipy_stats.kendalltau(permuted, y).statistic,
            permutation_type="pairings",
            n_resamples=permutations,
            rng=1,
        )
    if coefficient == "spearman":
        x, y = scipy_stats.rankdata(x), scipy_stats.rankdata(y)
    unit = (y - y.mean()) / np.linalg.norm(y - y.mean())
    standard = (x - x.mean()) / np.linalg.norm(x - x.mean())  # so that the statistic is one product
    return scipy_stats.permutation_test(
        (standard,),
        lambda permuted, axis: permuted @ unit,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=permutations,
        rng=1,
    )


if __name__ == "__main__":
    sys.exit(main())
