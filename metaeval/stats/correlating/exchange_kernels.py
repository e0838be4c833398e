"""The compiled loops of restricted permutation tests: whole units are exchanged, not single systems.

As in `permutation_kernels`, one permutation serves every row, and `LANES` of them are computed side by side. Python's
side is in `exchanging` (`exchanges` is always its `ExchangeTables`) and `permutation`.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled

from .permutation_kernels import multiply_rows, multiply_signs, tally
from .shuffling import LANES, fill, unrank


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
    """Tails as in `permutation_kernels.count_products`: targets (G, n) and scores (R, n) compact, padded with 0."""
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
