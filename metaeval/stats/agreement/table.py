"""Counts of items x values, the starting point of every measure of agreement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector

Weights = Matrix
"""How often each item counts, shape (items, lanes): one column per resample."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """The non-zero counts, one row per item.

    Item i got value codes[j] counts[j] times, for j in offsets[i]:offsets[i + 1], codes ascending. offsets: int64
    (items + 1,); codes: int64; counts: float64; sizes: float64 (items,), the annotations of each item; `values`: how
    many values are possible; `dropped`: how many items were left out because they have too few annotations.
    """

    offsets: Codes
    codes: Codes
    counts: Vector
    sizes: Vector
    values: int
    dropped: int = 0

    @property
    def items(self) -> int:
        return len(self.sizes)

    @property
    def annotations(self) -> int:
        return int(self.sizes.sum())

    @property
    def rows(self) -> Codes:
        """The item of each entry."""
        return np.repeat(np.arange(self.items), np.diff(self.offsets))

    def observed_values(self) -> Codes:
        """Codes of the values that occur."""
        return np.flatnonzero(np.bincount(self.codes, minlength=self.values))

    def paired(self) -> CountTable:
        """Only the items with at least two annotations: one alone says nothing about agreement."""
        return self.with_at_least(2)

    def with_at_least(self, annotations: int) -> CountTable:
        """Only the items with at least this many annotations."""
        keep = self.sizes >= annotations
        if keep.all():
            return self
        entries = np.repeat(keep, np.diff(self.offsets))
        lengths = np.diff(self.offsets)[keep]
        return CountTable(
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            codes=self.codes[entries],
            counts=self.counts[entries],
            sizes=self.sizes[keep],
            values=self.values,
            dropped=self.dropped + int((~keep).sum()),
        )

    def sum_by_item(self, amounts: Vector) -> Vector:
        """The entries' amounts, summed for each item."""
        sums: Vector = np.bincount(self.rows, weights=amounts, minlength=self.items).astype(np.float64, copy=False)
        return sums

    def weighted(self, amounts: Vector, weights: Weights) -> Weights:
        """sum over items of weight x amount, for each value: shape (values, lanes)."""
        from . import kernels

        totals: Weights = kernels.weighted_sums(self.offsets, self.codes, amounts, weights, self.values)
        return totals


def count_table(item: Codes, code: Codes, items: int, values: int) -> CountTable:
    """Count how often each item got each value."""
    from . import kernels

    offsets, codes, counts = kernels.count_values(
        np.ascontiguousarray(item, dtype=np.int64), np.ascontiguousarray(code, dtype=np.int64), items, values
    )
    sizes = np.bincount(item, minlength=items).astype(np.float64)
    return CountTable(offsets, codes, counts, sizes, values)


def weighted_items(amounts: Vector, weights: Weights) -> Weights:
    """sum over items of weight x amount: amounts (items, features) -> (features, lanes)."""
    from . import kernels

    items, features = amounts.shape
    offsets = np.arange(0, items * features + 1, features) if features else np.zeros(items + 1, dtype=np.int64)
    codes = np.tile(np.arange(features), items)
    totals: Weights = kernels.weighted_sums(offsets, codes, amounts.ravel(), weights, features)
    return totals
