"""Any set of metrics, for one system or many, with P checked once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .pair import Matrix, checked_matrix, checked_pair, checked_task
from .registry import select
from .value import MetricValue

ONE_SYSTEM = "Q"


@dataclass(frozen=True)
class MetricTable:
    """Values of several metrics for several systems.

    `table["roberta"]["po_jsd"]` is one value, `table.of("po_jsd")` the values of all systems in their order.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: tuple[tuple[MetricValue, ...], ...]

    def __getitem__(self, system: str) -> dict[str, MetricValue]:
        return dict(zip(self.metrics, self.rows[self.systems.index(system)], strict=True))

    def of(self, metric: str) -> npt.NDArray[np.float64]:
        """One metric for every system: shape (S,), NaN where it is undefined."""
        column = self.metrics.index(metric)
        return np.array([float(row[column]) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: ``{system: {metric: {"value", "reason"}}}``."""
        return {system: {name: value.to_dict() for name, value in self[system].items()} for system in self.systems}


def compute(
    P: npt.ArrayLike,
    Q: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    task: str,
    metrics: Collection[str] | None = None,
    *,
    zero_division: float = 1.0,
    labels: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> MetricTable:
    """Metrics of one or many systems against the human distributions.

    P is (N, K); Q is (N, K) for one system (called "Q" in the table), (S, N, K) for systems called "0", "1", ..., or
    a mapping from names to (N, K). `metrics` are names, by default the six of Kurniawan et al. (2025) for the task;
    `labels` are the columns' names, for use in reasons. `progress(done, total)` is called after every system. Raises
    `DistributionError`, `UnknownMetricError` or `WrongTaskError`; what is undefined is NaN with a reason.

    >>> P = [[1.0, 0.0], [0.5, 0.5]]
    >>> table = compute(P, {"same": P, "even": [[0.5, 0.5]] * 2}, "multiclass", ["accuracy", "soft_accuracy"])
    >>> table["even"]
    {'accuracy': 1.0, 'soft_accuracy': 0.75}
    """
    kind = checked_task(task)
    chosen = select(kind, metrics)
    systems = _named(Q)
    human = checked_matrix("P", P, kind)
    rows = []
    for done, (name, values) in enumerate(systems.items(), start=1):
        label = "Q" if len(systems) == 1 and name == ONE_SYSTEM else f"Q of system {name!r}"
        pair = checked_pair(human, checked_matrix(label, values, kind), kind, zero_division, labels)
        rows.append(tuple(entry.of(pair) for entry in chosen))
        if progress is not None:
            progress(done, len(systems))
    return MetricTable(tuple(systems), tuple(entry.name for entry in chosen), tuple(rows))


def _named(Q: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Mapping[str, npt.ArrayLike]:
    if isinstance(Q, Mapping):
        return Q
    array = cast(Matrix, np.asarray(Q))
    if array.ndim == 3:
        return {str(position): matrix for position, matrix in enumerate(array)}
    return {ONE_SYSTEM: array}
