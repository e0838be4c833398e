"""Rows of scores that are tested on one source of permutations, and the blocks of this work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from annotations.ground.arrays import AnyArray, Counts, Places, Vector

from .coefficients import Coefficient
from .exchanging import ExchangeTables

SHARED, OWN = 0, 1
"""Whether a group's permutations are those that all rows share, or all permutations of its few systems."""


@dataclass(frozen=True)
class PermutationBlock:
    """A piece of work: permutations `start` to `stop` of one part."""

    part: int
    start: int
    stop: int
    stream: int


@dataclass(frozen=True)
class RowGroup:
    """Rows that are tested on one source of permutations of the same `n` systems."""

    coefficient: Coefficient
    rows: tuple[int, ...]
    exact: bool
    total: int
    arrays: tuple[AnyArray, ...] = field(repr=False)
    observed: Vector = field(repr=False)
    by_size: Places = field(repr=False)
    purpose: int = SHARED
    exchanges: ExchangeTables | None = None
    """None if systems are exchanged freely."""

    def count(self, block: PermutationBlock, source: np.random.SeedSequence, side: int) -> Counts:
        from metaeval.generator import lane_states

        # Numba takes half a second to import, so only when needed.
        from . import exchange_kernels, permutation_kernels, shuffling

        seen = permutation_kernels.Seen(self.observed, self.by_size, side)
        states = lane_states(source, shuffling.LANES)
        if self.exchanges is not None:
            draws = permutation_kernels.Draws(states, self.exact, block.start, block.stop, self.exchanges.comparators)
            of_units = (
                exchange_kernels.count_pairs_of_units
                if self.coefficient == "kendall"
                else exchange_kernels.count_products_of_units
            )
            return cast(Counts, of_units(draws, self.exchanges, *self.arrays, seen))
        comparators = shuffling.network(self.arrays[0].shape[1])
        draws = permutation_kernels.Draws(states, self.exact, block.start, block.stop, comparators)
        kernel = (
            permutation_kernels.count_pairs if self.coefficient == "kendall" else permutation_kernels.count_products
        )
        return cast(Counts, kernel(draws, *self.arrays, seen))
