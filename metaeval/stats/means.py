"""Bootstrap intervals of means over items, for many systems that were scored on the same items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval.sampling import Replicates, ResamplingPlan, Seed

BLOCK = 64
"""Resamples per block: a block counts how often each item was drawn, one column per item."""


def means_plan(scores: npt.ArrayLike, *, n_resamples: int, seed: Seed) -> ResamplingPlan:
    """Replicates (n_resamples, systems) of every system's mean score over resampled items, to distribute.

    scores: (systems, items), finite. All systems share the resamples, so replicates of two of them can be subtracted.
    ValueError for another shape, for no items, and for a score that is not finite.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 6.2.

    >>> means_plan([[1.0, 1.0], [0.0, 2.0]], n_resamples=3, seed=1).run()[:, 0].tolist()
    [1.0, 1.0, 1.0]
    """
    rows = np.asarray(scores, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
        msg = f"scores have shape {rows.shape}; expected one finite score for every system and item, and an item"
        raise ValueError(msg)
    items = rows.shape[1]

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        drawn = np.random.default_rng(stream).integers(0, items, (size, items))
        times = np.stack([np.bincount(row, minlength=items) for row in drawn])
        means: Replicates = times @ rows.T / items
        return means

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed, block=BLOCK)
