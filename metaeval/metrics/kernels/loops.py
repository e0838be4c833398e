"""The compiled loops of the metrics: the one pass over P and Q, a block of rows at a time, that feeds every metric
based on sums, and draws from symmetric Dirichlet distributions, fast enough not to slow down a simulation.

Logarithms dominate the pass's cost: six per cell in a multilabel task, three in a multiclass one. `_log2` is written so
that the compiler turns a loop over cells into vector instructions, which needs a form without branches. A block's
values are first written to a buffer that stays in the cache, cell by cell, and summed from there, class by class,
always in the order of the rows.

A row of a Dirichlet distribution is a vector of Gamma variates divided by their sum. These are drawn by the method of
Marsaglia and Tsang (2000) from normal variates (Box and Muller 1958) and uniform ones (`LANES` generators side by
side). All steps except the few rejections are loops without branches, which become vector instructions.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import fused, inlined
from metaeval.generator import step

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

LANES = 32
"""Generators side by side; buffer sizes are multiples of twice this."""

_MANTISSA_SHIFT = np.uint64(12)
_ONE = np.uint64(0x3FF0000000000000)
_SIGN_A, _SIGN_B, _SWAP = np.uint64(1), np.uint64(2), np.uint64(4)
_HALF_STEP = 2.0**-53
_MINUS_2_LN_2 = -1.3862943611198906
_QUARTER_PI = 0.7853981633974483


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


@inlined
def _unit(bits):
    """The upper 52 bits as a number in (0, 1)."""
    return np.uint64((bits >> _MANTISSA_SHIFT) | _ONE).view(np.float64) - 1.0 + _HALF_STEP


@fused
def fill_words(state, words):
    """The next 64-bit words of all lanes; state (4, LANES), words a multiple of LANES."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    for start in range(0, len(words), LANES):
        out = words[start : start + LANES]
        for lane in range(LANES):
            out[lane], a[lane], b[lane], c[lane], d[lane] = step(a[lane], b[lane], c[lane], d[lane])


@fused
def fill_normals(state, words, normals):
    """Standard normal variates, two from two words: radius sqrt(-2 log u), and an angle.

    The angle is drawn from [-pi/4, pi/4], where short series give sine and cosine; swapping the two and choosing
    their signs by three bits that the radius has not used covers the circle.
    """
    fill_words(state, words)
    half = len(normals) // 2
    for i in range(half):
        bits = words[i]
        radius = np.sqrt(_MINUS_2_LN_2 * _log2(_unit(bits)))
        x = (2.0 * _unit(words[half + i]) - 1.0) * _QUARTER_PI
        z = x * x
        sine = 1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800))))
        sine = x * (1.0 + z * (-1.0 / 6 + z * sine))
        cosine = -1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600)))
        cosine = 1.0 + z * (-0.5 + z * (1.0 / 24 + z * cosine))
        swap = (bits & _SWAP) != 0
        u = sine if swap else cosine
        v = cosine if swap else sine
        normals[i] = radius * (u if (bits & _SIGN_A) != 0 else -u)
        normals[half + i] = radius * (v if (bits & _SIGN_B) != 0 else -v)


@fused
def _boost(words, shape, powers, gammas):
    """Multiply by u^(1 / shape); by squaring and multiplying if 1 / shape is an integer."""
    for i in range(len(gammas)):
        powers[i] = _unit(words[i])
    exponent = 1.0 / shape
    whole = np.int64(np.rint(exponent))
    if abs(exponent - whole) > 1e-12:
        for i in range(len(gammas)):
            gammas[i] *= powers[i] ** exponent
        return
    while whole > 0:
        if whole & 1:
            for i in range(len(gammas)):
                gammas[i] *= powers[i]
        for i in range(len(gammas)):
            powers[i] *= powers[i]
        whole >>= 1


@fused
def fill_gammas(state, shape, words, normals, gammas):
    """Gamma(shape) variates for shape >= 0.1; below 1, those of shape + 1 times u^(1 / shape).

    A normal x and a uniform u give d (1 + c x)^3 if log u < x^2/2 + d - d v + d log v, v = (1 + c x)^3; the squeeze
    u < 1 - 0.0331 x^4 decides nearly all without a logarithm.
    """
    boosted = shape < 1.0
    d = (shape + 1.0 if boosted else shape) - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    fill_normals(state, words, normals)
    fill_words(state, words)
    for i in range(len(gammas)):
        x = normals[i]
        root = 1.0 + c * x
        square = x * x
        sure = (root > 0.0) & (_unit(words[i]) < 1.0 - 0.0331 * square * square)
        gammas[i] = d * root * root * root if sure else -1.0
    spare_words = np.empty(2 * LANES, dtype=np.uint64)
    spare = np.empty(2 * LANES)
    used = 2 * LANES
    for i in range(len(gammas)):
        if gammas[i] < 0.0:
            x, u = normals[i], _unit(words[i])
            while True:
                v = (1.0 + c * x) ** 3
                if v > 0.0 and np.log(u) < 0.5 * x * x + d * (1.0 - v + np.log(v)):
                    break
                if used == 2 * LANES:
                    fill_normals(state, spare_words, spare)
                    fill_words(state, spare_words)
                    used = 0
                x, u = spare[used], _unit(spare_words[used])
                used += 1
            gammas[i] = d * v
    if boosted:
        fill_words(state, words)
        _boost(words, shape, normals, gammas)


@fused
def fill_dirichlet(state, shape, words, normals, gammas, matrix):
    """Rows of the symmetric Dirichlet distribution with the concentration `shape`, into `matrix` (rows, labels).

    words, normals, gammas: buffers whose sizes are multiples of 2 * LANES.
    """
    cells = matrix.reshape(-1)
    size = len(gammas)
    for start in range(0, len(cells), size):
        fill_gammas(state, shape, words, normals, gammas)
        count = min(size, len(cells) - start)
        for i in range(count):
            cells[start + i] = gammas[i]
    rows, labels = matrix.shape
    for i in range(rows):
        total = 0.0
        for k in range(labels):
            total += matrix[i, k]
        share = 1.0 / total
        for k in range(labels):
            matrix[i, k] *= share
