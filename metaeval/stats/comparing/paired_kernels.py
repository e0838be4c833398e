"""The compiled loops of the paired tests of two metrics. Python's side of them is in `paired_metrics`.

All matrices are (inputs, systems): one input's systems are side by side, as the input-level correlation reads them.
`cells` are `paired_metrics.Cells`.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled
from metaeval.generator import below, next_word
from metaeval.stats.correlating.coefficient_kernels import coefficient

SYSTEM, INPUT, GLOBAL = 0, 1, 2
SYSTEMS, INPUTS, CELLS, CROSSED = 0, 1, 2, 3

_ONE = np.uint64(1)
_SIZE = 1.0  # of standardised values, whose averages may be close to 0


@compiled
def correlate(x, z, has_x, has_z, level, which, room):
    """The correlation of a metric with the judgements at a level; `room` (4, cells) is scratch."""
    inputs, systems = x.shape
    a, b = room[0], room[1]
    if level == SYSTEM:
        n = 0
        for i in range(systems):
            sum_x = sum_z = 0.0
            count_x = count_z = 0
            for j in range(inputs):
                if has_x[j, i]:
                    sum_x += x[j, i]
                    count_x += 1
                if has_z[j, i]:
                    sum_z += z[j, i]
                    count_z += 1
            if count_x > 0 and count_z > 0:
                a[n] = sum_x / count_x
                b[n] = sum_z / count_z
                n += 1
        return coefficient(which, a, b, n, room[2], room[3], _SIZE)
    total, defined, n = 0.0, 0, 0
    for j in range(inputs):
        for i in range(systems):
            if has_x[j, i] and has_z[j, i]:
                a[n] = x[j, i]
                b[n] = z[j, i]
                n += 1
        if level == INPUT:
            value = coefficient(which, a, b, n, room[2], room[3])
            if not np.isnan(value):
                total += value
                defined += 1
            n = 0
    if level == GLOBAL:
        return coefficient(which, a, b, n, room[2], room[3])
    return total / defined if defined > 0 else np.nan


@compiled
def _bits(state, exact, index, count, bits):
    """`count` coin tosses: drawn, or the binary digits of the index."""
    word = np.uint64(index)
    for k in range(count):
        if not exact and k % 64 == 0:
            word = next_word(state)
        bits[k] = np.uint8(word & _ONE)
        word >>= _ONE


@compiled
def _tossed(state, exact, index, how, has, bits):
    """The tosses of exchange number `index`: one for each system, input, both, or non-missing cell."""
    inputs, systems = has.shape
    if how == SYSTEMS:
        count = systems
    elif how == INPUTS:
        count = inputs
    elif how == CROSSED:
        count = inputs + systems
    else:
        count = 0
        for j in range(inputs):
            for i in range(systems):
                count += has[j, i]
    _bits(state, exact, index, count, bits)


@compiled
def _exchange(how, cells, bits, p, q):
    """Write both metrics, exchanged according to the tosses, into p and q."""
    inputs, systems = cells.x.shape
    cell = 0
    for j in range(inputs):
        for i in range(systems):
            swap = np.uint8(0)
            if how == SYSTEMS:
                swap = bits[i]
            elif how == INPUTS:
                swap = bits[j]
            elif how == CROSSED:
                swap = bits[i] ^ bits[systems + j]
            elif cells.has[j, i]:
                swap = bits[cell]
                cell += 1
            p[j, i] = cells.y[j, i] if swap else cells.x[j, i]
            q[j, i] = cells.x[j, i] if swap else cells.y[j, i]


@compiled
def permuted(state, exact, start, stop, how, cells, level, which):
    """The difference of the two correlations under exchanges numbered `start` to `stop`: shape (stop - start,)."""
    x, y, z, has, has_z = cells
    inputs, systems = x.shape
    room = np.empty((4, max(inputs * systems, 1)))
    p, q = x.copy(), y.copy()
    bits = np.zeros(inputs * systems + inputs + systems, dtype=np.uint8)
    answer = np.empty(stop - start)
    for index in range(start, stop):
        _tossed(state, exact, index, how, has, bits)
        _exchange(how, cells, bits, p, q)
        answer[index - start] = correlate(p, z, has, has_z, level, which, room) - correlate(
            q, z, has, has_z, level, which, room
        )
    return answer


@compiled
def resampled(state, size, draw_systems, draw_inputs, cells, level, which):
    """Both correlations on `size` bootstrap samples of systems, inputs or both: shape (size, 2)."""
    x, y, z, has, has_z = cells
    inputs, systems = x.shape
    room = np.empty((4, max(inputs * systems, 1)))
    xs, ys, zs = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    hs, hzs = np.empty_like(has), np.empty_like(has)
    columns, rows = np.arange(systems), np.arange(inputs)
    answer = np.empty((size, 2))
    for at in range(size):
        if draw_systems:
            for i in range(systems):
                columns[i] = np.int64(below(state, np.uint64(systems)))
        if draw_inputs:
            for j in range(inputs):
                rows[j] = np.int64(below(state, np.uint64(inputs)))
        for j in range(inputs):
            row = rows[j]
            for i in range(systems):
                column = columns[i]
                xs[j, i] = x[row, column]
                ys[j, i] = y[row, column]
                zs[j, i] = z[row, column]
                hs[j, i] = has[row, column]
                hzs[j, i] = has_z[row, column]
        answer[at, 0] = correlate(xs, zs, hs, hzs, level, which, room)
        answer[at, 1] = correlate(ys, zs, hs, hzs, level, which, room)
    return answer
