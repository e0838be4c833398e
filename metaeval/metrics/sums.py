"""Passes over P and the Qs of any number of systems: each block of rows is read once and feeds every sum.

Rows are processed in blocks whose size depends only on the number of labels, by as many threads as there are
processors; the blocks' results are merged in order. So the result does not depend on the number of threads, and apart
from P and Q only a few blocks are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotations.ground.arrays import Mask, Matrix, Vector
from metaeval.rounding import is_one_value
from metaeval.sampling import Steps
from metaeval.threads import in_threads

Reads = Literal["", "tallies", "information"]
"""What a metric needs from the passes: nothing, the tallies (no logarithms), or everything."""

BLOCK_CELLS = 1 << 15


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
            for mine, found in zip(parts, part, strict=True):
                mine.append(found)
            if progress is not None:
                progress(done, len(blocks))  # may raise to cancel; then nothing more is started
    sizes = np.array([rows.stop - rows.start for rows in blocks], dtype=np.float64)
    return [_merged(np.array(mine), sizes, is_multilabel, reads) for mine in parts]


def count_wrong(matrix: Matrix, simplex: float | None) -> tuple[int, int]:
    """How many cells are not within [0, 1] and, given a tolerance, how many rows do not sum to 1."""
    from .kernels import sums

    def look(rows: slice) -> tuple[int, int]:
        block = matrix[rows]
        return sums.wrong_cells(block), 0 if simplex is None else sums.wrong_rows(block, simplex)

    cells, rows = zip(*in_threads(look, list(_blocks(matrix, 64))), strict=True)
    return sum(cells), sum(rows)


def _blocks(matrix: Matrix, times: int = 1) -> Iterator[slice]:
    step = max(1, times * BLOCK_CELLS // matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield slice(start, min(start + step, len(matrix)))


def _tallied(P: Matrix, Qs: Sequence[Matrix], is_multilabel: bool, rows: slice) -> list[Matrix]:
    from .kernels import sums

    tally = sums.tally_multilabel if is_multilabel else sums.tally_multiclass
    found = []
    for Q in Qs:
        out = np.zeros((sums.TALLIES, P.shape[1]))
        tally(P[rows], Q[rows], out)
        found.append(out)
    return found


def _informed(P: Matrix, Qs: Sequence[Matrix], is_multilabel: bool, rows: slice) -> list[Matrix]:
    from .kernels import sums

    p = P[rows]
    labels = p.shape[1]
    tallies = _tallied(P, Qs, is_multilabel, rows)
    middle, logarithm = np.empty_like(p), np.empty_like(p)
    human = np.empty_like(p) if is_multilabel else np.empty((len(p), 1))
    predicted = np.empty_like(human)
    if is_multilabel:
        sums.cell_entropies(p, human)
    else:
        sums.row_entropies(p, middle, human[:, 0])
    found = []
    for Q, tally in zip(Qs, tallies, strict=True):
        out = np.zeros((sums.TALLIES + sums.INFORMATION, labels))
        out[: sums.TALLIES] = tally
        information = out[sums.TALLIES :]
        if is_multilabel:
            sums.inform_multilabel(p, Q[rows], human, predicted, middle, information)
        else:
            sums.inform_multiclass(p, Q[rows], human, predicted, logarithm, middle, information)
        found.append(out)
    return found


def _merged(parts: Matrix, sizes: Vector, is_multilabel: bool, reads: Reads) -> Sums:
    """The blocks' sums merged; means and centred moments by the update of Chan, Golub and LeVeque (1983)."""
    from .kernels import sums

    tallies = Tallies(*parts[:, : sums.TALLIES].sum(axis=0))
    if reads != "information":
        return Sums(tallies, None)
    rows = parts[:, sums.TALLIES :].swapaxes(0, 1)  # (14, blocks, K)
    if not is_multilabel:
        rows = rows[:, :, :1]  # a row has one entropy, whatever the number of classes
    x, y = rows[sums.MEAN_X], rows[sums.MEAN_Y]
    weights = sizes[:, None]
    mean_x, mean_y = ((weights * mean).sum(axis=0) / sizes.sum() for mean in (x, y))
    dx, dy = x - mean_x, y - mean_y
    between = [(weights * product).sum(axis=0) for product in (dx * dx, dy * dy, dx * dy)]
    within = rows[sums.MOMENT_XX : sums.MOMENT_XY + 1].sum(axis=1)
    low_x, low_y = rows[sums.LOW_X].min(axis=0), rows[sums.LOW_Y].min(axis=0)
    high_x, high_y = rows[sums.HIGH_X].max(axis=0), rows[sums.HIGH_Y].max(axis=0)
    return Sums(
        tallies,
        Information(
            instances=int(sizes.sum()),
            divergence=float(rows[sums.JSD].sum()),
            distance=float(rows[sums.JS_DISTANCE].sum()),
            cross_entropy=float(rows[sums.CROSS_ENTROPY].sum()),
            uncovered=int(rows[sums.UNCOVERED].sum()),
            entropy_gap=float(rows[sums.ENTROPY_GAP].sum()),
            means=np.array([mean_x, mean_y]),
            moments=within + np.array(between),
            spans=np.array([high_x - low_x, high_y - low_y]),
        ),
    )
