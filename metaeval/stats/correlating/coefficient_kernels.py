"""The coefficients as compiled functions of two buffers, for the resampling loops. NaN where undefined.

Values are tied as in `metaeval.stats.ties`; `size` is the magnitude of the numbers they were computed from, if larger
than their own.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled
from metaeval.rounding import ROUNDING, is_one_value

PEARSON, SPEARMAN, KENDALL = 0, 1, 2
FEW = 128
NUMBER = {"pearson": PEARSON, "spearman": SPEARMAN, "kendall": KENDALL}

_is_one_value = compiled(is_one_value)


@compiled
def is_constant(x, n, size=0.0):
    """Whether the first n values differ only by rounding."""
    low = high = x[0]
    for i in range(1, n):
        low = min(low, x[i])
        high = max(high, x[i])
    return _is_one_value(low, high, max(size, abs(low), abs(high)))


@compiled
def slack(x, n, size=0.0):
    """How far apart two of the first n values may be and still be tied."""
    for i in range(n):
        size = max(size, abs(x[i]))
    return ROUNDING * size


@compiled
def pearson(x, y, n):
    """Pearson's r of the first n pairs."""
    mean_x = mean_y = 0.0
    for i in range(n):
        mean_x += x[i]
        mean_y += y[i]
    mean_x /= n
    mean_y /= n
    xx = yy = xy = 0.0
    for i in range(n):
        a, b = x[i] - mean_x, y[i] - mean_y
        xx += a * a
        yy += b * b
        xy += a * b
    if xx == 0.0 or yy == 0.0:
        return np.nan
    return min(1.0, max(-1.0, xy / (np.sqrt(xx) * np.sqrt(yy))))


@compiled
def rank(x, n, ranks, size=0.0):
    """Average ranks of the first n values; few are counted (n^2, but in vector instructions), many are sorted."""
    near = slack(x, n, size)
    if n <= FEW:
        for i in range(n):
            low, high, below, most = x[i] - near, x[i] + near, 0, 0
            for j in range(n):
                below += x[j] < low
                most += x[j] <= high
            ranks[i] = (below + most + 1) / 2
        return
    order = np.argsort(x[:n])
    first = 0
    while first < n:
        last = first
        while last + 1 < n and x[order[last + 1]] - x[order[last]] <= near:
            last += 1
        for i in range(first, last + 1):
            ranks[order[i]] = (first + last) / 2 + 1
        first = last + 1


@compiled
def kendall(x, y, n, ranks_x, ranks_y, size=0.0):
    """Kendall's tau-b of the first n pairs; few are compared pair by pair, many are sorted as in `concordance`."""
    if n <= FEW:
        agree, untied_x, untied_y = compared_pairs(x, y, n, size)
    else:
        rank(x, n, ranks_x, size)
        rank(y, n, ranks_y, size)
        agree, untied_x, untied_y = sorted_pairs(ranks_x, ranks_y, n)
    if untied_x == 0 or untied_y == 0:
        return np.nan
    return agree / (np.sqrt(np.float64(untied_x)) * np.sqrt(np.float64(untied_y)))


@compiled
def compared_pairs(x, y, n, size=0.0):
    """`concordance` of the first n pairs, comparing each with each."""
    near_x, near_y = slack(x, n, size), slack(y, n, size)
    agree = untied_x = untied_y = np.int64(0)
    for i in range(n):
        for j in range(i + 1, n):
            a = np.int64(x[i] - x[j] > near_x) - np.int64(x[j] - x[i] > near_x)
            b = np.int64(y[i] - y[j] > near_y) - np.int64(y[j] - y[i] > near_y)
            agree += a * b
            untied_x += a * a
            untied_y += b * b
    return agree, untied_x, untied_y


@compiled
def sorted_pairs(ranks_x, ranks_y, n):
    """The same from average ranks, by sorting: twice such a rank is a whole number, and below 2 n + 1."""
    base = np.int64(2 * n + 1)
    both = np.empty(n, dtype=np.int64)
    for i in range(n):
        both[i] = np.int64(2 * ranks_x[i]) * base + np.int64(2 * ranks_y[i])
    both.sort()
    first, second = both // base, both % base
    untied_x, untied_both = untied(first), untied(both)
    apart = inversions(second)  # sorts them
    untied_y = untied(second)
    return untied_x + untied_y - untied_both - 2 * apart, untied_x, untied_y


@compiled
def untied(ordered):
    """How many pairs of an ordered sequence differ."""
    n, first = len(ordered), 0
    pairs = n * (n - 1) // 2
    for i in range(1, n + 1):
        if i == n or ordered[i] != ordered[first]:
            pairs -= (i - first) * (i - first - 1) // 2
            first = i
    return pairs


@compiled
def inversions(values):
    """How many pairs of values are in the wrong order; leaves them sorted (by merging, from pairs up)."""
    n, width, count = len(values), 1, np.int64(0)
    merged = np.empty_like(values)
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            left, right = start, middle
            for at in range(start, end):
                if left < middle and (right == end or values[left] <= values[right]):
                    merged[at] = values[left]
                    left += 1
                else:
                    merged[at] = values[right]
                    count += middle - left
                    right += 1
        values[:] = merged
        width *= 2
    return count


@compiled
def coefficient(which, x, y, n, ranks_x, ranks_y, size=0.0):
    """The coefficient with that number, of the first n pairs; `ranks_x` and `ranks_y` are buffers."""
    if n < 2 or is_constant(x, n, size) or is_constant(y, n, size):
        return np.nan
    if which == PEARSON:
        return pearson(x, y, n)
    if which == SPEARMAN:
        rank(x, n, ranks_x, size)
        rank(y, n, ranks_y, size)
        return pearson(ranks_x, ranks_y, n)
    return kendall(x, y, n, ranks_x, ranks_y, size)
