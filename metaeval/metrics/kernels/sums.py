"""The one pass over P and Q, a block of rows at a time, that feeds every metric based on sums.

Logarithms dominate its cost: six per cell in a multilabel task, three in a multiclass one. `_log2` is
written so that the compiler turns a loop over cells into vector instructions, which needs a form without
branches. A block's values are first written to a buffer that stays in the cache, cell by cell, and summed from
there, class by class, always in the order of the rows.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import fused, inlined

HUMAN_MASS, PREDICTED_MASS, OVERLAP, HARD_HUMAN, HARD_PREDICTED, HARD_BOTH = range(6)
TALLIES = 6

MEAN_X, MEAN_Y, MOMENT_XX, MOMENT_YY, MOMENT_XY, LOW_X, HIGH_X, LOW_Y, HIGH_Y, JSD = range(10)
JS_DISTANCE, CROSS_ENTROPY, UNCOVERED, ENTROPY_GAP = range(10, 14)
INFORMATION = 14

_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
_ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
_TO_ROOT_HALF = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
_EXPONENT = np.uint64(52)
_MAGIC = np.uint64(0x4330000000000000)  # 2^52: turns an integer in its low bits into a double
_MAGIC_AND_BIAS = 4503599627370496.0 + 1023.0
_LOG2_E = 1.4426950408889634
_LN_2 = 0.6931471805599453

_NEAR = 1e-4
"""A divergence below this, in bits, is recomputed from the differences, to avoid cancellation."""


@inlined
def _log2(x):
    """log2 x within 2e-15 for normal x; a finite number (-1023) for 0, so that 0 log 0 = 0 needs no branch.

    The mantissa is scaled to [sqrt(1/2), sqrt(2)), and its logarithm computed as that of (1 + s) / (1 - s), with the
    minimax polynomial in s^2 of the FreeBSD libm (Sun Microsystems 1993).
    """
    bits = np.float64(x).view(np.uint64) + _TO_ROOT_HALF
    exponent = np.uint64((bits >> _EXPONENT) | _MAGIC).view(np.float64) - _MAGIC_AND_BIAS
    f = np.uint64((bits & _MANTISSA) + _ROOT_HALF).view(np.float64) - 1.0
    s = f / (2.0 + f)
    z = s * s
    r = 1.531383769920937332e-01 + z * 1.479819860511658591e-01
    r = 2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * r)
    r = 3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * r)
    r = z * (6.666666666666735130e-01 + z * r)
    return exponent + (f - s * (f - r)) * _LOG2_E


@inlined
def _binary_entropy(x):
    y = 1.0 - x
    return -(x * _log2(x) + y * _log2(y))


@fused
def wrong_cells(matrix):
    """How many cells are not within [0, 1]; NaN counts as outside."""
    cells = matrix.reshape(-1)
    count = 0
    for i in range(cells.size):
        count += not (0.0 <= cells[i] <= 1.0)
    return count


@fused
def wrong_rows(matrix, tolerance):
    """How many rows do not sum to 1."""
    count = 0
    for i in range(len(matrix)):
        total = 0.0
        for k in range(matrix.shape[1]):
            total += matrix[i, k]
        count += not (abs(total - 1.0) <= tolerance)
    return count


@fused
def tally_multilabel(P, Q, out):
    """Add a block's masses, overlaps and counts of values above 0.5 to `out` (6, K)."""
    rows, labels = P.shape
    for i in range(rows):
        for k in range(labels):
            p, q = P[i, k], Q[i, k]
            out[HUMAN_MASS, k] += p
            out[PREDICTED_MASS, k] += q
            out[OVERLAP, k] += min(p, q)
            marked_p = 1.0 if p > 0.5 else 0.0
            marked_q = 1.0 if q > 0.5 else 0.0
            out[HARD_HUMAN, k] += marked_p
            out[HARD_PREDICTED, k] += marked_q
            out[HARD_BOTH, k] += marked_p * marked_q


@fused
def tally_multiclass(P, Q, out):
    """The same with one label per instance, the first of the highest."""
    rows, labels = P.shape
    for i in range(rows):
        top_p, top_q = 0, 0
        for k in range(labels):
            p, q = P[i, k], Q[i, k]
            out[HUMAN_MASS, k] += p
            out[PREDICTED_MASS, k] += q
            out[OVERLAP, k] += min(p, q)
            if p > P[i, top_p]:
                top_p = k
            if q > Q[i, top_q]:
                top_q = k
        out[HARD_HUMAN, top_p] += 1.0
        out[HARD_PREDICTED, top_q] += 1.0
        if top_p == top_q:
            out[HARD_BOTH, top_p] += 1.0


@fused
def cell_entropies(P, out):
    """H([p, 1 - p]) in bits of every cell."""
    cells, bits = P.reshape(-1), out.reshape(-1)
    for i in range(cells.size):
        bits[i] = _binary_entropy(cells[i])


@fused
def row_entropies(P, scratch, out):
    """H(P_i) in bits of every row, into `out` (rows,)."""
    cells, terms = P.reshape(-1), scratch.reshape(-1)
    for i in range(cells.size):
        terms[i] = cells[i] * _log2(cells[i])
    for i in range(len(P)):
        total = 0.0
        for k in range(P.shape[1]):
            total += scratch[i, k]
        out[i] = -total


@fused
def inform_multilabel(P, Q, human, predicted, middle, out):
    """Divergences and co-moments of the entropies of a block, into `out` (14, K).

    human: the entropies of P's cells; predicted, middle: buffers for those of Q and the divergences.
    """
    p, q = P.reshape(-1), Q.reshape(-1)
    x, y, divergence = human.reshape(-1), predicted.reshape(-1), middle.reshape(-1)
    for i in range(p.size):
        y[i] = _binary_entropy(q[i])
        divergence[i] = max(_binary_entropy((p[i] + q[i]) * 0.5) - (x[i] + y[i]) * 0.5, 0.0)
    rows, labels = P.shape
    for i in range(rows):
        for k in range(labels):
            out[JSD, k] += middle[i, k]
    _comoments(human, predicted, out)


@fused
def _comoments(x, y, out):
    """Means, centred second moments and bounds of two blocks (rows, K), into the rows of `out`."""
    rows, labels = x.shape
    for k in range(labels):
        out[LOW_X, k] = out[LOW_Y, k] = np.inf
        out[HIGH_X, k] = out[HIGH_Y, k] = -np.inf
    for i in range(rows):
        for k in range(labels):
            out[MEAN_X, k] += x[i, k]
            out[MEAN_Y, k] += y[i, k]
            out[LOW_X, k] = min(out[LOW_X, k], x[i, k])
            out[HIGH_X, k] = max(out[HIGH_X, k], x[i, k])
            out[LOW_Y, k] = min(out[LOW_Y, k], y[i, k])
            out[HIGH_Y, k] = max(out[HIGH_Y, k], y[i, k])
    for k in range(labels):
        out[MEAN_X, k] /= rows
        out[MEAN_Y, k] /= rows
    for i in range(rows):
        for k in range(labels):
            dx = x[i, k] - out[MEAN_X, k]
            dy = y[i, k] - out[MEAN_Y, k]
            out[MOMENT_XX, k] += dx * dx
            out[MOMENT_YY, k] += dy * dy
            out[MOMENT_XY, k] += dx * dy


@fused
def near_divergence(p, q):
    """JSD(p, q) in nats of two rows that nearly agree, to full relative precision.

    With x = (p - q) / (p + q), a cell adds (p + q) / 2 times ((1 + x) log(1 + x) + (1 - x) log(1 - x)) / 2, which
    for small x is the series x^2 / 2 + x^4 / 12 + x^6 / 30 + ..., the n-th denominator being 2n (2n - 1).
    """
    total = 0.0
    for k in range(len(p)):
        mass = p[k] + q[k]
        if mass > 0.0:
            x = (p[k] - q[k]) / mass
            square = x * x
            if square < 0.01:
                term = 0.0
                for n in range(9, 0, -1):
                    term = square * (term + 1.0 / (2 * n * (2 * n - 1)))
            elif square < 1.0:
                term = ((1.0 + x) * np.log1p(x) + (1.0 - x) * np.log1p(-x)) * 0.5
            else:
                term = _LN_2
            total += mass * 0.5 * term
    return total


@fused
def inform_multiclass(P, Q, human, predicted, logarithm, middle, out):
    """Divergences and co-moments of the rows' entropies of a block, into `out` (14, 1).

    human, predicted (rows, 1): H(P_i) and a buffer for H(Q_i), in bits; logarithm, middle: buffers (rows, K).
    """
    p, q = P.reshape(-1), Q.reshape(-1)
    logs, means = logarithm.reshape(-1), middle.reshape(-1)
    for i in range(p.size):
        m = (p[i] + q[i]) * 0.5
        logs[i] = _log2(q[i])
        means[i] = m * _log2(m)
    rows, labels = P.shape
    for i in range(rows):
        entropy_q = entropy_m = cross = 0.0
        covered = True
        for k in range(labels):
            entropy_q -= Q[i, k] * logarithm[i, k]
            entropy_m -= middle[i, k]
            cross -= P[i, k] * logarithm[i, k]
            covered &= Q[i, k] > 0.0 or P[i, k] == 0.0
        predicted[i, 0] = entropy_q
        divergence = entropy_m - (human[i, 0] + entropy_q) * 0.5
        if divergence < _NEAR:
            divergence = near_divergence(P[i], Q[i]) * _LOG2_E
        out[JSD, 0] += divergence
        out[JS_DISTANCE, 0] += np.sqrt(divergence)
        out[CROSS_ENTROPY, 0] += cross
        out[UNCOVERED, 0] += not covered
        out[ENTROPY_GAP, 0] += abs(entropy_q - human[i, 0])
    _comoments(human, predicted, out)
