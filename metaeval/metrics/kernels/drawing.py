"""Draws from symmetric Dirichlet distributions, fast enough not to slow down a simulation.

A row is a vector of Gamma variates divided by their sum. These are drawn by the method of Marsaglia and Tsang (2000)
from normal variates (Box and Muller 1958) and uniform ones (`LANES` generators side by side). All steps except the few
rejections are loops without branches, which become vector instructions.
"""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import fused, inlined
from metaeval.generator import step

from .sums import _log2

LANES = 32
"""Generators side by side; buffer sizes are multiples of twice this."""

_MANTISSA_SHIFT = np.uint64(12)
_ONE = np.uint64(0x3FF0000000000000)
_SIGN_A, _SIGN_B, _SWAP = np.uint64(1), np.uint64(2), np.uint64(4)
_HALF_STEP = 2.0**-53
_MINUS_2_LN_2 = -1.3862943611198906
_QUARTER_PI = 0.7853981633974483


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
