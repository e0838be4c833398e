"""Uniform permutations, drawn many at a time.

Every lane is its own source of random numbers: n of them, each carrying its position in the lowest bits, are sorted by
a network of comparators. The network is the same for every lane, so the lanes run side by side as vector instructions.
Fisher and Yates's shuffle cannot do this, since it writes to random places. Keys have 64 - PLACE_BITS random bits; two
keys of a permutation are equal (and then stay in order) about once in 10^13 permutations of 25, which is negligible
next to the at most 2^32 permutations that anyone draws. Above LARGEST_NETWORK, the shuffle is faster and used instead.

The upper half of a key almost always suffices to sort by, and costs half as much; only if two halves of any permutation
are alike, all lanes are sorted again by whole keys. So the order is always that of whole keys.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from functools import lru_cache

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.compiled import compiled
from metaeval.generator import below, step

LANES = 64
"""Permutations drawn side by side. This is part of a result's definition."""

LARGEST_NETWORK = 128
PLACE_BITS = 7

_PLACE = np.uint64((1 << PLACE_BITS) - 1)
_KEY = np.uint64(~((1 << PLACE_BITS) - 1) & ((1 << 64) - 1))
_UPPER = np.uint64(32)
_HALF_PLACE = np.uint32((1 << PLACE_BITS) - 1)
_HALF_KEY = np.uint32(~((1 << PLACE_BITS) - 1) & ((1 << 32) - 1))


@lru_cache(maxsize=16)
def network(n: int) -> Codes:
    """Comparators that sort n keys (Batcher's merge exchange; Knuth, volume 3, algorithm 5.2.2 M): shape (C, 2).

    Empty where the shuffle is used instead.

    >>> network(3).tolist()
    [[0, 2], [0, 1], [1, 2]]
    """
    pairs: list[tuple[int, int]] = []
    if not 1 < n <= LARGEST_NETWORK:
        return np.zeros((0, 2), dtype=np.int64)  # one system, or too many for a network
    highest = 1 << ((n - 1).bit_length() - 1)
    p = highest
    while p:
        q, r, d = highest, 0, p
        while True:
            pairs += [(i, i + d) for i in range(n - d) if i & p == r]
            if q == p:
                break
            d, q, r = q - p, q >> 1, p
        p >>= 1
    return np.array(pairs, dtype=np.int64)


@compiled
def shuffle(state, order):
    """Shuffle `order` (Fisher and Yates); starting from the last permutation is as uniform as from the identity."""
    for i in range(len(order) - 1, 0, -1):
        j = np.int64(below(state, np.uint64(i + 1)))
        order[i], order[j] = order[j], order[i]


@compiled
def unrank(index, order):
    """Write permutation number `index` in lexicographic order, 0 being the identity."""
    n = len(order)
    for i in range(n - 1, -1, -1):  # digits of the index in the factorial system
        order[i] = index % (n - i)
        index //= n - i
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if order[j] >= order[i]:
                order[j] += 1


@compiled
def fill(states, exact, first, comparators, orders):
    """LANES permutations as the columns of `orders` (n, LANES) uint32: drawn, or those numbered from `first` on.

    Unsigned, because an unsigned index needs no check for negatives.
    """
    n = len(orders)
    if exact:
        order = np.empty(n, dtype=np.int64)
        for lane in range(LANES):
            unrank(first + lane, order)
            for i in range(n):
                orders[i, lane] = order[i]
        return
    if len(comparators) == 0:
        order = np.arange(n)
        for lane in range(LANES):
            shuffle(states[:, lane], order)
            for i in range(n):
                orders[i, lane] = order[i]
        return
    before = states.copy()
    draw_halves(states, orders)
    exchange(orders, comparators)
    if is_tied(orders):
        states[:] = before
        fill_by_words(states, comparators, orders)
        return
    for i in range(n):
        for lane in range(LANES):
            orders[i, lane] &= _HALF_PLACE


@compiled
def draw_halves(states, keys):
    """Keys of 32 bits: the upper bits of a random number, and the position."""
    n = len(keys)
    a, b, c, d = states[0], states[1], states[2], states[3]
    for i in range(n):
        row, place = keys[i], np.uint32(i)
        for lane in range(LANES):
            word, a[lane], b[lane], c[lane], d[lane] = step(a[lane], b[lane], c[lane], d[lane])
            row[lane] = (np.uint32(word >> _UPPER) & _HALF_KEY) | place


@compiled
def exchange(keys, comparators):
    """Sort every column of keys."""
    for at in range(len(comparators)):
        upper, lower = keys[comparators[at, 0]], keys[comparators[at, 1]]
        for lane in range(LANES):
            x, y = upper[lane], lower[lane]
            upper[lane] = min(x, y)
            lower[lane] = max(x, y)


@compiled
def is_tied(keys):
    """Whether two sorted keys of one column are alike in the upper bits, so that only the lower ones can tell."""
    tied = np.uint32(0)
    for i in range(len(keys) - 1):
        above, below_it = keys[i], keys[i + 1]
        for lane in range(LANES):
            tied |= np.uint32(((above[lane] ^ below_it[lane]) & _HALF_KEY) == np.uint32(0))
    return tied != 0


@compiled
def fill_by_words(states, comparators, orders):
    """As `fill` draws them, by keys of 64 bits."""
    n = len(orders)
    keys = np.empty((n, LANES), dtype=np.uint64)
    a, b, c, d = states[0], states[1], states[2], states[3]
    for i in range(n):
        row, place = keys[i], np.uint64(i)
        for lane in range(LANES):
            word, a[lane], b[lane], c[lane], d[lane] = step(a[lane], b[lane], c[lane], d[lane])
            row[lane] = (word & _KEY) | place
    exchange(keys, comparators)
    for i in range(n):
        for lane in range(LANES):
            orders[i, lane] = keys[i, lane] & _PLACE
