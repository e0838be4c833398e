"""Metrics of human uncertainty: does the system hesitate where people do?"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .pair import Matrix, Pair, Vector
from .registry import EVERY_TASK, metric
from .value import undefined

Flags = npt.NDArray[np.bool_]

CONSTANT = 1e-12
"""Normalised entropies that differ by less are one value: rounding alone separates equal ones by about
1e-16."""


@metric(
    title="Entropy correlation",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    range=(-1.0, 1.0),
    source="Kurniawan et al. 2025, section 3.4",
    works_per_item=False,
)
def entropy_correlation(pair: Pair) -> float:
    """Pearson correlation, over instances, of the entropy of the human and of the predicted distribution.

    Formula: r_i(H(P_i) / log K, H(Q_i) / log K) for a multiclass task; (1/K) sum_k r_i(H([P_ik, 1 - P_ik]),
    H([Q_ik, 1 - Q_ik])) for a multilabel one.
    Takes P, Q of shape (N, K) and the task; returns a value in [-1, 1]. Undefined (NaN with the reason)
    where the entropies of P or of Q are constant, in a multilabel task already where those of one label are.

    >>> entropy_correlation([[1, 0], [0.5, 0.5], [0.8, 0.2]], [[1, 0], [0.5, 0.5], [0.2, 0.8]], task="multiclass")
    1.0
    >>> entropy_correlation([[1, 0], [0.5, 0.5]], [[0.9, 0.1], [0.1, 0.9]], task="multiclass")
    MetricValue(nan, 'the entropy of Q is the same for every instance')
    """
    moments = Comoments(pair.labels if pair.is_multilabel else 1)
    for p, q in pair.blocks():
        if pair.is_multilabel:
            moments.add(binary_entropy(p), binary_entropy(q))
        else:
            scale = np.log2(pair.labels)
            moments.add(entropy(p)[:, None] / scale, entropy(q)[:, None] / scale)
    for name, constant in (("P", moments.x_is_constant), ("Q", moments.y_is_constant)):
        labels = np.flatnonzero(constant)
        if labels.size:
            return undefined(f"the entropy of {name} is the same for every instance{_where(pair, labels)}")
    return float(moments.correlations().mean())


def surprisal(x: Matrix) -> Matrix:
    """-x log2 x, with 0 log 0 = 0."""
    logarithm = np.zeros_like(x)
    np.log2(x, out=logarithm, where=x > 0)
    logarithm *= -x
    return logarithm


def entropy(rows: Matrix) -> Vector:
    """H(row) in bits, one for every row: shape (N,)."""
    bits: Vector = surprisal(rows).sum(axis=1)
    return bits


def binary_entropy(cells: Matrix) -> Matrix:
    """H([x, 1 - x]) in bits, one for every cell: shape (N, K)."""
    return surprisal(cells) + surprisal(1.0 - cells)


@dataclass
class Comoments:
    """Means, centred second moments and bounds of two (N, K) streams, column by column.

    Blocks are merged by the pairwise update of Chan, Golub and LeVeque (1983), which keeps full precision
    where the sum of squares would cancel.
    """

    columns: int
    count: int = 0
    means: Matrix = field(init=False)
    moments: Matrix = field(init=False)
    lows: Matrix = field(init=False)
    highs: Matrix = field(init=False)

    def __post_init__(self) -> None:
        self.means = np.zeros((2, self.columns))
        self.moments = np.zeros((3, self.columns))  # xx, yy, xy
        self.lows = np.full((2, self.columns), np.inf)
        self.highs = np.full((2, self.columns), -np.inf)

    def add(self, x: Matrix, y: Matrix) -> None:
        """Take in a block of rows."""
        rows, total = len(x), self.count + len(x)
        means = np.array([x.mean(axis=0), y.mean(axis=0)])
        dx, dy = x - means[0], y - means[1]
        shift_x, shift_y = means - self.means
        weight = self.count * rows / total
        products = ((dx, dx, shift_x, shift_x), (dy, dy, shift_y, shift_y), (dx, dy, shift_x, shift_y))
        for kind, (a, b, shift_a, shift_b) in enumerate(products):
            self.moments[kind] += np.einsum("ik,ik->k", a, b) + shift_a * shift_b * weight
        self.means += np.array([shift_x, shift_y]) * (rows / total)
        self.lows = np.minimum(self.lows, [x.min(axis=0), y.min(axis=0)])
        self.highs = np.maximum(self.highs, [x.max(axis=0), y.max(axis=0)])
        self.count = total

    @property
    def x_is_constant(self) -> Flags:
        return self._constant()[0]

    @property
    def y_is_constant(self) -> Flags:
        return self._constant()[1]

    def _constant(self) -> tuple[Flags, Flags]:
        x, y = self.highs - self.lows < CONSTANT
        return x, y

    def correlations(self) -> Vector:
        """Pearson r of every column."""
        xx, yy, xy = self.moments
        r: Vector = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
        return r


def _where(pair: Pair, labels: npt.NDArray[np.intp]) -> str:
    if not pair.is_multilabel:
        return ""
    more = f" and {labels.size - 1} more" if labels.size > 1 else ""
    first = f"label {pair.names[labels[0]]!r}" if pair.names else f"label {labels[0]} (counted from 0)"
    return f" in {first}{more}"
