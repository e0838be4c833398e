"""Distances between sets of labels, without comparing every set with every other.

The similarity of A and B depends on a = |A|, b = |B| and t = |A and B| only. As a sum over their common subsets,
g_ab(t) = sum_j c_ab(j) (t choose j), where c_ab(j) = sum_i (-1)^(j - i) (j choose i) g_ab(i), so that

    sum over A, B of N_A N_B g(A, B) = sum over subsets T, sizes a, b of c_ab(|T|) F_a(T) F_b(T),

F_a(T) the number of annotations with a set of size a that contains T. People choose few labels, so there are far fewer
subsets than pairs of sets, and the work is linear in the number of distinct sets. Sets that are too large for this
(2^size subsets) are compared one by one.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, Vector

from .bits import packed, slots_for
from .distances import FixedDistance
from .table import CountTable, Weights

SetSimilarity = Literal["jaccard", "masi"]

MASI_SUBSET, MASI_OVERLAP = 2 / 3, 1 / 3
LARGEST = 10
"""Sets with more labels are compared one by one: listing more than 2^10 subsets does not pay."""
ROOM = 1 << 22
"""At most this many subsets are listed in total, which takes about 150 MB."""


class Sets(FixedDistance):
    """Jaccard: 1 - |A and B| / |A or B|. MASI (Passonneau 2006): 1 - Jaccard similarity x 1 (equal), 2/3 (one contains
    the other), 1/3 (they overlap) or 0. Two empty sets are equal; an empty set is at distance 1 from all others."""

    def __init__(self, table: CountTable, members: Mask, similarity: SetSimilarity) -> None:
        self.members = members
        self.words = packed(members)
        self.sizes = members.sum(axis=1)
        self.factors = (MASI_SUBSET, MASI_OVERLAP) if similarity == "masi" else (1.0, 1.0)
        self.small = self._small()
        super().__init__(table)

    def within_items(self) -> Vector:
        from . import set_kernels

        t = self.table
        sizes = self.sizes.astype(np.float64)
        each: Vector = set_kernels.set_within(t.offsets, t.codes, t.counts, t.sizes, self.words, sizes, *self.factors)
        return each

    def between(self, totals: Weights) -> Vector:
        """n^2 - sum over A, B of N_A N_B x similarity."""
        from . import set_kernels

        similar = (self._own[:, None] * totals**2).sum(axis=0)
        similar += set_kernels.similar_by_nodes(totals, *self._nodes, self.sizes, self._coefficients)
        if self.small < len(self.sizes):
            similar += 2 * (totals * self._pairs(totals)[0]).sum(axis=0)
        answer: Vector = totals.sum(axis=0) ** 2 - similar
        return answer

    def to_all(self, totals: Weights) -> Weights:
        from . import set_kernels

        similar = self._own[:, None] * totals
        for lane in range(totals.shape[1]):
            similar[:, lane] += set_kernels.similar_to_each_by_nodes(
                totals[:, lane].copy(), *self._nodes, self.sizes, self._coefficients
            )
        if self.small < len(self.sizes):
            similar += sum(self._pairs(totals))
        answer: Weights = totals.sum(axis=0) - similar
        return answer

    def _small(self) -> int:
        """How many sets are small enough to list their subsets; the others come after them, since sets ascend in size.

        Listing the 2^size subsets of a set must cost less than comparing it with all others. For one word of labels
        only.
        """
        if self.words.shape[1] > 1:
            return 0
        limit = min(LARGEST, math.floor(math.log2(max(2, len(self.sizes)))))
        within_limit = np.searchsorted(self.sizes, limit, side="right")
        within_room = np.searchsorted(np.cumsum(2.0 ** np.minimum(self.sizes, 60)), ROOM, side="right")
        return int(min(within_limit, within_room))

    def _pairs(self, totals: Weights) -> tuple[Weights, Weights]:
        from . import set_kernels

        sizes = self.sizes.astype(np.float64)
        up, down = set_kernels.similar_by_pairs(self.words, sizes, totals, self.small, *self.factors)
        return up, down

    @cached_property
    def _coefficients(self) -> Matrix:
        """c_ab(j): shape (sizes, sizes, sizes)."""
        largest = int(self.sizes[: self.small].max(initial=0))
        subset, overlap = self.factors
        table = np.zeros((largest + 1,) * 3)
        for a in range(1, largest + 1):
            for b in range(1, a + 1):
                shared = [0.0]
                for t in range(1, b + 1):
                    factor = 1.0 if t == a else subset if t == b else overlap
                    shared.append(factor * t / (a + b - t))
                for j in range(1, b + 1):
                    terms = ((-1) ** (j - i) * math.comb(j, i) * shared[i] for i in range(1, j + 1))
                    table[a, b, j] = table[b, a, j] = math.fsum(terms)
        return table

    @cached_property
    def _listed(self) -> tuple[tuple[Codes, Codes, Codes], Vector]:
        from . import set_kernels

        room = int((2 ** self.sizes[: self.small]).sum())
        keys, rows = set_kernels.subsets(self.words[:, 0].copy(), self.small, room)
        numbers, first = set_kernels.number(keys, slots_for(len(keys)))
        starts, members, depth, own = set_kernels.share_nodes(
            numbers, first, keys, rows, self.sizes, self._coefficients
        )
        own[self.small :] = 1.0  # a large set and itself
        own[self.sizes == 0] = 1.0
        return (starts, members, depth), own

    @property
    def _nodes(self) -> tuple[Codes, Codes, Codes]:
        return self._listed[0]

    @property
    def _own(self) -> Vector:
        return self._listed[1]
