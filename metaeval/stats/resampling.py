"""Resampling that any number of workers can share: the core of every bootstrap, sampled test and simulation here.

The resamples are cut into blocks of a fixed size. Each block draws from a stream of its own, the child of the seed
that carries the block's number, so that the replicates are the same whoever draws which block, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from .seeds import Seed, seed_sequence, stream

Replicates = npt.NDArray[np.float64]
Draw = Callable[[np.random.SeedSequence, int], Replicates]
Progress = Callable[[int, int], None]

BLOCK = 256
"""Resamples a block. Part of the definition of a result: another size draws other resamples."""


class ResamplingPlan:
    """`resamples` replicates of a statistic, in blocks that can be drawn anywhere and merged in their order.

    `draw(stream, size)` returns `size` replicates, an array (size, ...), and takes all its random numbers from
    `stream` (for instance by `numpy.random.default_rng(stream)`). Raises ValueError for fewer than one resample.

    >>> values = np.array([1.0, 2.0, 4.0, 7.0])
    >>> def draw(stream, size):
    ...     return np.random.default_rng(stream).choice(values, (size, 4)).mean(axis=1)
    >>> plan = ResamplingPlan(draw, resamples=1000, seed=3)
    >>> shards = [[plan.block(b) for b in range(0, 3)], [plan.block(b) for b in range(3, 4)]]
    >>> bool((plan.merged([*shards[0], *shards[1]]) == plan.run()).all())
    True
    """

    def __init__(self, draw: Draw, *, resamples: int, seed: Seed = 0, block: int = BLOCK) -> None:
        if resamples < 1 or block < 1:
            msg = f"resamples is {resamples} and block is {block}; expected at least 1 of both"
            raise ValueError(msg)
        self._draw = draw
        self.resamples = resamples
        self.root = seed_sequence(seed)
        self.blocks = tuple(min(block, resamples - start) for start in range(0, resamples, block))

    def block(self, number: int) -> Replicates:
        """The replicates of one block: shape (size of the block, ...)."""
        size = self.blocks[number]
        replicates = self._draw(stream(self.root, number), size)
        if len(replicates) != size:
            msg = f"draw returned {len(replicates)} replicates where {size} were asked for"
            raise ValueError(msg)
        return replicates

    def merged(self, blocks: Sequence[Replicates]) -> Replicates:
        """All replicates, from those of all blocks in the order of their numbers: shape (resamples, ...)."""
        if [len(replicates) for replicates in blocks] != list(self.blocks):
            msg = f"expected the replicates of all {len(self.blocks)} blocks, in order"
            raise ValueError(msg)
        return np.concatenate(blocks)

    def run(self, progress: Progress | None = None) -> Replicates:
        """Every block in this process; `progress(done, total)` is called before the first and after each."""
        drawn = []
        for number in range(len(self.blocks)):
            if progress is not None:
                progress(number, len(self.blocks))
            drawn.append(self.block(number))
        if progress is not None:
            progress(len(self.blocks), len(self.blocks))
        return self.merged(drawn)


def tail_p_value(replicates: Replicates, observed: float, alternative: str, two_sided: str, *, exact: bool) -> float:
    """The share of null replicates at least as extreme as the observed value.

    (1 + count) / (1 + n) when sampled, count / n when the replicates are all there are. Two-sided as
    min(1, 2 min(p_greater, p_less)) (`"double"`) or by magnitude. An undefined replicate (NaN) counts as extreme,
    so that it can never make a result significant. NaN when `observed` is.
    """
    if np.isnan(observed):
        return float("nan")
    slack = 1e-12 * max(1.0, abs(observed))  # summing in another order moves a value by about 1e-15
    undefined = np.isnan(replicates)

    def share(extreme: npt.NDArray[np.bool_]) -> float:
        count = int((extreme | undefined).sum())
        return count / len(replicates) if exact else (1 + count) / (1 + len(replicates))

    greater, less = share(replicates >= observed - slack), share(replicates <= observed + slack)
    if alternative == "greater":
        return greater
    if alternative == "less":
        return less
    if two_sided == "magnitude":
        return share(np.abs(replicates) >= abs(observed) - slack)
    return min(1.0, 2 * min(greater, less))


def checked_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that is none of the choices, and say which they are."""
    if value not in choices:
        msg = f"{name} is {value!r}; expected one of {', '.join(choices)}"
        raise ValueError(msg)
