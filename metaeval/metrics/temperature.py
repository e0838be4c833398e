"""Temperature scaling: one number that makes a system surer or less sure of all it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.arrays import Matrix
from metaeval.checking import as_numbers, checked_above, checked_names
from metaeval.frames import DataFrame, frame_of

from .computing import compute
from .pair import DistributionError
from .registry import get
from .value import MetricValue

GRID = tuple(round(0.5 + 0.05 * step, 2) for step in range(91))
"""Temperatures from 0.5 to 5 in steps of 0.05."""


def temperature_scaled(logits: npt.ArrayLike, temperature: float) -> Matrix:
    """Softmax of the logits divided by one temperature: above 1 softer, below 1 sharper.

    Formula: Q_ik = exp(z_ik / T) / sum_j exp(z_ij / T). `logits` has shape (N, K), logarithms of probabilities do as
    well (minus infinity for a probability of 0); the result has rows that sum to 1. Raises `DistributionError` for
    NaN, rows without any finite logit, and temperatures that are not above 0. Source: Guo et al. 2017.

    >>> temperature_scaled([[0.0, 2.0]], 2.0).round(6).tolist()
    [[0.268941, 0.731059]]
    """
    z = as_numbers("logits", logits, "a matrix (instances, labels)")
    if z.ndim != 2 or 0 in z.shape or np.isnan(z).any() or not np.isfinite(z.max(axis=1)).all():
        msg = f"logits have shape {z.shape}; expected (instances, labels), no NaN, a finite value in every row"
        raise DistributionError(msg)
    checked_above("temperature", temperature)
    odds = np.exp((z - z.max(axis=1, keepdims=True)) / temperature)
    scaled: Matrix = odds / odds.sum(axis=1, keepdims=True)
    return scaled


@dataclass(frozen=True)
class Temperature:
    """The temperature of a grid under which a metric is best, and the metric's values along the grid."""

    temperature: float
    metric: str
    value: MetricValue
    grid: tuple[tuple[float, MetricValue], ...]

    def to_dict(self) -> dict[str, Any]:
        grid = [{"temperature": temperature, **value.to_dict()} for temperature, value in self.grid]
        return {"temperature": self.temperature, "metric": self.metric, "value": self.value.to_dict(), "grid": grid}

    def to_frame(self) -> DataFrame:
        """A row per `temperature` of the grid: the metric's value."""
        rows = ({"temperature": float(t), self.metric: float(value), "reason": value.reason} for t, value in self.grid)
        return frame_of(rows, index=["temperature"], columns=[self.metric, "reason"])


def best_temperature(
    P: npt.ArrayLike, logits: npt.ArrayLike, *, metric: str = "cross_entropy", grid: Sequence[float] = GRID
) -> Temperature:
    """The temperature of `grid` under which the registered `metric` is best (the lowest of several).

    P and `logits` have shape (N, K); choose the temperature on other data than it is then judged on. Raises
    `DistributionError`, `UnknownName`, and `ValueError` where the metric is undefined all along the grid.
    Source: Guo et al. 2017; Baan et al. 2022.

    >>> best_temperature([[0.5, 0.5], [0.9, 0.1]], [[0.0, 0.0], [4.394449, 0.0]], grid=[1.0, 2.0, 3.0]).temperature
    2.0
    """
    entry = get(metric)
    for t in checked_names("grid", grid):
        checked_above("grid", t)
    values = [compute(P, temperature_scaled(logits, t), "multiclass", [metric])["Q"][metric] for t in grid]
    sign = 1.0 if entry.orientation == "lower" else -1.0
    defined = [(sign * value, t, value) for t, value in zip(grid, values, strict=True) if value.is_defined]
    if not defined:
        reason = values[0].reason if values else "the grid is empty"
        msg = f"{metric} is undefined at every temperature: {reason}"
        raise ValueError(msg)
    _, temperature, value = min(defined)
    return Temperature(float(temperature), metric, value, tuple(zip(map(float, grid), values, strict=True)))
