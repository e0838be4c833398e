"""The compiled loops of agreement. Python's side of them is in `annotations` and `alpha`.

Loops run over *lanes*, the columns of the weights: one resample each. A lane's sums follow the order of the items,
whichever lanes are beside it, so a resample's value does not depend on how the work was divided. A set of labels is a
row of 64-bit words.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_PAIRS, _QUADS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_EACH, _TOP, _TWO, _FOUR = np.uint64(0x0101010101010101), np.uint64(56), np.uint64(2), np.uint64(4)
_SPREAD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
FREE = -1


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


@compiled
def ones(word):
    """How many bits are set."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _QUADS) + ((word >> _TWO) & _QUADS)
    return np.int64((((word + (word >> _FOUR)) & _BYTES) * _EACH) >> _TOP)


@compiled
def number(words, slots):
    """Number the distinct rows in order of appearance: each row's number, and the row where each number first appears.

    slots: a power of two of at least twice the rows; a hash table with linear probing.
    """
    rows, width = words.shape
    table = np.full(slots, FREE, dtype=np.int32)
    numbers = np.empty(rows, dtype=np.int64)
    first = np.empty(rows, dtype=np.int64)
    count = 0
    mask = np.uint64(slots - 1)
    for row in range(rows):
        mixed = _ZERO
        for at in range(width):
            mixed = (mixed ^ words[row, at]) * _SPREAD
            mixed ^= mixed >> _HALF
        slot = np.int64(mixed & mask)
        while True:
            held = table[slot]
            if held == FREE:
                table[slot] = count
                first[count] = row
                numbers[row] = count
                count += 1
                break
            same = True
            for at in range(width):
                same &= words[first[held], at] == words[row, at]
            if same:
                numbers[row] = held
                break
            slot = (slot + 1) & (slots - 1)
    return numbers, first[:count].copy()


@compiled
def subsets(words, count, room):
    """Every non-empty subset of the first `count` rows of words (S,): the subset, and the row it comes from."""
    keys = np.empty((room, 1), dtype=np.uint64)
    rows = np.empty(room, dtype=np.int64)
    at = 0
    for row in range(count):
        whole = words[row]
        part = whole
        while part != _ZERO:
            keys[at, 0] = part
            rows[at] = row
            at += 1
            part = (part - _ONE) & whole
    return keys[:at], rows[:at]


@compiled
def share_nodes(numbers, first, keys, rows, sizes, coefficients):
    """Gather the rows of each subset that two or more rows have; a subset in one row only adds to that row's own share.

    Returns starts (nodes + 1,), members, depth (nodes,) and own (S,): rows of node n are
    members[starts[n]:starts[n + 1]], ascending, and depth[n] is the size of its subset.
    """
    count = len(first)
    holders = np.zeros(count, dtype=np.int64)
    for at in range(len(numbers)):
        holders[numbers[at]] += 1
    starts = np.zeros(count + 1, dtype=np.int64)
    depth = np.empty(count, dtype=np.int64)
    node_of = np.full(count, FREE)
    own = np.zeros(len(sizes))
    nodes = 0
    for n in range(count):
        size = ones(keys[first[n], 0])
        if holders[n] > 1:
            node_of[n] = nodes
            depth[nodes] = size
            starts[nodes + 1] = starts[nodes] + holders[n]
            nodes += 1
        else:
            row = rows[first[n]]
            own[row] += coefficients[sizes[row], sizes[row], size]
    place = starts[:nodes].copy()
    members = np.empty(starts[nodes], dtype=np.int64)
    for at in range(len(numbers)):
        node = node_of[numbers[at]]
        if node != FREE:
            members[place[node]] = rows[at]
            place[node] += 1
    return starts[: nodes + 1].copy(), members, depth[:nodes].copy(), own


@compiled
def similar_by_nodes(totals, starts, members, depth, sizes, coefficients):
    """sum over nodes and sizes a, b of coefficient(a, b, depth) F_a F_b: (lanes,).

    F_a: the totals of the node's rows that have size a. Rows ascend in size.
    """
    lanes = totals.shape[1]
    similar = np.zeros(lanes)
    sums = np.empty((len(coefficients), lanes))
    which = np.empty(len(coefficients), dtype=np.int64)
    for node in range(len(depth)):
        runs = 0
        last = -1
        for at in range(starts[node], starts[node + 1]):
            row = members[at]
            total = totals[row]
            if sizes[row] != last:
                last = sizes[row]
                which[runs] = last
                sums[runs] = total
                runs += 1
            else:
                into = sums[runs - 1]
                for lane in range(lanes):
                    into[lane] += total[lane]
        for a in range(runs):
            a_sums = sums[a]
            for b in range(a + 1):
                coefficient = coefficients[which[a], which[b], depth[node]]
                if a != b:
                    coefficient *= 2.0
                b_sums = sums[b]
                for lane in range(lanes):
                    similar[lane] += coefficient * a_sums[lane] * b_sums[lane]
    return similar


@compiled
def similar_to_each_by_nodes(totals, starts, members, depth, sizes, coefficients):
    """The same for one lane, totals (S,), as each row's similarity to all: (S,)."""
    rows = np.zeros(len(totals))
    sums = np.zeros(len(coefficients))
    for node in range(len(depth)):
        sums[:] = 0.0
        for at in range(starts[node], starts[node + 1]):
            sums[sizes[members[at]]] += totals[members[at]]
        for at in range(starts[node], starts[node + 1]):
            row = members[at]
            for size in range(len(sums)):
                if sums[size] != 0.0:
                    rows[row] += coefficients[sizes[row], size, depth[node]] * sums[size]
    return rows


@compiled
def similarity(words, sizes, a, b, subset, overlap):
    """|A and B| / |A or B|, times `subset` where one contains the other, `overlap` where they only overlap; a != b."""
    common = 0
    for at in range(words.shape[1]):
        common += ones(words[a, at] & words[b, at])
    if common == 0:
        return 0.0
    jaccard = common / (sizes[a] + sizes[b] - common)
    return jaccard * (subset if common == min(sizes[a], sizes[b]) else overlap)


@compiled
def similar_by_pairs(words, sizes, totals, first, subset, overlap):
    """sum over B < A of N_B x similarity of A and B, for rows A from `first` on; then the same with N_A for rows B: 2 x
    (S, lanes)."""
    count, lanes = totals.shape
    width = words.shape[1]
    up = np.zeros((count, lanes))
    down = np.zeros((count, lanes))
    for a in range(first, count):
        for b in range(a):
            met = _ZERO
            for at in range(width):
                met |= words[a, at] & words[b, at]
            if met == _ZERO:
                continue
            alike = similarity(words, sizes, a, b, subset, overlap)
            for lane in range(lanes):
                up[a, lane] += alike * totals[b, lane]
                down[b, lane] += alike * totals[a, lane]
    return up, down


@compiled
def set_within(offsets, codes, counts, item_sizes, words, sizes, subset, overlap):
    """sum over pairs of an item's annotations of the distance of their sets / (size - 1)."""
    within = np.zeros(len(item_sizes))
    for item in range(len(item_sizes)):
        total = 0.0
        for a in range(offsets[item], offsets[item + 1]):
            for b in range(a + 1, offsets[item + 1]):
                distance = 1.0 - similarity(words, sizes, codes[a], codes[b], subset, overlap)
                total += counts[a] * counts[b] * distance
        within[item] = 2.0 * total / (item_sizes[item] - 1.0)
    return within


@compiled
def count_labels(offsets, codes, counts, starts, members, labels):
    """How many of each item's annotations chose each label: offsets (items + 1,), labels in ascending order, counts.

    Entry at of an item is the set codes[at], chosen counts[at] times, whose labels are
    members[starts[codes[at]] : starts[codes[at] + 1]].
    """
    items = len(offsets) - 1
    most = 0
    for item in range(items):
        entries = 0
        for at in range(offsets[item], offsets[item + 1]):
            entries += starts[codes[at] + 1] - starts[codes[at]]
        most += min(entries, labels)
    label_of, amounts = np.empty(most, dtype=np.int64), np.empty(most)
    ends = np.zeros(items + 1, dtype=np.int64)
    chosen = np.zeros(labels)
    filled = 0
    for item in range(items):
        for at in range(offsets[item], offsets[item + 1]):
            for place in range(starts[codes[at]], starts[codes[at] + 1]):
                chosen[members[place]] += counts[at]
        for label in range(labels):
            if chosen[label] > 0.0:
                label_of[filled], amounts[filled] = label, chosen[label]
                filled += 1
                chosen[label] = 0.0
        ends[item + 1] = filled
    return ends, label_of[:filled].copy(), amounts[:filled].copy()
