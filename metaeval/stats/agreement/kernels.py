"""The compiled loops of agreement. Python's side of them is in `table` and `distances`.

Loops run over *lanes*, the columns of the weights: one resample each. A lane's sums follow the order of the items,
whichever lanes are beside it, so a resample's value does not depend on how the work was divided.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled


@compiled
def count_values(item, code, items, values):
    """Rows (item, code) as counts: offsets (items + 1,), codes, counts; codes ascend within an item.

    Two counting sorts, by value and then by item: linear in rows, items and values.
    """
    rows = len(item)
    starts = np.zeros(values + 1, dtype=np.int64)
    for row in range(rows):
        starts[code[row] + 1] += 1
    for value in range(values):
        starts[value + 1] += starts[value]
    by_value = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        by_value[starts[code[row]]] = row
        starts[code[row]] += 1
    ends = np.zeros(items + 1, dtype=np.int64)
    for row in range(rows):
        ends[item[row] + 1] += 1
    for i in range(items):
        ends[i + 1] += ends[i]
    place = ends[:-1].copy()
    sorted_codes = np.empty(rows, dtype=np.int64)
    for at in range(rows):
        row = by_value[at]
        sorted_codes[place[item[row]]] = code[row]
        place[item[row]] += 1
    offsets = np.zeros(items + 1, dtype=np.int64)
    codes = np.empty(rows, dtype=np.int64)
    counts = np.empty(rows, dtype=np.float64)
    entries = 0
    for i in range(items):
        for at in range(ends[i], ends[i + 1]):
            if at > ends[i] and sorted_codes[at] == sorted_codes[at - 1]:
                counts[entries - 1] += 1.0
            else:
                codes[entries] = sorted_codes[at]
                counts[entries] = 1.0
                entries += 1
        offsets[i + 1] = entries
    return offsets, codes[:entries].copy(), counts[:entries].copy()


@compiled
def sparse(dense):
    """A matrix of counts (items, values) as offsets (items + 1,), codes and counts of those above 0."""
    items, values = dense.shape
    offsets = np.zeros(items + 1, dtype=np.int64)
    for item in range(items):
        above = 0
        for value in range(values):
            above += dense[item, value] > 0
        offsets[item + 1] = offsets[item] + above
    # Every cell is written, and the next one over it unless it counts: faster than a branch nobody can predict.
    codes = np.empty(offsets[items] + 1, dtype=np.int64)
    counts = np.empty(offsets[items] + 1, dtype=np.float64)
    at = 0
    for item in range(items):
        for value in range(values):
            codes[at], counts[at] = value, dense[item, value]
            at += dense[item, value] > 0
    return offsets, codes[:-1], counts[:-1]


@compiled
def all_within(counts, most):
    """Whether every count (items, values) is from 0 to its item's `most` (items,)."""
    outside = False
    for item in range(len(counts)):
        for value in range(counts.shape[1]):
            outside |= (counts[item, value] < 0) | (counts[item, value] > most[item])
    return not outside


@compiled
def tally(drawn, items):
    """How often each item was drawn: drawn (lanes, draws) -> (items, lanes).

    Eight lanes at a time: their counts stay in the cache and are written as one cache line.
    """
    lanes = len(drawn)
    weights = np.empty((items, lanes))
    counts = np.empty((8, items), dtype=np.int32)
    for first in range(0, lanes, 8):
        size = min(8, lanes - first)
        counts[:] = 0
        for lane in range(size):
            count = counts[lane]
            for item in drawn[first + lane]:
                count[item] += 1
        for item in range(items):
            for lane in range(size):
                weights[item, first + lane] = counts[lane, item]
    return weights


@compiled
def weighted_sums(offsets, codes, amounts, weights, values):
    """sum over items of weight x amount for each value: (values, lanes)."""
    lanes = weights.shape[1]
    totals = np.zeros((values, lanes))
    for item in range(len(offsets) - 1):
        weight = weights[item]
        for at in range(offsets[item], offsets[item + 1]):
            total = totals[codes[at]]
            amount = amounts[at]
            for lane in range(lanes):
                total[lane] += amount * weight[lane]
    return totals


@compiled
def scale_within(offsets, codes, counts, sizes, scale, ratio):
    """sum over pairs of an item's annotations of the squared difference / (size - 1), on an interval or ratio scale."""
    within = np.zeros(len(sizes))
    for item in range(len(sizes)):
        total = 0.0
        for a in range(offsets[item], offsets[item + 1]):
            for b in range(a + 1, offsets[item + 1]):
                x, y = scale[codes[a]], scale[codes[b]]
                difference = (x - y) / (x + y) if ratio else x - y
                total += counts[a] * counts[b] * difference * difference
        within[item] = 2.0 * total / (sizes[item] - 1.0)
    return within


@compiled
def ratio_between(scale, totals):
    """sum over B > A of N_B ((a - b) / (a + b))^2, row by row: (values, lanes)."""
    values, lanes = totals.shape
    rows = np.zeros((values, lanes))
    for a in range(values):
        row = rows[a]
        for b in range(a + 1, values):
            difference = (scale[a] - scale[b]) / (scale[a] + scale[b])
            square = difference * difference
            other = totals[b]
            for lane in range(lanes):
                row[lane] += square * other[lane]
    return rows


@compiled
def ordinal_within(offsets, codes, counts, sizes, weights, ranks):
    """sum over items of weight x the item's squared differences of ranks, which differ per lane: (lanes,).

    Ranks are multiples of 1/2, so these sums are exact, and 0 where all labels of an item are equal.
    """
    lanes = weights.shape[1]
    observed = np.zeros(lanes)
    first = np.zeros(lanes)
    second = np.zeros(lanes)
    for item in range(len(sizes)):
        first[:] = 0.0
        second[:] = 0.0
        for at in range(offsets[item], offsets[item + 1]):
            rank = ranks[codes[at]]
            count = counts[at]
            for lane in range(lanes):
                first[lane] += count * rank[lane]
                second[lane] += count * rank[lane] * rank[lane]
        size = sizes[item]
        factor = 2.0 / (size - 1.0)
        weight = weights[item]
        for lane in range(lanes):
            observed[lane] += weight[lane] * factor * (size * second[lane] - first[lane] * first[lane])
    return observed
