"""Temperature scaling: one number that makes a system more or less certain overall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix
from metaeval.checking import as_numbers, checked_above, checked_names
from metaeval.describing import described
from metaeval.frames import DataFrame, frame_of

from .computing import compute
from .pair import DistributionError
from .registry import MetricValue, get

GRID = tuple(round(0.5 + 0.05 * step, 2) for step in range(91))
"""Temperatures from 0.5 to 5 in steps of 0.05."""


def temperature_scaled(logits: npt.ArrayLike, temperature: float) -> Matrix:
    """Softmax of the logits divided by a temperature: softer above 1, sharper below 1.

    Parameters
    ----------
    logits : array_like, shape (N, K)
        Logits, or logarithms of probabilities (minus infinity for a probability of 0).
    temperature : float
        Above 0.

    Returns
    -------
    ndarray, shape (N, K)
        Distributions; rows sum to 1.

    Raises
    ------
    DistributionError
        If `logits` is not a matrix, contains NaN, or has a row without any finite value.
    ValueError
        If the temperature is not above 0.

    Notes
    -----
    Formula: Q_ik = exp(z_ik / T) / sum_j exp(z_ij / T).

    References
    ----------
    Guo et al. 2017.

    Examples
    --------
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


@described
@dataclass(frozen=True)
class Temperature:
    """The temperature of a grid at which a metric is best."""

    temperature: float
    """The best temperature."""
    metric: str
    """Name of the metric."""
    value: MetricValue
    """The metric at this temperature."""
    grid: tuple[tuple[float, MetricValue], ...]
    """Every temperature of the grid, and the metric there."""

    def to_dict(self) -> dict[str, Any]:
        grid = [{"temperature": temperature, **value.to_dict()} for temperature, value in self.grid]
        return {"temperature": self.temperature, "metric": self.metric, "value": self.value.to_dict(), "grid": grid}

    def to_frame(self) -> DataFrame:
        """One row per `temperature` of the grid: the metric's value."""
        rows = ({"temperature": float(t), self.metric: float(value), "reason": value.reason} for t, value in self.grid)
        return frame_of(rows, index=["temperature"], columns=[self.metric, "reason"])


def best_temperature(
    P: npt.ArrayLike, logits: npt.ArrayLike, *, metric: str = "cross_entropy", grid: Sequence[float] = GRID
) -> Temperature:
    """The temperature of a grid at which a metric is best.

    Parameters
    ----------
    P : array_like, shape (N, K)
        Human distributions; rows sum to 1.
    logits : array_like, shape (N, K)
        The system's logits for the same instances.
    metric : str, default 'cross_entropy'
        Name of the metric to optimise.
    grid : sequence of float, optional
        Temperatures to try. The default is 0.5 to 5 in steps of 0.05.

    Returns
    -------
    Temperature
        The best temperature (the lowest, if several are equally good), and the metric along the grid.

    Raises
    ------
    DistributionError
        If P and the logits are not matrices of the same shape.
    UnknownName
        If there is no metric with this name.
    ValueError
        If the metric is undefined at every temperature, or a temperature is not above 0.

    Notes
    -----
    Choose the temperature on different data from those on which the system is then evaluated.

    References
    ----------
    Guo et al. 2017; Baan et al. 2022.

    Examples
    --------
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
