"""The compiled loops of the permutation tests: uniform permutations, drawn many at a time, and the tails they give.

Every lane is its own source of random numbers: n of them, each carrying its position in the lowest bits, are sorted by
a network of comparators. The network is the same for every lane, so the lanes run side by side as vector instructions.
Fisher and Yates's shuffle cannot do this, since it writes to random places. Keys have 64 - PLACE_BITS random bits; two
keys of a permutation are equal (and then stay in order) about once in 10^13 permutations of 25, which is negligible
next to the at most 2^32 permutations that anyone draws. Above LARGEST_NETWORK, the shuffle is faster and used instead.

The upper half of a key almost always suffices to sort by, and costs half as much; only if two halves of any permutation
are alike, all lanes are sorted again by whole keys. So the order is always that of whole keys.

One permutation serves every row (metric): a loop draws it once, computes each row's coefficient and tallies the tails.
Restricted tests exchange whole units instead of single systems (`exchanges` is always `exchanging.ExchangeTables`).
Libraries sum a product's terms in an order of their own, which moves a coefficient by about 1e-15; `TIE` is so much
wider that the counts do not depend on the processor.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Places, Vector, Words
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

TIE = 1e-12
"""Two values of a coefficient closer than this are tied; summing in another order changes one by about 1e-15."""
GREATER, LESS, MAGNITUDE, FAMILY = 0, 1, 2, 3


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


class Draws(NamedTuple):
    """Permutations `start` to `stop`: drawn, or all in order. states, comparators: see above."""

    states: Words
    exact: bool
    start: int
    stop: int
    comparators: Codes


class Seen(NamedTuple):
    """What permutations are compared with: the observed coefficients (R,), the rows from the least to the most extreme
    (R,), and the alternative: 1 greater, -1 less, 0 either."""

    observed: Vector
    by_size: Places
    side: int


@compiled
def tally(values, size, observed, by_size, side, counts):
    """Count the tails of `size` permutations, and the step-down maxima of Westfall and Young (1993)."""
    largest = np.full(size, -np.inf)
    for at in range(len(by_size)):  # from the least to the most extreme observed row
        row = by_size[at]
        seen = observed[row]
        extreme = abs(seen) if side == 0 else side * seen
        greater = less = magnitude = family = 0
        for lane in range(size):
            value = values[row, lane]
            greater += value >= seen - TIE
            less += value <= seen + TIE
            magnitude += abs(value) >= abs(seen) - TIE
            largest[lane] = max(largest[lane], abs(value) if side == 0 else side * value)
            family += largest[lane] >= extreme - TIE
        counts[row, GREATER] += greater
        counts[row, LESS] += less
        counts[row, MAGNITUDE] += magnitude
        counts[row, FAMILY] += family


@compiled
def multiply(scores, permuted, values):
    """values[lane] = sum over i of scores[i] permuted[i, lane], four i at a time, which saves passes over `values`."""
    n = len(scores)
    values[:] = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = scores[i], scores[i + 1], scores[i + 2], scores[i + 3]
        p, q, r, s = permuted[i], permuted[i + 1], permuted[i + 2], permuted[i + 3]
        for lane in range(LANES):
            values[lane] += (a * p[lane] + b * q[lane]) + (c * r[lane] + d * s[lane])
    for i in range(whole, n):
        score, column = scores[i], permuted[i]
        for lane in range(LANES):
            values[lane] += score * column[lane]


@compiled
def multiply_rows(scores, permuted, groups, values):
    """values[row, lane] = sum over i of scores[row, i] permuted[group of row, i, lane]."""
    if len(permuted) == 1:
        np.dot(scores, permuted[0], values)
        return
    for row in range(len(scores)):
        multiply(scores[row], permuted[groups[row]], values[row])


@compiled
def multiply_signs(score, permuted, length):
    """The sum over the first `length` pairs of score times permuted: integers, so no digit is lost."""
    total = np.int32(0)
    for k in range(length):
        total += np.int32(score[k]) * np.int32(permuted[k])
    return total


@compiled
def count_products(draws, places, targets, scores, groups, seen):
    """Tails of coefficients that are a product of standardised scores and permuted standardised targets.

    places (G, n): the position of system i in the target of group g, or -1 if the group leaves it out; targets (G, n)
    and scores (R, n): compact, padded with 0; groups (R,): the group of each row. Returns counts (R, 4): value >=
    observed, <= observed, |value| >= |observed|, and the family-wise one.
    """
    states, exact, start, stop, comparators = draws
    observed, by_size, side = seen
    group_count, n = places.shape
    rows = len(scores)
    orders = np.zeros((n, LANES), dtype=np.uint32)
    complete = np.array([places[group].min() >= 0 for group in range(group_count)])
    permuted = np.zeros((group_count, n, LANES))
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        fill(states, exact, first, comparators, orders)
        for group in range(group_count):
            if complete[group]:
                target = targets[group]
                for i in range(n):
                    for lane in range(LANES):
                        permuted[group, i, lane] = target[orders[i, lane]]
                continue
            for lane in range(size):
                at = 0
                for i in range(n):
                    place = places[group, orders[i, lane]]
                    if place >= 0:
                        permuted[group, at, lane] = targets[group, place]
                        at += 1
        multiply_rows(scores, permuted, groups, values)
        tally(values, size, observed, by_size, side, counts)
    return counts


@compiled
def count_pairs(draws, places, signs, scores, scales, groups, seen):
    """Tails of coefficients that count concordant minus discordant pairs (Kendall's tau-b).

    places as in `count_products`; signs (G, n, n) int8: sign of target i - target j, compact; scores (R,
    n(n-1)/2) int8: sign of score i - score j for i < j, in rows of i, padded with 0; scales (R,): 1 over
    the denominator.
    """
    states, exact, start, stop, comparators = draws
    observed, by_size, side = seen
    group_count, n = places.shape
    rows = len(scores)
    orders = np.zeros((n, LANES), dtype=np.uint32)
    compact = np.zeros(n, dtype=np.int64)
    pairs = np.zeros(scores.shape[1], dtype=np.int8)
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        fill(states, exact, first, comparators, orders)
        for lane in range(size):
            for group in range(group_count):
                at = 0
                for i in range(n):
                    place = places[group, orders[i, lane]]
                    if place >= 0:
                        compact[at] = place
                        at += 1
                pair = 0
                for i in range(at):
                    sign = signs[group, compact[i]]
                    for j in range(i + 1, at):
                        pairs[pair] = sign[compact[j]]
                        pair += 1
                for row in range(rows):
                    if groups[row] == group:
                        values[row, lane] = multiply_signs(scores[row], pairs, pair) * scales[row]
        tally(values, size, observed, by_size, side, counts)
    return counts


@compiled
def room_for(exchanges, n):
    """Buffers of `draw_units` (orders) and `arrange` (room, sources), for targets of n systems."""
    units = exchanges.starts[-1]
    orders = np.zeros((units, LANES), dtype=np.uint32)
    room = np.zeros((units, LANES), dtype=np.int64), np.zeros((n, LANES), dtype=np.int64)
    return orders, room, np.zeros((n, LANES), dtype=np.int64)


@compiled
def draw_units(states, exact, first, exchanges, orders):
    """LANES permutations of the units of every set, as the columns of `orders` (units of all sets, LANES)."""
    starts, ways = exchanges.starts, exchanges.orders
    sets = len(ways)
    if not exact:
        for s in range(sets):
            comparators = exchanges.comparators[exchanges.comparator_starts[s] : exchanges.comparator_starts[s + 1]]
            fill(states, False, first, comparators, orders[starts[s] : starts[s + 1]])
        return
    order = np.empty(len(orders), dtype=np.int64)
    for lane in range(LANES):
        index = first + lane
        for s in range(sets):  # the digits of `first` + lane, whose bases are the numbers of orders of the sets
            begin, end = starts[s], starts[s + 1]
            unrank(index % ways[s], order[begin:end])
            index //= ways[s]
            for i in range(begin, end):
                orders[i, lane] = order[i]


@compiled
def own_order(members, orders, whole, slots):
    """Which of a group's own units moves to each place of its set: slots (units, LANES).

    members: for each unit of the shared set, which own unit it is, or -1; orders: the shared permutations.
    """
    if whole:
        for i in range(len(members)):
            for lane in range(LANES):
                slots[i, lane] = np.int64(orders[i, lane])
        return
    for lane in range(LANES):
        at = 0
        for i in range(len(members)):
            unit = members[orders[i, lane]]
            if unit >= 0:
                slots[at, lane] = unit
                at += 1


@compiled
def arrange(exchanges, group, orders, room, sources):
    """Where the value at each place of a group comes from: sources (n, LANES), from the permuted units.

    room: buffers for slots (units, LANES), and for sources (n, LANES) before a set is exchanged.
    """
    slots, before = room
    members, places = exchanges.members, exchanges.places
    for i in range(len(sources)):
        for lane in range(LANES):
            sources[i, lane] = i
    for number in range(exchanges.group_starts[group], exchanges.group_starts[group + 1]):
        of, units, size, member, place, whole, again = exchanges.lists[number]
        first, last = exchanges.starts[of], exchanges.starts[of + 1]
        own_order(members[member : member + last - first], orders[first:last], whole, slots)
        if again:
            before[:] = sources
        for i in range(units):
            for k in range(size):
                row = sources[places[place + i * size + k]]
                for lane in range(LANES):
                    source = places[place + slots[i, lane] * size + k]
                    row[lane] = before[source, lane] if again else source


@compiled
def count_products_of_units(draws, exchanges, targets, scores, groups, seen):
    """Tails as in `count_products`: targets (G, n) and scores (R, n) compact, padded with 0."""
    states, exact, start, stop, _ = draws
    observed, by_size, side = seen
    group_count, n = targets.shape
    rows = len(scores)
    orders, room, sources = room_for(exchanges, n)
    permuted = np.zeros((group_count, n, LANES))
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        draw_units(states, exact, first, exchanges, orders)
        for group in range(group_count):
            arrange(exchanges, group, orders, room, sources)
            target = targets[group]
            for lane in range(LANES):  # this order avoids a gather instruction, which would be slower
                for i in range(n):
                    permuted[group, i, lane] = target[sources[i, lane]]
        multiply_rows(scores, permuted, groups, values)
        tally(values, size, observed, by_size, side, counts)
    return counts


@compiled
def count_pairs_of_units(draws, exchanges, signs, pairs, pair_counts, scores, scales, groups, seen):
    """Tails of sums of products of signs over pairs of places.

    signs (G, n, n) int8: sign of target i - target j, compact; pairs (G, P, 2): the places of each pair that counts,
    pair_counts (G,) of them in use; scores (R, P) int8: sign of score i - score j; scales (R,): 1 over the denominator.
    """
    states, exact, start, stop, _ = draws
    observed, by_size, side = seen
    group_count, n = signs.shape[:2]
    rows = len(scores)
    orders, room, sources = room_for(exchanges, n)
    compact = np.zeros(n, dtype=np.int64)
    permuted = np.zeros(scores.shape[1], dtype=np.int8)
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        draw_units(states, exact, first, exchanges, orders)
        for group in range(group_count):
            arrange(exchanges, group, orders, room, sources)
            length = pair_counts[group]
            for lane in range(size):
                for i in range(n):
                    compact[i] = sources[i, lane]
                for k in range(length):
                    permuted[k] = signs[group, compact[pairs[group, k, 0]], compact[pairs[group, k, 1]]]
                for row in range(rows):
                    if groups[row] == group:
                        values[row, lane] = multiply_signs(scores[row], permuted, length) * scales[row]
        tally(values, size, observed, by_size, side, counts)
    return counts
