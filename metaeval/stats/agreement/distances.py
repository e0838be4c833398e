"""How much two labels differ: the squared differences of Krippendorff's alpha, and distances of label sets.

Each distance answers two questions, for all lanes of weights at once: how much annotations of the same item differ
(within), and how much any two annotations differ (between). No matrix of items x values x values is ever built.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.rounding import ROUNDING

from .table import CountTable, Weights, weighted_items


class Distance(Protocol):
    """What alpha needs from a distance; `table` has only items with at least two annotations."""

    def within(self, weights: Weights, totals: Weights) -> Vector:
        """sum over items i of w_i / (m_i - 1) sum over pairs of their annotations of the distance: (lanes,)."""

    def between(self, totals: Weights) -> Vector:
        """sum over values c, k of N_c N_k x distance(c, k), where N = totals (values, lanes): (lanes,)."""

    def without_each(self, totals: Vector) -> tuple[Vector, Vector] | None:
        """`within` and `between` of the data without item i, for every i: (items,) each; None where there is no
        shortcut."""


class FixedDistance:
    """A distance between two values that does not depend on the data.

    `within` is then linear in the weights, and leaving out item i changes `between` by
    - 2 n_i D N + n_i D n_i, whose last term is (m_i - 1) within_i.
    """

    def __init__(self, table: CountTable) -> None:
        self.table = table
        self.each = self.within_items()

    def within_items(self) -> Vector:
        raise NotImplementedError

    def to_all(self, totals: Weights) -> Weights:
        """sum over k of N_k x distance(c, k), for each value c: (values, lanes)."""
        raise NotImplementedError

    def within(self, weights: Weights, totals: Weights) -> Vector:
        answer: Vector = weighted_items(self.each[:, None], weights)[0]
        return answer

    def between(self, totals: Weights) -> Vector:
        answer: Vector = (totals * self.to_all(totals)).sum(axis=0)
        return answer

    def without_each(self, totals: Vector) -> tuple[Vector, Vector]:
        to_all = self.to_all(totals[:, None])[:, 0]
        crossed = self.table.sum_by_item(self.table.counts * to_all[self.table.codes])
        whole = float(totals @ to_all)
        between = whole - 2 * crossed + (self.table.sizes - 1) * self.each
        return self.each.sum() - self.each, np.where(np.abs(between) < ROUNDING * whole, 0.0, between)


class NominalDistance(FixedDistance):
    """0 for the same value, 1 for different ones."""

    def within_items(self) -> Vector:
        same = self.table.sum_by_item(self.table.counts**2)
        answer: Vector = (self.table.sizes**2 - same) / (self.table.sizes - 1)
        return answer

    def to_all(self, totals: Weights) -> Weights:
        answer: Weights = totals.sum(axis=0) - totals
        return answer


class IntervalDistance(FixedDistance):
    """(a - b)^2 on a scale of numbers."""

    def __init__(self, table: CountTable, scale: Vector) -> None:
        self.scale = scale
        super().__init__(table)

    def within_items(self) -> Vector:
        from . import kernels

        t = self.table
        each: Vector = kernels.scale_within(t.offsets, t.codes, t.counts, t.sizes, self.scale, False)
        return each

    def to_all(self, totals: Weights) -> Weights:
        """sum over k of N_k (c - k)^2 = n (c - mean)^2 + sum N_k (k - mean)^2."""
        count = totals.sum(axis=0)
        centre = np.divide(self.scale @ totals, count, out=np.zeros_like(count), where=count > 0)
        squares = (self.scale[:, None] - centre) ** 2
        answer: Weights = count * squares + (totals * squares).sum(axis=0)
        return answer


class RatioDistance(FixedDistance):
    """((a - b) / (a + b))^2 on a scale of numbers >= 0."""

    def __init__(self, table: CountTable, scale: Vector) -> None:
        self.scale = scale
        super().__init__(table)

    def within_items(self) -> Vector:
        from . import kernels

        t = self.table
        each: Vector = kernels.scale_within(t.offsets, t.codes, t.counts, t.sizes, self.scale, True)
        return each

    def to_all(self, totals: Weights) -> Weights:
        from . import kernels

        scale, upside_down = self.scale, np.arange(len(self.scale))[::-1]
        above: Weights = kernels.ratio_between(scale, totals)
        below: Weights = kernels.ratio_between(scale[upside_down].copy(), totals[upside_down].copy())[upside_down]
        return above + below


class OrdinalDistance:
    """(sum of N_g from a to b - (N_a + N_b) / 2)^2, which is the squared difference of mean ranks: it depends on N."""

    def __init__(self, table: CountTable) -> None:
        self.table = table

    @staticmethod
    def ranks(totals: Weights) -> Weights:
        """How many annotations lie below each value, counting half of its own."""
        ranks: Weights = np.cumsum(totals, axis=0) - totals / 2
        return ranks

    def within(self, weights: Weights, totals: Weights) -> Vector:
        from . import kernels

        t = self.table
        answer: Vector = kernels.ordinal_within(t.offsets, t.codes, t.counts, t.sizes, weights, self.ranks(totals))
        return answer

    def between(self, totals: Weights) -> Vector:
        ranks, count = self.ranks(totals), totals.sum(axis=0)
        centre = count / 2  # the mean of the mean ranks
        answer: Vector = 2 * count * (totals * (ranks - centre) ** 2).sum(axis=0)
        return answer

    def without_each(self, totals: Vector) -> None:
        return None
