"""Human and predicted distributions are checked here, once; metrics only see what passed.

A `Pair` also owns the sums that several metrics share. They are computed on first use, by one pass over P and the Qs of
any number of systems: each block of rows is read once and feeds every sum, so no metric creates N x K temporaries of
its own. The size of a block depends only on the number of labels; as many threads as there are processors share them,
and the blocks' results are merged in order. So the result does not depend on the number of threads, and apart from P
and Q only a few blocks are in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal, Self, cast, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix, Vector
from metaeval.checking import shown
from metaeval.frames import aligned, column_names
from metaeval.rounding import is_one_value
from metaeval.sampling import Steps
from metaeval.threads import in_threads

Reads = Literal["", "tallies", "information"]
"""What a metric needs from the passes: nothing, the tallies (no logarithms), or everything."""

BLOCK_CELLS = 1 << 15

Task = Literal["multiclass", "multilabel", "ordinal"]
SIMPLEX_TOLERANCE = 1e-3
"""How far a row of a multiclass distribution may be from summing to 1 (files round their numbers)."""
RANGE_TOLERANCE = 1e-9
"""How far a share may be below 0 or above 1 by rounding before it is an error; within this, it is clipped."""


@dataclass(frozen=True)
class Tallies:
    """Sums over instances for each class, shape (K,): masses sum_i P_ik and sum_i Q_ik, overlap sum_i min(P_ik, Q_ik),
    and how many instances have the class in P, in Q and in both, once hardened (the first argmax, or above 0.5)."""

    human_mass: Vector
    predicted_mass: Vector
    overlap: Vector
    hard_human: Vector
    hard_predicted: Vector
    hard_both: Vector


@dataclass(frozen=True)
class Information:
    """Sums in bits. The entropies x of P and y of Q belong to rows (multiclass: one column) or cells (K columns)."""

    instances: int
    divergence: float
    """Sum of JSD over rows (multiclass) or cells (multilabel)."""
    distance: float
    """Sum over rows of the square root of JSD; multiclass only, like those that follow."""
    cross_entropy: float
    uncovered: int
    """Instances where Q gives no probability to a class that P has."""
    entropy_gap: float
    means: Matrix
    """(2, columns): means of x and y."""
    moments: Matrix
    """(3, columns): centred sums of xx, yy, xy."""
    spans: Matrix
    """(2, columns): highest minus lowest x and y."""

    def constant(self, scale: float) -> tuple[Mask, Mask]:
        """Which columns of x and of y do not vary; `scale` is the highest possible entropy."""
        x, y = is_one_value(0.0, self.spans, scale)
        return x, y

    def correlations(self) -> Vector:
        """Pearson r of every column."""
        xx, yy, xy = self.moments
        r: Vector = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
        return r

    def raw_moments(self) -> Matrix:
        """(3, columns): uncentred sums of xx, yy and xy."""
        x, y = self.means
        raw: Matrix = self.moments + self.instances * np.array([x * x, y * y, x * y])
        return raw


@dataclass(frozen=True)
class Sums:
    """The results of one pass for one system."""

    tallies: Tallies
    information: Information | None


def one_pass(P: Matrix, Q: Matrix, is_multilabel: bool, reads: Reads, threads: int | None = None) -> Sums:
    """The sums of one system."""
    return shared_pass(P, [Q], is_multilabel, reads, threads=threads)[0]


def shared_pass(
    P: Matrix,
    Qs: Sequence[Matrix],
    is_multilabel: bool,
    reads: Reads,
    progress: Steps | None = None,
    *,
    threads: int | None = None,
) -> list[Sums]:
    """The sums of several systems, reading P and computing its entropies once. `progress(done, total)` counts blocks;
    `threads` defaults to the number of processors."""
    blocks = list(_blocks(P))
    work = _informed if reads == "information" else _tallied
    parts: list[list[Matrix]] = [[] for _ in Qs]
    with closing(in_threads(lambda rows: work(P, Qs, is_multilabel, rows), blocks, threads)) as answers:
        for done, part in enumerate(answers, start=1):
            for mine, block in zip(parts, part, strict=True):
                mine.append(block)
            if progress is not None:
                progress(done, len(blocks))  # may raise to cancel; then nothing more is started
    sizes = np.array([rows.stop - rows.start for rows in blocks], dtype=np.float64)
    return [_merged(np.array(mine), sizes, is_multilabel, reads) for mine in parts]


def count_wrong(matrix: Matrix, simplex: float | None) -> tuple[int, int]:
    """How many cells are not within [0, 1] and, given a tolerance, how many rows do not sum to 1."""
    from .kernels import loops

    def look(rows: slice) -> tuple[int, int]:
        block = matrix[rows]
        return loops.wrong_cells(block), 0 if simplex is None else loops.wrong_rows(block, simplex)

    cells, rows = zip(*in_threads(look, list(_blocks(matrix, 64))), strict=True)
    return sum(cells), sum(rows)


def _blocks(matrix: Matrix, times: int = 1) -> Iterator[slice]:
    step = max(1, times * BLOCK_CELLS // matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield slice(start, min(start + step, len(matrix)))


def _tallied(P: Matrix, Qs: Sequence[Matrix], is_multilabel: bool, rows: slice) -> list[Matrix]:
    from .kernels import loops

    tally = loops.tally_multilabel if is_multilabel else loops.tally_multiclass
    tallies = []
    for Q in Qs:
        out = np.zeros((loops.TALLIES, P.shape[1]))
        tally(P[rows], Q[rows], out)
        tallies.append(out)
    return tallies


def _informed(P: Matrix, Qs: Sequence[Matrix], is_multilabel: bool, rows: slice) -> list[Matrix]:
    from .kernels import loops

    p = P[rows]
    labels = p.shape[1]
    tallies = _tallied(P, Qs, is_multilabel, rows)
    middle, logarithm = np.empty_like(p), np.empty_like(p)
    human = np.empty_like(p) if is_multilabel else np.empty((len(p), 1))
    predicted = np.empty_like(human)
    if is_multilabel:
        loops.cell_entropies(p, human)
    else:
        loops.row_entropies(p, middle, human[:, 0])
    blocks = []
    for Q, tally in zip(Qs, tallies, strict=True):
        out = np.zeros((loops.TALLIES + loops.INFORMATION, labels))
        out[: loops.TALLIES] = tally
        information = out[loops.TALLIES :]
        if is_multilabel:
            loops.inform_multilabel(p, Q[rows], human, predicted, middle, information)
        else:
            loops.inform_multiclass(p, Q[rows], human, predicted, logarithm, middle, information)
        blocks.append(out)
    return blocks


def _merged(parts: Matrix, sizes: Vector, is_multilabel: bool, reads: Reads) -> Sums:
    """The blocks' sums merged; means and centred moments by the update of Chan, Golub and LeVeque (1983)."""
    from .kernels import loops

    tallies = Tallies(*parts[:, : loops.TALLIES].sum(axis=0))
    if reads != "information":
        return Sums(tallies, None)
    rows = parts[:, loops.TALLIES :].swapaxes(0, 1)  # (14, blocks, K)
    if not is_multilabel:
        rows = rows[:, :, :1]  # a row has one entropy, whatever the number of classes
    x, y = rows[loops.MEAN_X], rows[loops.MEAN_Y]
    weights = sizes[:, None]
    mean_x, mean_y = ((weights * mean).sum(axis=0) / sizes.sum() for mean in (x, y))
    dx, dy = x - mean_x, y - mean_y
    between = [(weights * product).sum(axis=0) for product in (dx * dx, dy * dy, dx * dy)]
    within = rows[loops.MOMENT_XX : loops.MOMENT_XY + 1].sum(axis=1)
    low_x, low_y = rows[loops.LOW_X].min(axis=0), rows[loops.LOW_Y].min(axis=0)
    high_x, high_y = rows[loops.HIGH_X].max(axis=0), rows[loops.HIGH_Y].max(axis=0)
    return Sums(
        tallies,
        Information(
            instances=int(sizes.sum()),
            divergence=float(rows[loops.JSD].sum()),
            distance=float(rows[loops.JS_DISTANCE].sum()),
            cross_entropy=float(rows[loops.CROSS_ENTROPY].sum()),
            uncovered=int(rows[loops.UNCOVERED].sum()),
            entropy_gap=float(rows[loops.ENTROPY_GAP].sum()),
            means=np.array([mean_x, mean_y]),
            moments=within + np.array(between),
            spans=np.array([high_x - low_x, high_y - low_y]),
        ),
    )


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
        for rows in _blocks(self.P):
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
