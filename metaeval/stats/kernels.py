"""The compiled loops of the permutation tests. Python's side of them is in `permutation`.

One permutation serves every row (metric): the loop draws it once, forms each row's coefficient and tallies
the tails. `LANES` permutations are worked on side by side, because a loop over lanes becomes vector
instructions without reordering any sum: results do not depend on the processor.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from .compiled import compiled

LANES = 128
TIE = 1e-12
"""Two values of a coefficient closer than this are tied; summing in another order moves one by about
1e-15."""

GREATER, LESS, MAGNITUDE, FAMILY = 0, 1, 2, 3

_ROTATE_A, _ROTATE_B = np.uint64(23), np.uint64(45)
_SHIFT, _HALF = np.uint64(17), np.uint64(32)
_WORD = np.uint64(64)
_LOW = np.uint64(0xFFFFFFFF)
_RANGE = np.uint64(1 << 32)


@compiled
def _rotated(x, by):
    return (x << by) | (x >> (_WORD - by))


@compiled
def _next(state):
    """xoshiro256++ of Blackman and Vigna (2019): the next 64 bits."""
    answer = _rotated(state[0] + state[3], _ROTATE_A) + state[0]
    shifted = state[1] << _SHIFT
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotated(state[3], _ROTATE_B)
    return answer


@compiled
def _below(state, bound):
    """A number in [0, bound), exactly uniform (Lemire 2019: multiply, and reject the few that would bias)."""
    product = (_next(state) >> _HALF) * bound
    if (product & _LOW) < bound:
        threshold = (_RANGE - bound) % bound
        while (product & _LOW) < threshold:
            product = (_next(state) >> _HALF) * bound
    return product >> _HALF


@compiled
def draw(state, order):
    """Shuffle `order` (Fisher and Yates); going on from the last permutation is as uniform as from the first."""
    for i in range(len(order) - 1, 0, -1):
        j = np.int64(_below(state, np.uint64(i + 1)))
        order[i], order[j] = order[j], order[i]


@compiled
def unrank(index, order):
    """Write the permutation number `index` in lexicographic order, 0 being the identity."""
    n = len(order)
    for i in range(n - 1, -1, -1):  # digits of the index in the factorial system
        order[i] = index % (n - i)
        index //= n - i
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if order[j] >= order[i]:
                order[j] += 1


@compiled
def _tally(values, size, observed, by_size, side, counts):
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
def count_products(state, exact, start, stop, places, targets, scores, groups, observed, by_size, side):
    """Tails of coefficients that are a product of standardised scores and permuted standardised targets.

    places (G, n): where system i stands in the target of group g, or -1 where the group leaves it out;
    targets (G, n) and scores (R, n): compact, padded with 0; groups (R,): the group of each row; observed
    (R,). Returns counts (R, 4): value >= observed, <= observed, |value| >= |observed|, and the family-wise
    one.
    """
    group_count, n = places.shape
    rows = len(scores)
    order = np.arange(n)
    permuted = np.zeros((group_count, n, LANES))
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        for lane in range(size):
            if exact:
                unrank(first + lane, order)
            else:
                draw(state, order)
            for group in range(group_count):
                at = 0
                for i in order:
                    place = places[group, i]
                    if place >= 0:
                        permuted[group, at, lane] = targets[group, place]
                        at += 1
        for row in range(rows):
            group = groups[row]
            total = values[row]
            total[:] = 0.0
            for j in range(n):
                score = scores[row, j]
                column = permuted[group, j]
                for lane in range(LANES):
                    total[lane] += score * column[lane]
        _tally(values, size, observed, by_size, side, counts)
    return counts


@compiled
def count_pairs(state, exact, start, stop, places, signs, scores, scales, groups, observed, by_size, side):
    """Tails of coefficients that count concordant minus discordant pairs (Kendall's tau-b).

    places as in `count_products`; signs (G, n, n) int8: sign of target i - target j, compact; scores (R,
    n(n-1)/2) int8: sign of score i - score j for i < j, in rows of i, padded with 0; scales (R,): 1 over
    the denominator.
    """
    group_count, n = places.shape
    rows = len(scores)
    order = np.arange(n)
    compact = np.zeros(n, dtype=np.int64)
    pairs = np.zeros(scores.shape[1], dtype=np.int8)
    values = np.zeros((rows, LANES))
    counts = np.zeros((rows, 4), dtype=np.int64)
    for first in range(start, stop, LANES):
        size = min(LANES, stop - first)
        for lane in range(size):
            if exact:
                unrank(first + lane, order)
            else:
                draw(state, order)
            for group in range(group_count):
                at = 0
                for i in order:
                    if places[group, i] >= 0:
                        compact[at] = places[group, i]
                        at += 1
                pair = 0
                for i in range(at):
                    sign = signs[group, compact[i]]
                    for j in range(i + 1, at):
                        pairs[pair] = sign[compact[j]]
                        pair += 1
                for row in range(rows):
                    if groups[row] == group:
                        score = scores[row]
                        total = np.int32(0)
                        for k in range(pair):
                            total += np.int32(score[k]) * np.int32(pairs[k])
                        values[row, lane] = total * scales[row]
        _tally(values, size, observed, by_size, side, counts)
    return counts
