"""The power of a planned study: how often would it find the true correlation, by simulation or at once, and what can a
test find at all whose systems share models and methods?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, get_args

import numpy as np

from annotations.ground.arrays import Codes, Vector
from annotations.ground.units import Crossing, Exchangeable, default_exchangeable, smallest_p
from metaeval.checking import checked_choice, checked_count, checked_level, checked_type, shown
from metaeval.describing import described
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed, stream
from metaeval.stats.correlating.coefficients import COEFFICIENTS, Coefficient
from metaeval.stats.correlating.permutation import PermutationPlan
from metaeval.stats.intervals import wilson_interval
from metaeval.stats.resampling import SIDES, Alternative, TwoSided, refuse_out_of_reach, smallest_sampled_p
from metaeval.stats.results import Statistic

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)


@described
@dataclass(frozen=True)
class SharedUnits(Statistic):
    """The model and method of each system of a planned study, and how similar systems that share one are.

    Notes
    -----
    The same holds, independently, for what a metric measures instead of quality.
    """

    units: tuple[tuple[str, str], ...]
    """Model and method of each system."""
    likeness: float = 0.0
    """Correlation of a method's quality in two models."""
    model_spread: float = 0.0
    """Standard deviation between models, relative to methods within a model."""
    exchangeable: Exchangeable | None = None
    """What the test exchanges; None if it follows from the names."""

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
        units = tuple(self.units[int(place)] for place in places)
        return SharedUnits(units, self.likeness, self.model_spread, self.exchangeable)

    def drawn(self, rng: np.random.Generator) -> Vector:
        """A quality for each system (n,), with variance 1 within models."""
        methods = rng.normal(size=len(self.crossing.method_names))
        models = rng.normal(size=len(self.crossing.model_names))
        own = rng.normal(size=len(self.units))
        within = math.sqrt(self.likeness) * methods[self.crossing.methods] + math.sqrt(1 - self.likeness) * own
        return within + self.model_spread * models[self.crossing.models]


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


class Design(Protocol):
    """Anything that can be simulated: `StudyDesign` or `JudgedDesign`."""

    @property
    def systems(self) -> int:
        """How many there are."""

    @property
    def shared(self) -> SharedUnits | None:
        """Their models and methods; None if they share nothing."""

    def drawn(self, rng: np.random.Generator, /) -> tuple[Vector, Vector, Vector]:
        """The systems' quality, noise for metrics, and the fractions of one study: (systems,)."""


@described
@dataclass(frozen=True)
class StudyDesign(Statistic):
    """A planned study, and the assumptions about its world.

    Notes
    -----
    On the scale of log-odds, the probability that a response prefers a system is normal around `base`.
    """

    systems: int
    instances: int
    """How many there are. Each system is shown on all instances."""
    experts_per_comparison: int
    """How many experts answer each comparison."""
    experts: int
    """How many there are."""
    correlation: float
    """The true correlation, over systems, between a metric and the log-odds."""
    base: float = -0.5
    """Mean log-odds that a response prefers a system."""
    spread: float = 0.4
    instance_spread: float = 0.5
    expert_spread: float = 0.3
    """Standard deviations on that scale: between systems (how different they are), between instances or comparisons,
    and between experts."""
    shared: SharedUnits | None = None
    """The systems' models and methods, and so what the test exchanges; None if the systems share nothing."""

    def __post_init__(self) -> None:
        if self.shared is not None and len(self.shared.units) != self.systems:
            msg = f"shared names {len(self.shared.units)} systems, there are {self.systems}"
            raise ValueError(msg)
        least = {"systems": 3, "instances": 1, "experts_per_comparison": 1, "experts": 1}
        for name, minimum in least.items():
            if getattr(self, name) < minimum:
                msg = f"{name} is {getattr(self, name)}; expected at least {minimum}"
                raise ValueError(msg)
        if self.experts_per_comparison > self.experts:
            msg = f"{self.experts_per_comparison} experts a comparison, but only {self.experts} experts"
            raise ValueError(msg)
        if not -1 <= self.correlation <= 1:
            msg = f"correlation is {self.correlation}; expected a value in [-1, 1]"
            raise ValueError(msg)
        if min(self.spread, self.instance_spread, self.expert_spread) < 0:
            msg = "spreads are standard deviations and cannot be negative"
            raise ValueError(msg)

    def drawn(self, rng: np.random.Generator) -> tuple[Vector, Vector, Vector]:
        """See `Design`."""
        from scipy.special import expit

        if self.shared is None:
            quality, noise = rng.normal(size=self.systems), rng.normal(size=self.systems)
        else:
            quality, noise = self.shared.drawn(rng), self.shared.drawn(rng)
        people = rng.normal(0, self.expert_spread, self.experts)
        cells = (self.systems, self.instances)
        texts = rng.normal(0, self.instance_spread, cells)
        order = rng.random((*cells, self.experts)).argsort(axis=2)[:, :, : self.experts_per_comparison]
        logit = self.base + self.spread * quality[:, None, None] + texts[:, :, None] + people[order]
        return quality, noise, (rng.random(logit.shape) < expit(logit)).mean(axis=(1, 2))


def mixed(quality: Vector, noise: Vector, correlation: float) -> Vector:
    """Scores (systems,) of a metric with this correlation with the quality, both of mean 0 and variance 1."""
    return correlation * quality + math.sqrt(1 - correlation**2) * noise


@described
@dataclass(frozen=True)
class Power(Statistic):
    """The share of simulated studies that find the correlation."""

    power: float
    """The share, in [0, 1]."""
    low: float
    high: float
    """Wilson's interval for the simulation's error."""
    confidence_level: float
    """Confidence level of the interval."""
    alpha: float
    """Level of the test."""
    n_resamples: int
    """How many studies were simulated."""
    mean_observed: float
    """The coefficient that such a study shows on average: lower than the true correlation, because the fractions
    contain the judgements' noise."""
    design: StudyDesign
    """The study."""
    coefficient: Coefficient
    """Which coefficient."""
    undefined: int = 0
    """How many studies had no coefficient, and so found nothing."""
    notes: tuple[str, ...] = ()
    exchangeable: Exchangeable = "systems"
    """What the test exchanges."""
    smallest_p: float = math.nan
    """The smallest p-value that the test can give, whatever the data. If it is above `alpha`, such a study finds
    nothing, and a note says so."""


def checked_design(design: object) -> None:
    """Refuse anything that no study can be simulated from."""
    if not hasattr(design, "systems") or not hasattr(design, "shared"):
        msg = f"design is {shown(design)}; expected a StudyDesign or a JudgedDesign"
        raise TypeError(msg)


@described
def power(
    design: StudyDesign,
    *,
    coefficient: Coefficient = "pearson",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    n_test_resamples: int = 1999,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    confidence_level: float = 0.95,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> Power:
    """How often a study of this design gives a permutation p-value of at most `alpha`.

    Parameters
    ----------
    design : StudyDesign
        The planned study.
    alpha : float, default 0.05
        Level of the test.
    n_resamples : int, default 1000
        How many studies to simulate.
    n_test_resamples : int, default 1999
        Permutations of the test of each study.

    Returns
    -------
    Power
        The share of studies, with an interval for the simulation's error.

    Raises
    ------
    ValueError
        If the design is not possible, or so few permutations cannot reach alpha.

    Notes
    -----
    Each simulation draws systems, texts, experts and answers anew and is tested like a real study, with
    `n_test_resamples` permutations. With `correlation` 0, the result is the test's size. A study in which all fractions
    are equal finds nothing, and is counted as `undefined`. If systems share models or methods (`StudyDesign.shared`),
    the test exchanges whole units of them.

    References
    ----------
    the studies follow Kurniawan et al. 2026, section 6.

    Examples
    --------
    >>> design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0.7)
    >>> 0.7 < power(design, n_resamples=200, n_test_resamples=499).power <= 1
    True
    """
    seed = chosen_seed(seed, rng)
    checked_design(design)
    checked_count("n_resamples", n_resamples)
    checked_count("n_test_resamples", n_test_resamples)
    checked_level(confidence_level)
    checked_choice("coefficient", coefficient, COEFFICIENTS)
    refuse_out_of_reach(alpha, n_resamples=n_test_resamples, alternative=alternative, two_sided=two_sided)
    checked_type("design", design, StudyDesign, "a StudyDesign")
    plan = power_plan(
        design,
        correlations=[design.correlation],
        coefficient=coefficient,
        n_resamples=n_resamples,
        n_test_resamples=n_test_resamples,
        alternative=alternative,
        two_sided=two_sided,
        seed=seed,
    )
    p, observed = plan.run(progress)[:, 0].T
    significant = int((p <= alpha).sum())
    low, high = wilson_interval(significant, n_resamples, confidence_level=confidence_level)
    defined = observed[~np.isnan(observed)]
    attainable = attainable_p(
        design.shared,
        systems=design.systems,
        n_resamples=n_test_resamples,
        alternative=alternative,
        two_sided=two_sided,
    )
    nowhere = () if len(defined) else ("the coefficient is undefined in every simulated study",)
    return Power(
        power=significant / n_resamples,
        low=low,
        high=high,
        confidence_level=confidence_level,
        alpha=alpha,
        n_resamples=n_resamples,
        mean_observed=float(defined.mean()) if len(defined) else math.nan,
        design=design,
        coefficient=coefficient,
        undefined=n_resamples - len(defined),
        notes=(*nowhere, *unreachable(alpha, attainable)),
        exchangeable="systems" if design.shared is None else design.shared.exchanged,
        smallest_p=attainable,
    )


def power_plan(
    design: Design,
    *,
    correlations: Sequence[float],
    coefficient: Coefficient,
    n_resamples: int,
    n_test_resamples: int,
    alternative: Alternative,
    two_sided: TwoSided,
    seed: Seed,
    block: int = 64,
) -> ResamplingPlan:
    """p-value and observed coefficient of metrics of these correlations in every simulated study, to distribute:
    (n_resamples, correlations, 2). `block`, the studies per block, is part of a result's definition."""

    def draw(source: np.random.SeedSequence, size: int) -> Replicates:
        rng = np.random.default_rng(source)
        answers = np.full((size, len(correlations), 2), np.nan)
        for at in range(size):
            quality, noise, fractions = design.drawn(rng)
            tests = PermutationPlan(
                {str(r): mixed(quality, noise, r) for r in correlations},
                fractions,
                coefficients=[coefficient],
                n_resamples=n_test_resamples,
                seed=stream(source, at),
                alternative=alternative,
                two_sided=two_sided,
                units=None if design.shared is None else design.shared.crossing,
                exchangeable=None if design.shared is None else design.shared.exchanged,
            ).run()
            answers[at] = [(test.pvalue, test.value) for test in tests]
        return answers

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed, block=block)


def approximate_power(design: StudyDesign, *, alpha: float = 0.05) -> float:
    """About how often a two-sided test of Pearson's correlation finds the design's correlation.

    The fractions' noise attenuates the correlation (Spearman 1904); its z-transform is normal with variance
    1 / (systems - 3) (Fisher 1921). 0 with three systems or fewer. Systems count as independent: for systems that share
    models or methods, `power` simulates the test.

    >>> design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0.7)
    >>> 0.8 < approximate_power(design) < 1
    True
    """
    from scipy.stats import norm

    if design.systems <= 3:
        return 0.0
    observed = min(abs(design.correlation) * math.sqrt(reliability(design)), 1 - 1e-12)
    shift = math.atanh(observed) * math.sqrt(design.systems - 3)
    bound = float(norm.isf(alpha / 2))
    return float(norm.sf(bound - shift) + norm.cdf(-bound - shift))


def reliability(design: StudyDesign) -> float:
    """The share of the variance of the systems' fractions that is due to the systems: in [0, 1]."""
    from scipy.special import expit

    texts, experts = design.instances, design.experts_per_comparison
    within = math.hypot(design.instance_spread, design.expert_spread)
    chances = expit(design.base + within * _NODES[:, None] + design.spread * _NODES)
    weights = _WEIGHTS / _WEIGHTS.sum()
    of_systems = weights @ chances  # the chance of a system of this quality, over texts and experts
    mean = float(weights @ of_systems)
    between = float(weights @ (of_systems - mean) ** 2)
    slope = answer = float(weights @ (chances * (1 - chances)) @ weights)  # of the logistic curve; of one answer
    noise = (slope * design.instance_spread) ** 2 / texts
    noise += ((slope * design.expert_spread) ** 2 + answer) / (texts * experts)
    return between / (between + noise) if between else 0.0
