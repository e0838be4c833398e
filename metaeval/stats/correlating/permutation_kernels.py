"""The compiled loops of the permutation tests. Python's side of them is in `permutation`.

One permutation serves every row (metric): the loop draws it once, computes each row's coefficient and tallies the
tails. `LANES` permutations are computed side by side, because a loop over lanes becomes vector instructions. Libraries
sum a product's terms in an order of their own, which moves a coefficient by about 1e-15; `TIE` is so much wider that
the counts do not depend on the processor.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Places, Vector, Words
from metaeval.compiled import compiled

from .shuffling import LANES, fill

TIE = 1e-12
"""Two values of a coefficient closer than this are tied; summing in another order changes one by about 1e-15."""

GREATER, LESS, MAGNITUDE, FAMILY = 0, 1, 2, 3


class Draws(NamedTuple):
    """Permutations `start` to `stop`: drawn, or all in order. states, comparators: see `shuffling`."""

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
