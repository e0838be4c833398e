"""Random numbers that any number of workers can share: one root, and a separate stream for every piece of work.

The draws of a bootstrap, a sampled test, a simulation or a baseline are divided into blocks of a fixed size. Each block
draws from the child of the seed with the block's number, so the result is the same whoever draws which block, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval.checking import checked_count

Seed = int | np.random.SeedSequence | np.random.Generator
Replicates = Matrix
Draw = Callable[[np.random.SeedSequence, int], Replicates]
Steps = Callable[[int, int], None]
"""Called with the steps done and the total; may raise to stop the work."""

BLOCK = 256
"""Resamples per block. This is part of a result's definition: another size draws other resamples."""


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """The root of all streams: from a number, a SeedSequence itself, or a child drawn from a generator."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(2**63)))
    return np.random.SeedSequence(seed)


def chosen_seed(seed: Seed | None, rng: Seed | None, default: int = 0) -> Seed:
    """Whichever of `seed` and `rng` was given, which mean the same; `default` if neither was.

    An integer, a `numpy.random.SeedSequence`, or a `numpy.random.Generator`, from which one seed is drawn here, so that
    the numbers do not depend on who does which part of the work. ValueError if both are given, TypeError for anything
    else.

    >>> chosen_seed(None, 7), chosen_seed(7, None), chosen_seed(None, None)
    (7, 7, 0)
    """
    if seed is not None and rng is not None:
        msg = "seed and rng are both given; expected one of them, they mean the same"
        raise ValueError(msg)
    name, source = ("seed", seed) if rng is None else ("rng", rng)
    if source is None:
        return default
    if isinstance(source, np.random.Generator):
        return seed_sequence(source)
    if isinstance(source, np.random.SeedSequence):
        return source
    if isinstance(source, bool) or not isinstance(source, (int, np.integer)) or source < 0:
        msg = f"{name} is {source!r}; expected a whole number >= 0, a numpy.random.Generator or a SeedSequence"
        raise (ValueError if isinstance(source, (int, np.integer)) else TypeError)(msg)
    return int(source)


def stream(root: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """The child with this number, the same as from `root.spawn`, without spawning those before it."""
    return np.random.SeedSequence(entropy=root.entropy, spawn_key=(*root.spawn_key, number), pool_size=root.pool_size)


class ResamplingPlan:
    """Replicates of a statistic, in blocks that can be drawn anywhere and merged in order.

    Parameters
    ----------
    draw : callable
        `draw(stream, size)` returns `size` replicates, an array (size, ...), and takes all its random numbers from
        `stream` (for instance with `numpy.random.default_rng(stream)`).
    n_resamples : int
        How many replicates to draw.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    block : int, default 256
        Replicates per block. This is part of a result's definition: another size draws other replicates.

    Raises
    ------
    ValueError
        If there is less than one resample.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 4.0, 7.0])
    >>> def draw(stream, size):
    ...     return np.random.default_rng(stream).choice(values, (size, 4)).mean(axis=1)
    >>> plan = ResamplingPlan(draw, n_resamples=1000, seed=3)
    >>> shards = [[plan.block(b) for b in range(0, 3)], [plan.block(b) for b in range(3, 4)]]
    >>> bool((plan.merged([*shards[0], *shards[1]]) == plan.run()).all())
    True
    """

    def __init__(
        self, draw: Draw, *, n_resamples: int, seed: Seed | None = None, rng: Seed | None = None, block: int = BLOCK
    ) -> None:
        seed = chosen_seed(seed, rng)
        n_resamples = checked_count("n_resamples", n_resamples)
        block = checked_count("block", block)
        self._draw = draw
        self.n_resamples = n_resamples
        self.root = seed_sequence(seed)
        self.blocks = tuple(min(block, n_resamples - start) for start in range(0, n_resamples, block))

    def block(self, number: int) -> Replicates:
        """The replicates of one block: shape (size of the block, ...)."""
        size = self.blocks[number]
        replicates = self._draw(stream(self.root, number), size)
        if len(replicates) != size:
            msg = f"draw returned {len(replicates)} replicates where {size} were asked for"
            raise ValueError(msg)
        return replicates

    def merged(self, blocks: Sequence[Replicates]) -> Replicates:
        """All replicates, from those of all blocks in the order of their numbers: shape (n_resamples, ...)."""
        if [len(replicates) for replicates in blocks] != list(self.blocks):
            msg = f"expected the replicates of all {len(self.blocks)} blocks, in order"
            raise ValueError(msg)
        return np.concatenate(blocks)

    def run(self, progress: Steps | None = None) -> Replicates:
        """Run every block in this process; `progress(done, total)` is called before the first and after each."""
        drawn = []
        for number in range(len(self.blocks)):
            if progress is not None:
                progress(number, len(self.blocks))
            drawn.append(self.block(number))
        if progress is not None:
            progress(len(self.blocks), len(self.blocks))
        return self.merged(drawn)
