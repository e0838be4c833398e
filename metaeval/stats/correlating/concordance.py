"""How many pairs of two sequences are in the same order, for Kendall's tau-b, in O(n log n)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Places, Signs, Vector
from metaeval.stats.ties import apart_from_next, evened

FEW = 128
"""Up to this many values, comparing every pair is faster than sorting."""


class Concordance(NamedTuple):
    """Pairs in the same order minus pairs in opposite orders, and the pairs that are not tied in x, and in y."""

    agree: int
    untied_x: int
    untied_y: int


def concordance(x: Vector, y: Vector) -> Concordance:
    """The pairs of two sequences (n,), n > 1, counted.

    Short sequences are compared pair by pair. Long ones are sorted by x and then by y: the pairs in opposite orders are
    then those that y still has in the wrong order (`inversions`).

    Source: Knight 1966, A Computer Method for Calculating Kendall's Tau with Ungrouped Data.

    >>> concordance(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 3.0, 2.0, 2.0]))
    Concordance(agree=1, untied_x=5, untied_y=5)
    """
    n = len(x)
    if n <= FEW:
        a, b = (above_diagonal(pair_signs(values)).astype(np.int64) for values in (x, y))
        return Concordance(int(a @ b), int(a @ a), int(b @ b))
    ranks_x, ranks_y = dense_ranks(x), dense_ranks(y)
    both = np.sort(ranks_x * n + ranks_y)
    first, second = both // n, both % n
    untied_x, untied_y = (n * (n - 1) // 2 - _tied(ranks) for ranks in (first, np.sort(ranks_y)))
    places = np.sort(second * n + np.arange(n)) % n  # those of the smallest y first
    apart = untied_x + untied_y - (n * (n - 1) // 2 - _tied(both))  # tied neither in x nor in y
    return Concordance(apart - 2 * inversions(places), untied_x, untied_y)


def pair_signs(values: Vector) -> Signs:
    """sign(value i - value j), 0 for ties (`evened`): shape (n, n)."""
    even = evened(values)
    signs: Signs = np.sign(even[:, None] - even[None, :]).astype(np.int8)
    return signs


def above_diagonal(signs: Signs) -> Signs:
    """The pairs i < j of a matrix of signs, row by row."""
    return signs[np.triu_indices(len(signs), 1)]


def dense_ranks(values: Vector) -> Codes:
    """0 for the lowest value, 1 for the next, and so on; tied values (`metaeval.stats.ties`) share a rank.

    >>> dense_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(values)
    ranks = np.zeros(len(values), dtype=np.int64)
    if len(values):
        ranks[order[1:]] = apart_from_next(values[order]).cumsum()
    return ranks


def inversions(permutation: Codes | Places) -> int:
    """How many pairs of a permutation of 0, 1, ..., n - 1 are in the wrong order.

    The numbers below n / 2 are moved before the others, then the same within each half, and so on. Each half keeps its
    order, so the places by which its numbers move up count the larger ones that were before them.

    >>> inversions(np.array([2, 0, 1]))
    2
    """
    n = len(permutation)
    size = 1 << max(1, (n - 1).bit_length())
    numbers = np.concatenate([permutation, np.arange(n, size)])  # equal halves; what is added is in order
    found, half = 0, size // 2
    while half:
        is_high = (numbers & half).astype(np.bool_)
        low, high = np.flatnonzero(~is_high), np.flatnonzero(is_high)
        found += int(low.sum()) - size * (size - 1 - half) // 4  # minus their new positions
        numbers = np.concatenate([numbers[low].reshape(-1, half), numbers[high].reshape(-1, half)], axis=1).ravel()
        half //= 2
    return found


def _tied(ordered: Codes) -> int:
    """How many pairs of an ordered sequence are equal."""
    ends = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    runs = np.diff(np.concatenate([[0], ends, [len(ordered)]]))
    return int((runs * (runs - 1)).sum()) // 2
