"""Soft-label evaluation as in the shared task on learning with disagreements (LeWiDi), and its baselines."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix, Vector
from metaeval.checking import checked_count
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed

from .information import absolute_differences, total_difference
from .pair import Pair, checked_matrix, checked_task
from .registry import EVERY_TASK, ORDINAL, metric


@metric(
    title="Average Manhattan distance",
    tasks=EVERY_TASK,
    orientation="lower",
    range=(0.0, 2.0),
    source="Leonardelli et al. 2025 (LeWiDi-2025), task A",
    works_per_item=True,
    reads="tallies",
    items=lambda pair: absolute_differences(pair) * (2.0 / pair.labels if pair.is_multilabel else 1.0),
)
def manhattan_distance(pair: Pair) -> float:
    """Mean Manhattan distance between the predicted and the human distribution.

    Formula: (1/N) sum_i sum_k |P_ik - Q_ik| for a multiclass task, twice its `tvd`; for a multilabel one, the mean over
    i and k of the distance between [1 - P_ik, P_ik] and [1 - Q_ik, Q_ik], (1/NK) sum_ik 2 |P_ik - Q_ik|. The value is
    in [0, 2] and always defined.

    >>> manhattan_distance([[0.5, 0.5]], [[0.25, 0.75]], task="multiclass")
    0.5
    """
    total = total_difference(pair)
    return 2.0 * total / pair.P.size if pair.is_multilabel else total / pair.instances


def _wasserstein(pair: Pair) -> Vector:
    return cast(Vector, np.abs(np.cumsum(pair.P - pair.Q, axis=1)[:, :-1]).sum(axis=1))


@metric(
    title="Average Wasserstein distance",
    tasks=ORDINAL,
    orientation="lower",
    range=(0.0, float("inf")),
    source="Leonardelli et al. 2025 (LeWiDi-2025), task A",
    works_per_item=True,
    items=_wasserstein,
)
def wasserstein_distance(pair: Pair) -> float:
    """Mean Wasserstein-1 distance on a scale: how much probability has to be moved how far.

    Formula: (1/N) sum_i sum_k |CDF_P,ik - CDF_Q,ik|, with columns in the order of the scale and neighbouring points 1
    apart. The value is in [0, K - 1] and always defined.

    Examples
    --------
    >>> wasserstein_distance([[1.0, 0.0, 0.0]], [[0.0, 0.5, 0.5]])
    1.5
    """
    return pair.mean(_wasserstein)


def mean_soft_label(P: npt.ArrayLike, task: str, instances: int = 1) -> Matrix:
    """The baseline that predicts the mean training distribution for every instance.

    Parameters
    ----------
    P : array_like, shape (N, K)
        Human distributions of the training data.
    task : {'multiclass', 'ordinal', 'multilabel'}
        Kind of task.
    instances : int, default 1
        How many instances to predict.

    Returns
    -------
    ndarray, shape (instances, K)
        The same row for each instance.

    Raises
    ------
    DistributionError
        If P is not a matrix of distributions, or `task` is not a kind of task.

    References
    ----------
    Leonardelli et al. 2025.

    Examples
    --------
    >>> mean_soft_label([[1.0, 0.0], [0.5, 0.5]], "multiclass", 2).tolist()
    [[0.75, 0.25], [0.75, 0.25]]
    """
    checked_count("instances", instances)
    mean = checked_matrix("P", P, checked_task(task)).mean(axis=0)
    return np.tile(mean, (instances, 1))


def random_soft_labels(
    instances: int, labels: int, task: str, seed: Seed | None = None, *, rng: Seed | None = None
) -> Matrix:
    """The random baseline: rows drawn uniformly from the simplex or, for a multilabel task, values drawn from [0, 1].

    Parameters
    ----------
    instances, labels : int
        How many rows and columns to draw.
    task : {'multiclass', 'ordinal', 'multilabel'}
        Kind of task.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

    Returns
    -------
    ndarray, shape (instances, labels)
        Random distributions.

    Raises
    ------
    DistributionError
        If `task` is not a kind of task.

    Notes
    -----
    `random_soft_labels_plan` distributes the rows to several workers.

    References
    ----------
    Leonardelli et al. 2025.

    Examples
    --------
    >>> random_soft_labels(2, 3, "ordinal", seed=1).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    seed = chosen_seed(seed, rng)
    return random_soft_labels_plan(instances, labels, task, seed).run()


def random_soft_labels_plan(instances: int, labels: int, task: str, seed: Seed) -> ResamplingPlan:
    """The rows of `random_soft_labels` in blocks, to distribute."""
    multilabel = checked_task(task) == "multilabel"
    checked_count("instances", instances)
    checked_count("labels", labels, 1 if multilabel else 2)

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        rng = np.random.default_rng(stream)
        return rng.random((size, labels)) if multilabel else rng.dirichlet(np.ones(labels), size)

    return ResamplingPlan(draw, n_resamples=instances, seed=seed)
