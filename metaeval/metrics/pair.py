"""The door: human and predicted distributions are checked here, once, and metrics meet only what passed.

A `Pair` also owns the sums that several metrics share. They are computed on first use, each once, by blocks
of rows that fit the cache, so that no metric makes N x K temporaries of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

Task = Literal["multiclass", "multilabel", "ordinal"]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

SIMPLEX_TOLERANCE = 1e-3
"""How far a row of a multiclass distribution may be from summing to 1 (files round their numbers)."""

RANGE_TOLERANCE = 1e-9
"""How far rounding may carry a share over 0 or 1 before it is an error; within it the value is clipped."""

_BLOCK_CELLS = 1 << 15


class DistributionError(ValueError):
    """The matrices are not what a metric can take. The message says what was passed and what was expected."""


@dataclass(frozen=True)
class HardCounts:
    """Per class: how many instances carry it in P, in Q and in both, once hardened."""

    human: Vector
    predicted: Vector
    both: Vector


@dataclass(frozen=True)
class Pair:
    """P and Q of one system, (N, K) float64 in [0, 1], and the sums over instances that metrics share."""

    P: Matrix
    Q: Matrix
    task: Task
    zero_division: float = 1.0
    names: tuple[str, ...] = ()
    """The labels' names, if the caller gave them: reasons then speak of labels as people know them."""

    @property
    def instances(self) -> int:
        return len(self.P)

    @property
    def labels(self) -> int:
        return int(self.P.shape[1])

    @property
    def is_multilabel(self) -> bool:
        return self.task == "multilabel"

    def blocks(self) -> Iterator[tuple[Matrix, Matrix]]:
        """Rows of P and Q, a cache-sized block at a time."""
        step = max(1, _BLOCK_CELLS // self.labels)
        for start in range(0, self.instances, step):
            yield self.P[start : start + step], self.Q[start : start + step]

    @cached_property
    def human_mass(self) -> Vector:
        """sum_i P_ik, shape (K,)."""
        return cast(Vector, self.P.sum(axis=0))

    @cached_property
    def predicted_mass(self) -> Vector:
        """sum_i Q_ik, shape (K,)."""
        return cast(Vector, self.Q.sum(axis=0))

    @cached_property
    def overlap(self) -> Vector:
        """sum_i min(P_ik, Q_ik), shape (K,)."""
        total = np.zeros(self.labels)
        for p, q in self.blocks():
            total += np.minimum(p, q).sum(axis=0)
        return total

    @cached_property
    def hard_counts(self) -> HardCounts:
        """Counts after hardening: the first argmax (multiclass), or every label above 0.5 (multilabel)."""
        human, predicted, both = (np.zeros(self.labels) for _ in range(3))
        for p, q in self.blocks():
            marked_p, marked_q = self._harden(p), self._harden(q)
            human += marked_p.sum(axis=0)
            predicted += marked_q.sum(axis=0)
            both += (marked_p & marked_q).sum(axis=0)
        return HardCounts(human, predicted, both)

    def _harden(self, rows: Matrix) -> npt.NDArray[np.bool_]:
        if self.is_multilabel:
            return rows > 0.5
        first: npt.NDArray[np.bool_] = np.arange(self.labels) == rows.argmax(axis=1)[:, None]
        return first


def checked_task(task: str) -> Task:
    """`task`, if it is one; raises `DistributionError` otherwise."""
    if task not in get_args(Task):
        expected = ", ".join(get_args(Task))
        msg = f"task is {task!r}; expected one of {expected}"
        raise DistributionError(msg)
    return cast(Task, task)


def checked_matrix(name: str, values: npt.ArrayLike, task: Task) -> Matrix:
    """`values` as a C-ordered float64 matrix of distributions, or an `DistributionError` naming `name`."""
    try:
        matrix = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} cannot be read as a matrix of numbers: {error}"
        raise DistributionError(msg) from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        msg = f"{name} has shape {matrix.shape}; expected (instances, labels), neither of them 0"
        raise DistributionError(msg)
    if task != "multilabel" and matrix.shape[1] < 2:
        msg = f"{name} has 1 label; a {task} task needs at least 2"
        raise DistributionError(msg)
    low, high = float(matrix.min()), float(matrix.max())
    if not (low >= 0.0 and high <= 1.0):  # written so that NaN, which compares with nothing, comes in here too
        _refuse_range(name, matrix)
        matrix = matrix.clip(0.0, 1.0)
    if task != "multilabel":
        sums = matrix.sum(axis=1)
        wrong = np.flatnonzero(np.abs(sums - 1.0) > SIMPLEX_TOLERANCE)
        if wrong.size:
            msg = (
                f"row {wrong[0]} of {name} sums to {sums[wrong[0]]:.6g}"
                f"{_and_more(wrong.size)}; rows of a {task} task sum to 1 (tolerance {SIMPLEX_TOLERANCE:g})"
            )
            raise DistributionError(msg)
    return matrix


def checked_pair(P: Matrix, Q: Matrix, task: Task, zero_division: float, names: Sequence[str] = ()) -> Pair:
    """Two matrices that passed `checked_matrix`, of one shape, as a `Pair`."""
    if P.shape != Q.shape:
        msg = f"P has shape {P.shape}, Q has shape {Q.shape}; expected one shape (instances, labels) for both"
        raise DistributionError(msg)
    if names and len(names) != P.shape[1]:
        msg = f"{len(names)} names of labels for {P.shape[1]} columns of P"
        raise DistributionError(msg)
    return Pair(P, Q, task, float(zero_division), tuple(names))


def _refuse_range(name: str, matrix: Matrix) -> None:
    for bad, what in (
        (np.isnan(matrix), "is NaN"),
        ((matrix < -RANGE_TOLERANCE) | (matrix > 1 + RANGE_TOLERANCE), "is outside [0, 1]"),
    ):
        where = np.argwhere(bad)
        if where.size:
            i, k = where[0]
            more = _and_more(len(where))
            msg = f"{name}[{i}, {k}] = {matrix[i, k]:g} {what}{more}; expected values in [0, 1]"
            raise DistributionError(msg)


def _and_more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
