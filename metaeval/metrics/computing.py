"""Any set of metrics, for one system or many, with P checked and read once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix, Vector, absent_rows
from annotations.ground.errors import naming
from metaeval.checking import checked_choice
from metaeval.describing import described
from metaeval.frames import DataFrame, aligned, column_names, frame_of, is_labelled
from metaeval.sampling import Steps

from .pair import DistributionError, Pair, Reads, checked_input, checked_matrix, checked_pair, checked_task, shared_pass
from .registry import Metric, MetricValue, select

ONE_SYSTEM = "Q"
READS: tuple[Reads, ...] = ("", "tallies", "information")


@described
@dataclass(frozen=True)
class MetricTable:
    """Values of several metrics for several systems.

    `table["roberta"]["po_jsd"]` is one value, `table.of("po_jsd")` the values of all systems in order.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    """Names of the rows and of the columns."""
    rows: tuple[tuple[MetricValue, ...], ...]
    """One tuple per system, one value per metric."""
    absent: Mapping[str, int] = field(default_factory=dict)
    """How many instances were left out of a system's metrics because it predicted nothing for them."""

    def __getitem__(self, system: str) -> dict[str, MetricValue]:
        return dict(zip(self.metrics, self.rows[self.systems.index(system)], strict=True))

    def of(self, metric: str) -> Vector:
        """One metric for every system: shape (S,), NaN where it is undefined."""
        column = self.metrics.index(metric)
        return np.array([float(row[column]) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: ``{system: {metric: {"value", "reason"}}}``."""
        return {system: {name: value.to_dict() for name, value in self[system].items()} for system in self.systems}

    def to_frame(self) -> DataFrame:
        """One row per `system`, one column per metric, NaN where undefined, and a `reason` that says why."""
        rows = (
            {
                "system": system,
                **{name: float(value) for name, value in self[system].items()},
                "reason": "; ".join(f"{name}: {value.reason}" for name, value in self[system].items() if value.reason),
            }
            for system in self.systems
        )
        return frame_of(rows, index=["system"], columns=[*self.metrics, "reason"])


@described
def compute(
    P: npt.ArrayLike,
    Q: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    task: str,
    metrics: Collection[str] | None = None,
    *,
    zero_division: float = 1.0,
    labels: Sequence[str] = (),
    absent: Literal["refuse", "leave out"] = "refuse",
    progress: Steps | None = None,
) -> MetricTable:
    """Metrics of one or many systems against the human distributions.

    Parameters
    ----------
    P : array_like, shape (N, K)
        Human distributions of N instances over K labels.
    Q : array_like or mapping
        Predicted distributions: (N, K) for one system (called "Q" in the table), (S, N, K) for systems called "0",
        "1", ..., or a mapping from names to (N, K). DataFrames are matched with P by the names of rows and columns.
    metrics : collection of str, optional
        Names of metrics. The default is the six of Kurniawan et al. (2026) for the task.
    zero_division : float, default 1.0
        The value of 0/0 in an F1 score, in [0, 1], or NaN for undefined.
    labels : sequence of str, optional
        Names of the columns, used in reasons. The default is the columns of a DataFrame `P`.
    absent : {'refuse', 'leave out'}, default 'refuse'
        What to do with a row of Q that is NaN throughout, meaning that the system predicted nothing for this instance.
        With 'leave out', this system's metrics are computed from its other rows, and `table.absent` counts the rows
        left out.
    progress : callable, optional
        Called with the number of systems done and the total. One pass over P serves all systems, so the calls may come
        in quick succession.

    Returns
    -------
    MetricTable
        One value per system and metric. Where a metric is undefined, the value is NaN with a reason.

    Raises
    ------
    DistributionError
        If P and Q are not matrices of distributions of the same shape, or `task` is not a kind of task.
    UnknownName
        If there is no metric with one of the names.
    WrongTaskError
        If a metric is not defined for the task.

    Notes
    -----
    Each metric's own documentation contains its formula.

    References
    ----------
    Kurniawan et al. 2026, for the default metrics.

    Examples
    --------
    >>> P = [[1.0, 0.0], [0.5, 0.5]]
    >>> table = compute(P, {"same": P, "even": [[0.5, 0.5]] * 2}, "multiclass", ["accuracy", "soft_accuracy"])
    >>> table["even"]
    {'accuracy': 1.0, 'soft_accuracy': 0.75}
    """
    kind = checked_task(task)
    chosen = select(kind, metrics)
    systems = _named(Q)
    human = checked_matrix("P", P, kind)
    pairs: list[Pair] = []
    left_out: dict[str, int] = {}
    checked_choice("absent", absent, ("refuse", "leave out"))
    names = labels or column_names(P)
    for name, matrix in systems.items():
        label = "Q" if len(systems) == 1 and name == ONE_SYSTEM else f"Q of system {name!r}"
        values = aligned(**{"P": P, label: matrix})[1]
        predicted = _known_rows(values, human) if absent == "leave out" else None
        if predicted is None:
            pairs.append(checked_pair(human, checked_matrix(label, values, kind), kind, zero_division, names))
        else:
            left_out[name] = int((~predicted).sum())
            rest = checked_matrix(label, np.asarray(values, dtype=np.float64)[predicted], kind)
            pairs.append(checked_pair(human[predicted], rest, kind, zero_division, names))
    whole = [pair for pair, name in zip(pairs, systems, strict=True) if name not in left_out]
    steps = _SystemSteps(len(pairs), progress)
    reads = READS[max((READS.index(entry.reads) for entry in chosen), default=0)]
    if reads and whole:
        passes = shared_pass(human, [pair.Q for pair in whole], kind == "multilabel", reads, steps.reach_share)
        for pair, sums in zip(whole, passes, strict=True):
            pair.know(sums)
    rows = []
    for done, (pair, system) in enumerate(zip(pairs, systems, strict=True), start=1):
        rows.append(tuple(_value(entry, pair, system) for entry in chosen))
        steps.reach(done)
    return MetricTable(tuple(systems), tuple(entry.name for entry in chosen), tuple(rows), left_out)


def _value(metric: Metric, pair: Pair, system: str) -> MetricValue:
    with naming(system, metric.name):
        return metric.of(pair)


@described
def per_item(P: npt.ArrayLike, Q: npt.ArrayLike, task: str, name: str) -> Vector:
    """The values of a metric for each instance, whose mean is the metric.

    Parameters
    ----------
    P, Q : array_like, shape (N, K)
        Human and predicted distributions of N instances over K labels.
    name : str
        Name of the metric.

    Returns
    -------
    ndarray, shape (N,)
        NaN where an instance has no value.

    Raises
    ------
    DistributionError
        If P and Q are not matrices of distributions of the same shape, or `task` is not a kind of task.
    UnknownName
        If there is no metric with this name.
    WrongTaskError
        If the metric is not defined for the task, or is not a mean over instances.

    Examples
    --------
    >>> per_item([[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], "multiclass", "soft_accuracy")
    array([0.5, 1. ])
    """
    kind = checked_task(task)
    (entry,) = select(kind, [name])
    return entry.per_item(checked_input(P, Q, kind))


def _known_rows(values: npt.ArrayLike, human: Matrix) -> Mask | None:
    """The rows that hold a prediction; None if all do, or if none does (which is refused)."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != human.shape:
        return None
    predicted: Mask = ~absent_rows(matrix)
    return None if predicted.all() or not predicted.any() else predicted


class _SystemSteps:
    """Reports how many systems' worth of work is done, each number once."""

    def __init__(self, total: int, progress: Steps | None) -> None:
        self.total, self.progress, self.done = total, progress, 0

    def reach_share(self, done: int, total: int) -> None:
        """`done` of `total` blocks, each of which holds rows of all systems."""
        self.reach(self.total * done // total)

    def reach(self, done: int) -> None:
        while self.done < done:
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)


def _named(Q: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Mapping[str, npt.ArrayLike]:
    if isinstance(Q, Mapping):
        return Q
    if is_labelled(Q):
        return {ONE_SYSTEM: Q}
    try:
        array = np.asarray(Q)
    except ValueError as error:
        msg = f"Q cannot be read as a matrix of numbers: {error}"
        raise DistributionError(msg) from error
    if array.ndim == 3:
        return {str(position): matrix for position, matrix in enumerate(array)}
    return {ONE_SYSTEM: array}
