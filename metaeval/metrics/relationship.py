"""How metrics relate to one another on random distributions: the simulation of Kurniawan et al. (2026), Table 2."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from annotations.ground.arrays import Matrix, Vector
from metaeval.checking import checked_above, checked_count
from metaeval.describing import described
from metaeval.frames import DataFrame, frame_of
from metaeval.rounding import is_one_value
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.threads import in_threads

from .pair import Pair, one_pass
from .registry import MetricValue, select, undefined

SAME_EVERYWHERE = "a metric is the same for every simulated pair"

SETTINGS = tuple(
    (a, b, labels) for a, b in ((10.0, 10.0), (0.1, 0.1), (10.0, 0.1), (0.1, 10.0)) for labels in (10, 100)
)
"""(alpha, beta, K) of the published table's columns."""
METRICS = ("accuracy", "po_jsd", "entropy_correlation", "soft_accuracy")
"""The rows of the published table: A, J, E and S."""

_PAIRS_A_STREAM = 5
_LEAST = 0.1


@described
@dataclass(frozen=True)
class Relation:
    """The correlation of two metrics over simulated pairs."""

    a: str
    b: str
    """Names of the metrics."""
    value: MetricValue
    """Pearson's r, or NaN with a reason."""

    def to_dict(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, **self.value.to_dict()}


@described
@dataclass(frozen=True)
class Relationship:
    """The correlations of every pair of metrics in one setting of the simulation."""

    alpha: float
    beta: float
    """Concentrations of the human and of the predicted distributions."""
    labels: int
    instances: int
    pairs: int
    """Classes per distribution, rows per pair, and how many pairs were simulated."""
    relations: tuple[Relation, ...]
    """One per pair of metrics."""
    values: Matrix
    """(pairs, metrics): The metrics of each pair."""

    def between(self, a: str, b: str) -> MetricValue:
        """r between two metrics, in either order."""
        return next(row.value for row in self.relations if {row.a, row.b} == {a, b})

    def to_dict(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in ("alpha", "beta", "labels", "instances", "pairs")}
        return {**fields, "relations": [relation.to_dict() for relation in self.relations]}

    def to_frame(self) -> DataFrame:
        """One row per pair of metrics, `a` and `b`: their correlation `r`."""
        rows = ({"a": row.a, "b": row.b, "r": float(row.value), "reason": row.value.reason} for row in self.relations)
        return frame_of(rows, index=["a", "b"], columns=["r", "reason"])


@described
def metric_relationship(
    alpha: float,
    beta: float,
    labels: int,
    *,
    pairs: int = 500,
    instances: int = 1000,
    metrics: Collection[str] = METRICS,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> Relationship:
    """Pearson correlations between multiclass metrics over simulated pairs of P and Q.

    Parameters
    ----------
    alpha, beta : float
        Concentrations of the Dirichlet distributions of P and of Q, above 0.
    labels : int
        Number of classes, at least 2.
    pairs : int, default 500
        How many pairs to simulate.
    instances : int, default 1000
        Rows per pair.
    metrics : collection of str, optional
        Names of metrics. The default is the four of the published table.
    progress : callable, optional
        Called with the number of blocks done and the total.

    Returns
    -------
    Relationship
        Correlations in [-1, 1], with a standard error of about (1 - r^2) / sqrt(pairs).

    Raises
    ------
    ValueError
        If a concentration is not above 0, or a number is too small.
    UnknownName
        If there is no metric with one of the names.
    WrongTaskError
        If a metric is not defined for a multiclass task.

    Notes
    -----
    Each pair has rows P_i ~ Dirichlet(alpha, ..., alpha) and Q_i ~ Dirichlet(beta, ..., beta). Undefined (NaN with the
    reason) where a metric does not vary over the pairs, or is undefined for one of them.

    Every 5 pairs have their own stream of random numbers, so the result depends only on the seed, not on the number of
    processors. `relationship_plan` distributes the pairs to several workers.

    References
    ----------
    Kurniawan et al. 2026, section 4 and Table 2, whose settings are `SETTINGS`.

    Examples
    --------
    >>> metric_relationship(10, 10, 5, pairs=40, instances=50, seed=1).between("po_jsd", "soft_accuracy") > 0.8
    True
    """
    seed = chosen_seed(seed, rng)
    plan = relationship_plan(alpha, beta, labels, pairs=pairs, instances=instances, metrics=metrics, seed=seed)
    blocks = []
    with closing(in_threads(plan.block, range(len(plan.blocks)))) as answers:
        for done, values in enumerate(answers, start=1):
            blocks.append(values)
            if progress is not None:
                progress(done, len(plan.blocks))
    values = plan.merged(blocks)
    names = [entry.name for entry in select("multiclass", metrics)]
    relations = tuple(
        Relation(names[i], names[j], _pearson(values[:, i], values[:, j]))
        for i, j in combinations(range(len(names)), 2)
    )
    return Relationship(float(alpha), float(beta), labels, instances, pairs, relations, values)


def relationship_plan(
    alpha: float, beta: float, labels: int, *, pairs: int, instances: int, metrics: Collection[str], seed: Seed
) -> ResamplingPlan:
    """The metrics of every simulated pair (pairs, metrics), to distribute."""
    checked_above("alpha", alpha)
    checked_above("beta", beta)
    checked_count("pairs", pairs)
    checked_count("instances", instances)
    checked_count("labels", labels, 2)
    chosen = select("multiclass", metrics)

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        dirichlet = _Dirichlet(stream)
        rows = []
        for _ in range(size):
            P, Q = (dirichlet.rows(concentration, instances, labels) for concentration in (alpha, beta))
            pair = Pair(P, Q, "multiclass").know(one_pass(P, Q, False, "information", threads=1))
            rows.append([float(entry.of(pair)) for entry in chosen])
        return np.array(rows)

    return ResamplingPlan(draw, n_resamples=pairs, seed=seed, block=_PAIRS_A_STREAM)


class _Dirichlet:
    """A stream of rows of symmetric Dirichlet distributions."""

    def __init__(self, seed: np.random.SeedSequence) -> None:
        from metaeval.generator import lane_states

        from .kernels import loops

        self._fill = loops.fill_dirichlet
        self._state = lane_states(seed, loops.LANES)
        size = 64 * loops.LANES
        self._room = np.empty(size, dtype=np.uint64), np.empty(size), np.empty(size)
        self._rng = np.random.Generator(np.random.SFC64(seed))

    def rows(self, concentration: float, rows: int, labels: int) -> Matrix:
        """Shape (rows, labels)."""
        if concentration < _LEAST:  # Gamma variates with so small a shape underflow to rows of zeros
            return self._rng.dirichlet(np.full(labels, float(concentration)), rows)
        matrix = np.empty((rows, labels))
        self._fill(self._state, float(concentration), *self._room, matrix)
        return matrix


def _pearson(x: Vector, y: Vector) -> MetricValue:
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return undefined("a metric is undefined for a simulated pair")
    if len(x) < 2 or any(is_one_value(z.min(), z.max(), np.abs(z).max()) for z in (x, y)):
        return undefined(SAME_EVERYWHERE)
    return MetricValue(float(np.corrcoef(x, y)[0, 1]))
