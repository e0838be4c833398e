"""What the systems of a planned study share (models and methods), and so what its test can exchange."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from annotations.ground.arrays import Codes, Vector
from annotations.ground.units import Crossing, Exchangeable, default_exchangeable, smallest_p
from metaeval.checking import checked_choice, checked_count, checked_type
from metaeval.stats.resampling import SIDES, Alternative, TwoSided, smallest_sampled_p
from metaeval.stats.results import Statistic


@dataclass(frozen=True)
class SharedUnits(Statistic):
    """The model and method of each system of a planned study, and how similar systems that share one are.

    Attributes
    ----------
    units : tuple of (model, method)
        One per system.
    likeness : float
        Correlation of a method's quality in two models.
    model_spread : float
        Standard deviation between models, relative to methods within a model.
    exchangeable : str or None
        What the test exchanges; None if it follows from the names.

    Notes
    -----
    The same holds, independently, for what a metric measures instead of quality.
    """

    units: tuple[tuple[str, str], ...]
    likeness: float = 0.0
    model_spread: float = 0.0
    exchangeable: Exchangeable | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.likeness <= 1:
            msg = f"likeness is {self.likeness}; expected a correlation in [0, 1]"
            raise ValueError(msg)
        if self.model_spread < 0:
            msg = f"model_spread is {self.model_spread}; expected a standard deviation, 0 or more"
            raise ValueError(msg)

    @cached_property
    def crossing(self) -> Crossing:
        """What the names say."""
        return Crossing.of(self.units)

    @property
    def exchanged(self) -> Exchangeable:
        """What the test of such a study exchanges."""
        return self.exchangeable or default_exchangeable(self.crossing)

    def of_systems(self, places: Codes) -> SharedUnits:
        """The same for some of the systems."""
        kept = tuple(self.units[int(place)] for place in places)
        return SharedUnits(kept, self.likeness, self.model_spread, self.exchangeable)

    def drawn(self, rng: np.random.Generator) -> Vector:
        """A quality for each system (n,), with variance 1 within models."""
        methods = rng.normal(size=len(self.crossing.method_names))
        models = rng.normal(size=len(self.crossing.model_names))
        own = rng.normal(size=len(self.units))
        within = math.sqrt(self.likeness) * methods[self.crossing.methods] + math.sqrt(1 - self.likeness) * own
        quality: Vector = within + self.model_spread * models[self.crossing.models]
        return quality


def attainable_p(
    shared: SharedUnits | None, *, systems: int, n_resamples: int, alternative: Alternative, two_sided: TwoSided
) -> float:
    """The smallest p-value that the test of a study can give, whatever its data.

    Parameters
    ----------
    shared : SharedUnits or None
        What the systems share; None if they share nothing.
    systems : int
        How many systems there are.
    n_resamples : int
        How many permutations the test samples.
    alternative : {'two-sided', 'greater', 'less'}
        Alternative hypothesis.
    two_sided : {'double', 'magnitude'}
        Kind of a two-sided p-value.

    Returns
    -------
    float
        A p-value; above the level of the test, the study can find nothing.

    References
    ----------
    Phipson and Smyth 2010, Permutation P-values Should Never Be Zero.

    Examples
    --------
    >>> crossed = SharedUnits(
    ...     tuple((model, method) for model in "AB" for method in "wxyz"), exchangeable="methods jointly"
    ... )
    >>> how = {"n_resamples": 9999, "alternative": "two-sided", "two_sided": "double"}
    >>> round(attainable_p(crossed, systems=8, **how), 4), attainable_p(None, systems=25, **how)
    (0.0833, 0.0002)
    """
    checked_type("shared", shared, (SharedUnits, type(None)), "SharedUnits, or None for systems that share nothing")
    checked_count("systems", systems)
    checked_count("n_resamples", n_resamples)
    checked_choice("alternative", alternative, tuple(SIDES))
    checked_choice("two_sided", two_sided, get_args(TwoSided))
    double = alternative == "two-sided" and two_sided == "double"
    if shared is not None:
        return smallest_p(shared.crossing, shared.exchanged, permutations=n_resamples, double=double)
    orders = math.factorial(systems)
    if orders <= n_resamples:
        return min(1.0, (2 if double else 1) / orders)
    return min(1.0, smallest_sampled_p(n_resamples, alternative, two_sided))


def unreachable(alpha: float, attainable: float) -> tuple[str, ...]:
    """A note if no data can reach the level, else nothing."""
    if attainable <= alpha:
        return ()
    return (f"no data can give a p-value of {alpha:g}: the smallest that there can be is {attainable:.4g}",)
