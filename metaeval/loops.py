"""`python -m metaeval.loops` compiles every loop, unless this was done here before, for whoever computes later.

An idle worker runs it (hlvstudy/celery.py), so that nobody's first analysis waits for half a minute. Where nothing can
be kept, for example in a read-only image, each process compiles what it needs.
"""

import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

from metaeval import metrics, stats
from metaeval.compiled import cache_folder
from metaeval.metrics.relationship import metric_relationship
from metaeval.stats import agreement

RNG = np.random.default_rng(0)


def main() -> None:
    if are_missing():
        for part in PARTS:  # in this process, so that nothing of it outlives it
            part()
        mark = _mark()
        if mark:
            mark.touch()


def are_missing() -> bool:
    """Whether loops can be kept here, and were not all compiled yet as they are now. Loads nothing that compiles."""
    mark = _mark()
    return mark is not None and not mark.exists()


def _mark() -> Path | None:
    """The file in the cache folder that says so: of this machine, since others may have another processor."""
    folder = cache_folder()
    return folder and folder / f"all-{platform.node()}-{platform.python_version()}-{version('numba')}"


def measure() -> None:
    """The metrics, on arrays that may be written to and on those of a study, which may not."""
    for task in ("multiclass", "multilabel"):
        fresh = RNG.dirichlet(np.ones(3), (2, 4))
        fixed = fresh.copy()
        fixed.flags.writeable = False
        for P in (fresh[0], fixed[0]):
            for Q in (fresh[1], fixed[1]):
                metrics.compute(P, Q, task)
    metric_relationship(0.5, 10.0, 3, instances=4, pairs=2)


def correlate() -> None:
    """Tests and intervals of correlations, with and without judgements, and comparisons of two metrics."""
    score, other, target = RNG.random((3, 8))
    for permutations in (100, 50_000):  # drawn, and enumerated
        stats.correlation_tests({"m": score}, target, n_resamples=permutations)
    cells = RNG.random((3, 8, 4))
    for coefficient in stats.COEFFICIENTS:
        stats.permutation_comparison(*cells, coefficient=coefficient, n_resamples=20)
        stats.bootstrap_comparison(*cells, coefficient=coefficient, n_resamples=20)
    rows = np.arange(64)
    judged = stats.Judgements.of(system=rows // 8, comparison=rows // 2, expert=rows % 4, chosen=RNG.integers(0, 2, 64))
    stats.correlation_intervals({"m": score, "o": other}, judged, n_resamples=20)
    stats.rank_by_fraction(judged, n_resamples=20)


def exchange() -> None:
    """Tests that exchange whole methods, drawn and enumerated, and intervals that resample them."""
    units = [(model, method) for model in "AB" for method in "uvwxyz"]
    score, other, target = RNG.random((3, len(units)))
    for permutations in (100, 50_000):
        stats.correlation_tests({"m": score}, target, n_resamples=permutations, units=units)
    rows = np.arange(8 * len(units))
    chosen = RNG.integers(0, 2, len(rows))
    judged = stats.Judgements.of(system=rows // 8, comparison=rows // 2, expert=rows % 4, chosen=chosen)
    stats.correlation_intervals({"m": score, "o": other}, judged, n_resamples=20, units=units)


def agree() -> None:
    """Agreement of labels and of sets of labels, with intervals."""
    bootstrap = agreement.Bootstrap(n_resamples=20, method="bca")
    labels = agreement.Annotations.from_matrix(RNG.integers(1, 4, (4, 12)))
    for distance in ("nominal", "ordinal", "interval", "ratio"):
        agreement.krippendorff_alpha(labels, distance, bootstrap=bootstrap)
    item = np.repeat(np.arange(12), 4)
    for many, share in ((3, 0.5), (40, 0.5)):  # sets with few subsets, and with too many to count
        sets = agreement.SetAnnotations.from_indicators(item, None, RNG.random((48, many)) < share)
        for distance in ("nominal", "jaccard", "masi"):
            agreement.krippendorff_alpha(sets, distance, bootstrap=bootstrap)


PARTS = (measure, correlate, exchange, agree)

if __name__ == "__main__":
    main()
