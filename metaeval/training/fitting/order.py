"""Which examples an epoch reads, and in which order. Pure NumPy: the same on every machine."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Codes, Counts, Vector
from metaeval.training.targets import Targets


def order_of(targets: Targets, *, seed: int, epoch: int, most: int | None = None) -> Codes:
    """The examples of an epoch in the order in which they are read: each as often as it occurs, or a sample of `most`.

    The order comes from the seed and the epoch alone, so that an epoch is the same whatever came before it.

    A sample takes from each instance its share of the examples, m = most x (examples of the instance) / (all examples),
    rounded down or up at random so that m is expected, and draws as many of its examples without replacement. Every
    example is then read with the same probability, most / (all examples), so that in expectation the mean gradient of
    the sample is that of all examples.
    """
    rng = np.random.default_rng((seed, epoch))
    examples = np.repeat(np.arange(len(targets)), targets.times)
    if most is not None and most < len(examples):
        examples = examples[sampled(targets.instance[examples], most, rng)]
    return rng.permutation(examples)


def sampled(instance: Codes, size: int, rng: np.random.Generator) -> Codes:
    """The places of a sample of the given size, each instance with its share of it, rounded at random."""
    _, instance = np.unique(instance, return_inverse=True)
    held = np.bincount(instance)
    # In a new order each time: otherwise neighbours would never be rounded up together.
    order = rng.permutation(len(held))
    counts = np.empty(len(held), dtype=np.int64)
    counts[order] = rounded(size * held[order].astype(np.float64) / len(instance), rng.random())
    # At random within each instance, of which the first are taken.
    mixed = np.lexsort((rng.random(len(instance)), instance))
    rank = np.arange(len(instance)) - np.repeat(np.cumsum(held) - held, held)
    taken: Codes = mixed[rank < counts[instance[mixed]]]
    return taken


def rounded(expected: Vector, start: float) -> Counts:
    """Each number rounded down or up, so that they add up to their sum: systematic sampling from `start` in [0, 1).

    With `start` uniform in [0, 1), the expectation of each is the number itself.

    >>> rounded(np.array([0.5, 1.25, 1.25]), 0.25).tolist(), rounded(np.array([0.5, 1.25, 1.25]), 0.75).tolist()
    ([0, 2, 1], [1, 1, 1])
    """
    ends = np.cumsum(expected)
    ends[-1] = round(ends[-1])  # a whole number that was added up with rounding errors
    passed = np.floor(ends + start).astype(np.int64)
    return np.diff(passed, prepend=0)
