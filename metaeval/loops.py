"""`python -m metaeval.loops` compiles every loop, unless this was done here before, for whoever computes later.

An idle worker runs it (hlvstudy/celery.py), so that nobody's first analysis waits for half a minute. Where nothing can
be kept, for example in a read-only image, each process compiles what it needs.
"""

import os
import platform
import signal
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import numpy as np

from metaeval import metrics, stats
from metaeval.compiled import cache_folder
from metaeval.metrics.relationship import metric_relationship
from metaeval.stats import agreement
from metaeval.stats.agreement.alpha import LabelDistance, SetDistance

RNG = np.random.default_rng(0)


def main() -> None:
    if are_missing():
        if os.getpgrp() == os.getpid():  # as an idle worker starts it: whoever ends it ends all that it started
            signal.signal(signal.SIGTERM, lambda *_: os.killpg(os.getpid(), signal.SIGKILL))
        with ProcessPoolExecutor() as pool:
            for part in [pool.submit(part) for part in PARTS]:
                part.result()
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
    judged = judgements(64)
    stats.correlation_intervals({"m": score, "o": other}, judged, n_resamples=20)
    stats.rank_by_fraction(judged, n_resamples=20)


def judgements(count: int) -> stats.Judgements:
    """Eight of each system, by four people."""
    rows, chosen = range(count), RNG.integers(0, 2, count)
    return stats.Judgements.of(
        system=[row // 8 for row in rows],
        comparison=[row // 2 for row in rows],
        expert=[row % 4 for row in rows],
        chosen=chosen,
    )


def exchange() -> None:
    """Tests that exchange whole methods, drawn and enumerated, and intervals that resample them."""
    units = [(model, method) for model in "AB" for method in "uvwxyz"]
    score, other, target = RNG.random((3, len(units)))
    for permutations in (100, 50_000):
        stats.correlation_tests({"m": score}, target, n_resamples=permutations, units=units)
    judged = judgements(8 * len(units))
    stats.correlation_intervals({"m": score, "o": other}, judged, n_resamples=20, units=units)


def agree() -> None:
    """Agreement of labels and of sets of labels, with intervals."""
    bootstrap = agreement.Bootstrap(n_resamples=20, method="bca")
    labels = agreement.Annotations.from_matrix(RNG.integers(1, 4, (4, 12)))
    for distance in get_args(LabelDistance):
        agreement.krippendorff_alpha(labels, distance, bootstrap=bootstrap)
    item = np.repeat(np.arange(12), 4)
    for many, share in ((3, 0.5), (40, 0.5)):  # sets with few subsets, and with too many to count
        sets = agreement.SetAnnotations.from_indicators(item, None, RNG.random((48, many)) < share)
        for distance in get_args(SetDistance):
            agreement.krippendorff_alpha(sets, distance, bootstrap=bootstrap)
        agreement.mean_binary_alpha(sets)
    agreement.mean_binary_alpha(agreement.LabelCounts.from_counts(RNG.integers(0, 5, (12, 3)), np.full(12, 4)))


PARTS = (correlate, measure, exchange, agree)
"""The longest first."""

if __name__ == "__main__":
    main()
