"""The permutation test of a meta-evaluation against SciPy's: 25 systems x 6 metrics, up to 1,000,000 permutations.

    python -m tests.benchmarks.permutation [--permutations 1000000] [--rounds 5]

Restricted permutations (`units`) are set beside free ones of as many systems: drawing fewer units costs less, and
moving whole ones more.

Both do the same work in the same run: six correlations with one target, two-sided p-values. SciPy gets the vectorised
statistic that is fastest for it; for Kendall there is no vectorised one. Of a million permutations SciPy gets a part
and its time is multiplied, which favours it: its cost is linear in them, and the part's arrays still fit the memory.
"""

import argparse
import sys

import numpy as np
from scipy import stats as scipy_stats

from annotations.ground.units import Exchangeable
from metaeval.stats import COEFFICIENTS, Coefficient, correlation_tests

from ._cpu import compiling, cpu_seconds
from ._timing import Row, beside, compare, report

SYSTEMS, METRICS = 25, 6
CROSSED = [(model, f"method {method}") for model in ("A", "B") for method in range(13)]
RESTRICTED: tuple[Exchangeable, ...] = ("within model", "methods jointly", "models and methods")
RESTRICTED_LIMIT = 3.0
"""Times as long as free permutations: what restricted ones may take at most."""
C_LIMIT = 57e6
"""Permutations a second (Pearson, all six metrics) of a loop in C on one core of the machine that set the targets."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--permutations", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    target = rng.random(SYSTEMS)
    scores = target + rng.normal(0, 0.5, (METRICS, SYSTEMS))
    many, rounds = options.permutations, options.rounds
    rows = [
        measure("pearson", scores, target, 100_000, rounds, share=1, least=5),
        measure("pearson", scores, target, many, rounds, share=10, least=50),
        measure("spearman", scores, target, many, rounds, share=10, least=None),
        measure("kendall", scores, target, many, 3, share=5000, least=500),
    ]
    times = {count: best(scores, target, count) for count in (many // 10, many, many * 10)}
    rate = many / times[many]
    rows.append(beside(f"Pearson, {many:,} permutations, seconds of CPU", many / C_LIMIT, times[many]))
    for coefficient in ("pearson", "kendall"):
        free = crossed(coefficient, "systems", many // 5)
        rows += [
            beside(
                f"{coefficient.title()}, {exchangeable}, {many // 5:,} permutations, seconds of CPU (at most "
                f"{RESTRICTED_LIMIT:g} times free ones: {free:.3f})",
                RESTRICTED_LIMIT * free,
                crossed(coefficient, exchangeable, many // 5),
            )
            for exchangeable in RESTRICTED
        ]
    notes = [
        "Ours grows linearly (Pearson, seconds of CPU): "
        + "; ".join(
            f"{count:,} in {time * 1000:.1f} ms ({count / time / 1e6:.1f} M/s)" for count, time in times.items()
        ),
        f"{rate / 1e6:.1f} million permutations a second of CPU; the C loop that sets the limit: "
        f"{C_LIMIT / 1e6:g} million",
        *(compile_time(coefficient) for coefficient in COEFFICIENTS[::2]),
    ]
    return 0 if report(f"Permutation test, {SYSTEMS} systems x {METRICS} metrics", rows, notes) else 1


def compile_time(coefficient: Coefficient) -> str:
    prepare = "from metaeval.stats import correlation_tests\nx = [.1, .5, .3, .9, .7, .2, .4, .6]"
    work = f"correlation_tests({{'m': x}}, x[::-1], coefficients=['{coefficient}'], n_resamples=100)"
    return f"{coefficient.title()}. {compiling(prepare, work)}"


def best(scores: np.ndarray, target: np.ndarray, permutations: int) -> float:
    """Seconds of CPU, the best of five: what the work costs when nothing else runs (the loops use one core)."""
    return min(cpu_seconds(lambda: ours("pearson", scores, target, permutations)) for _ in range(5))


def crossed(coefficient: Coefficient, exchangeable: Exchangeable, permutations: int) -> float:
    """Seconds of CPU of one choice of what changes places, two models x 13 methods and six metrics."""
    rng = np.random.default_rng(2)
    target = rng.random(len(CROSSED))
    scores = {str(i): target + rng.normal(0, 0.5, len(CROSSED)) for i in range(METRICS)}

    def work() -> object:
        return correlation_tests(
            scores,
            target,
            coefficients=[coefficient],
            n_resamples=permutations,
            units=CROSSED,
            exchangeable=exchangeable,
        )

    work()
    return min(cpu_seconds(work) for _ in range(5))


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
        other_name="scipy.stats.permutation_test" + ("" if share == 1 else f" (1/{share:,}, extrapolated)"),
        rounds=rounds,
        target=least,
        other_scale=share,
    )


def ours(coefficient: Coefficient, scores: np.ndarray, target: np.ndarray, permutations: int):
    named = {str(i): row for i, row in enumerate(scores)}
    return correlation_tests(named, target, coefficients=[coefficient], n_resamples=permutations, seed=1)


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
