"""Human and predicted distributions are checked here, once; metrics only see what passed.

A `Pair` also owns the sums that several metrics share. They are computed on first use, by one pass over blocks
of rows that fit the cache (`sums`), so no metric creates N x K temporaries of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal, Self, cast, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix, Vector
from metaeval.checking import shown
from metaeval.frames import aligned, column_names

from .sums import Information, Sums, Tallies, count_wrong, one_pass

Task = Literal["multiclass", "multilabel", "ordinal"]

SIMPLEX_TOLERANCE = 1e-3
"""How far a row of a multiclass distribution may be from summing to 1 (files round their numbers)."""

RANGE_TOLERANCE = 1e-9
"""How far a share may be below 0 or above 1 by rounding before it is an error; within this, it is clipped."""

_BLOCK_CELLS = 1 << 15


class DistributionError(ValueError):
    """The matrices are not valid input for a metric. The message says what was passed and what was expected."""


@dataclass(frozen=True)
class Pair:
    """The checked distributions of one system, and the sums over instances that metrics share.

    A metric's definition takes a `Pair`. The sums are computed on first use.

    Attributes
    ----------
    P, Q : ndarray, shape (N, K)
        Human and predicted distributions, float64 in [0, 1].
    task : {'multiclass', 'multilabel', 'ordinal'}
        Kind of task.
    zero_division : float
        The value of 0/0 in an F1 score.
    names : tuple of str
        Names of the labels, if the caller gave them, for use in reasons.
    tallies : Tallies
        Masses, overlaps and hard counts, one per label.
    information : Information
        Sums of divergences and the co-moments of the entropies.
    """

    P: Matrix
    Q: Matrix
    task: Task
    zero_division: float = 1.0
    names: tuple[str, ...] = ()

    @property
    def instances(self) -> int:
        return len(self.P)

    @property
    def labels(self) -> int:
        return int(self.P.shape[1])

    @property
    def is_multilabel(self) -> bool:
        return self.task == "multilabel"

    def blocks(self) -> Iterator[Pair]:
        """The pair's rows in cache-sized blocks, so that temporaries stay small."""
        step = max(1, _BLOCK_CELLS // self.labels)
        for start in range(0, self.instances, step):
            rows = slice(start, start + step)
            yield replace(self, P=self.P[rows], Q=self.Q[rows])

    def items(self, values: Callable[[Pair], Vector]) -> Vector:
        """One value per instance, shape (N,), concatenated from all blocks."""
        return np.concatenate([values(block) for block in self.blocks()])

    def mean(self, values: Callable[[Pair], Vector]) -> float:
        """Mean over instances of `values`."""
        return float(self.items(values).mean())

    @cached_property
    def tallies(self) -> Tallies:
        """Masses, overlaps and hard counts, shape (K,) each."""
        return one_pass(self.P, self.Q, self.is_multilabel, "tallies").tallies

    @cached_property
    def information(self) -> Information:
        """Sums of divergences and the co-moments of the entropies."""
        sums = one_pass(self.P, self.Q, self.is_multilabel, "information")
        vars(self).setdefault("tallies", sums.tallies)  # computed by the same pass
        return cast(Information, sums.information)

    def know(self, sums: Sums) -> Self:
        """Store the sums that a pass over several systems computed for this one."""
        vars(self)["tallies"] = sums.tallies
        if sums.information is not None:
            vars(self)["information"] = sums.information
        return self


def checked_task(task: str) -> Task:
    """The kind of task, if it is one.

    Parameters
    ----------
    task : str
        The caller's word.

    Returns
    -------
    {'multiclass', 'multilabel', 'ordinal'}
        The same word.

    Raises
    ------
    DistributionError
        If it is none of the three.
    """
    if not isinstance(task, str) or task not in get_args(Task):
        expected = ", ".join(get_args(Task))
        msg = f"task is {shown(task)}; expected one of {expected}"
        raise DistributionError(msg)
    return cast(Task, task)


def checked_matrix(name: str, values: npt.ArrayLike, task: Task) -> Matrix:
    """`values` as a C-ordered float64 matrix of distributions, or a `DistributionError` naming `name`."""
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
    simplex = None if task == "multilabel" else SIMPLEX_TOLERANCE
    cells, rows = count_wrong(matrix, simplex)
    if cells:
        _refuse_range(name, matrix)
        matrix = matrix.clip(0.0, 1.0)
    if rows:
        sums = matrix.sum(axis=1)
        wrong = np.flatnonzero(~(np.abs(sums - 1.0) <= SIMPLEX_TOLERANCE))
        first = int(wrong[0]) if wrong.size else 0
        msg = (
            f"row {first} of {name} sums to {sums[first]:.6g}"
            f"{_and_more(rows)}; rows of a {task} task sum to 1 (tolerance {SIMPLEX_TOLERANCE:g})"
        )
        raise DistributionError(msg)
    return matrix


def checked_input(
    P: npt.ArrayLike, Q: npt.ArrayLike, task: Task, zero_division: float = 1.0, names: Sequence[str] = ()
) -> Pair:
    """P and Q as a `Pair`, ready for a metric. Two DataFrames are matched by the names of their rows and columns, which
    also name the labels if the caller does not."""
    human, predicted = aligned(P=P, Q=Q)
    return checked_pair(
        checked_matrix("P", human, task),
        checked_matrix("Q", predicted, task),
        task,
        zero_division,
        names or column_names(P),
    )


def checked_pair(P: Matrix, Q: Matrix, task: Task, zero_division: float, names: Sequence[str] = ()) -> Pair:
    """Two matrices of the same shape that passed `checked_matrix`, as a `Pair`."""
    if P.shape != Q.shape:
        msg = f"P has shape {P.shape}, Q has shape {Q.shape}; expected one shape (instances, labels) for both"
        raise DistributionError(msg)
    if names and len(names) != P.shape[1]:
        msg = f"{len(names)} names of labels for {P.shape[1]} columns of P"
        raise DistributionError(msg)
    return Pair(P, Q, task, _checked_zero_division(zero_division), tuple(names))


def _checked_zero_division(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not (math.isnan(value) or 0 <= float(value) <= 1):
        msg = f"zero_division is {shown(value)}; expected a number in [0, 1], what 0/0 counts, or NaN for undefined"
        raise DistributionError(msg)
    return float(value)


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
