"""Comparing metrics, intervals and rankings against the packages that exist for it.

    python -m tests.benchmarks.comparison [--rounds 3]

`nlpstats` is the package of the paper that proposed these tests; it gets a part of the resamples, and its time is
multiplied (its cost is linear in them). The bootstrap of correlations meets SciPy's, the model of Bradley and Terry
meets `choix`.
"""

import argparse
import sys
from functools import partial

import choix
import numpy as np
from nlpstats.correlations import bootstrap as their_bootstrap
from nlpstats.correlations import correlate
from nlpstats.correlations import permutation_test as their_test
from scipy import stats as scipy_stats

from metaeval.stats import (
    COEFFICIENTS,
    Coefficient,
    PairedMetrics,
    PairwiseOutcomes,
    bootstrap_comparison,
    correlation_intervals,
    permutation_comparison,
    rank_by_outcomes,
)

from ._cpu import compiling, cpu_seconds
from ._timing import Row, compare, report

SYSTEMS, INPUTS, RESAMPLES = 25, 100, 1000
Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    rng = np.random.default_rng(1)
    z = rng.normal(size=(SYSTEMS, INPUTS)) + rng.normal(size=(SYSTEMS, 1))
    x, y = z + rng.normal(size=z.shape), z + rng.normal(0, 1.3, z.shape)
    rows = [
        *(paired((x, y, z), coefficient, rounds) for coefficient in COEFFICIENTS),
        boot((x, y, z), rounds),
        interval(rounds),
        ranking(rounds),
    ]
    linear = [
        f"{count:,}: {min(cpu_seconds(partial(ours, (x, y, z), 'pearson', count)) for _ in range(3)) * 1000:.0f} ms"
        for count in (RESAMPLES, 3 * RESAMPLES, 10 * RESAMPLES)
    ]
    compile_time = compiling(
        "import numpy as np\nfrom metaeval.stats import permutation_comparison\nz = np.arange(20.0).reshape(5, 4) % 7",
        "permutation_comparison(z, z**2, z, method='both-cells', n_resamples=10)",
    )
    notes = [f"Ours grows linearly in the resamples (PERM-BOTH, Pearson, CPU): {'; '.join(linear)}", compile_time]
    return 0 if report("Comparisons of metrics, intervals, rankings", rows, notes) else 1


def ours(data: Data, coefficient: Coefficient, resamples: int):
    """Rows XOR columns, which is what `nlpstats` does; exchanging every cell by itself costs us the same."""
    options = {"correlation_level": "input", "coefficient": coefficient, "n_resamples": resamples, "seed": 1}
    return permutation_comparison(*data, method="both-crossed", **options)


def paired(data: Data, coefficient: Coefficient, rounds: int) -> Row:
    share = 50
    x, y, z = data
    both = PairedMetrics(x, y, z, correlation_level="input", coefficient=coefficient)
    assert abs(both.first - correlate(x, z, "input", coefficient)) < 1e-12
    return compare(
        f"PERM-BOTH, {coefficient.title()}, {SYSTEMS} x {INPUTS}, input level, {RESAMPLES:,} resamples",
        ours=lambda: ours(data, coefficient, RESAMPLES),
        other=lambda: their_test(x, y, z, "input", coefficient, "both", n_resamples=RESAMPLES // share),
        other_name=f"nlpstats (1/{share}, extrapolated)",
        rounds=rounds,
        target=200,
        other_scale=share,
    )


def boot(data: Data, rounds: int) -> Row:
    """Theirs bootstraps one metric; ours both and their difference."""
    share = 50
    x, y, z = data
    return compare(
        f"BOOT-BOTH, Pearson, {SYSTEMS} x {INPUTS}, input level, {RESAMPLES:,} resamples, two metrics",
        ours=lambda: bootstrap_comparison(
            x, y, z, method="both", correlation_level="input", n_resamples=RESAMPLES, seed=1
        ),
        other=lambda: [
            their_bootstrap(metric, z, "input", "pearson", "both", n_resamples=RESAMPLES // share) for metric in (x, y)
        ],
        other_name=f"nlpstats (1/{share}, extrapolated)",
        rounds=rounds,
        target=None,
        other_scale=share,
    )


def interval(rounds: int) -> Row:
    rng = np.random.default_rng(2)
    target = rng.random(SYSTEMS)
    scores = {str(i): target + rng.normal(0, 0.3, SYSTEMS) for i in range(6)}

    def theirs() -> None:
        for row in scores.values():
            scipy_stats.bootstrap(
                (row, target),
                lambda a, b, axis: scipy_stats.pearsonr(a, b, axis=axis).statistic,
                paired=True,
                vectorized=True,
                n_resamples=9999,
                rng=1,
            )

    return compare(
        f"BCa interval of Pearson's r, {SYSTEMS} systems x 6 metrics, 9,999 resamples",
        ours=lambda: correlation_intervals(scores, target, coefficients=["pearson"], n_resamples=9999, seed=1),
        other=theirs,
        other_name="scipy.stats.bootstrap, vectorised",
        rounds=rounds,
    )


def ranking(rounds: int) -> Row:
    rng = np.random.default_rng(3)
    upper, systems, share = np.triu(rng.integers(2, 9, (13, 13)), 1), 13, 50
    wins = upper + np.triu(rng.integers(2, 9, (13, 13)), 1).T
    pairs = np.array([(i, j) for i in range(systems) for j in range(systems) for _ in range(wins[i, j])])

    def theirs() -> None:
        for _ in range(RESAMPLES // share):
            choix.ilsr_pairwise(systems, pairs[rng.integers(0, len(pairs), len(pairs))].tolist(), alpha=1e-9)

    return compare(
        f"Bradley-Terry ranking of {systems} systems from {len(pairs)} votes, {RESAMPLES:,} resamples",
        ours=lambda: rank_by_outcomes(PairwiseOutcomes.of(wins), "bradley_terry", n_resamples=RESAMPLES, seed=1),
        other=theirs,
        other_name=f"choix in a loop (1/{share}, extrapolated)",
        rounds=rounds,
        other_scale=share,
    )


if __name__ == "__main__":
    sys.exit(main())
