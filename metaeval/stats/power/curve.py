"""The probability of finding a correlation, as a curve over the true one, for a planned design or existing
responses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.arrays import Codes, Vector
from annotations.ground.units import Exchangeable
from metaeval.checking import checked_array, checked_choice, checked_count, checked_level, checked_number
from metaeval.describing import described, described_as
from metaeval.frames import DataFrame
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.correlating.coefficients import COEFFICIENTS, Coefficient
from metaeval.stats.intervals import wilson_interval
from metaeval.stats.resampling import Alternative, TwoSided, refuse_out_of_reach
from metaeval.stats.responses.judgements import Judgements
from metaeval.stats.results import Statistic, to_frame

from .planned import Design, SharedUnits, attainable_p, checked_design, power, power_plan, unreachable

BLOCK = 32
CORRELATIONS = tuple(round(0.05 * step, 2) for step in range(21))
"""True correlations of a curve, unless the caller gives others."""


@described
@dataclass(frozen=True)
class JudgedDesign:
    """A study's existing responses: the same experts on the same comparisons, who answer anew each time.

    Notes
    -----
    On the scale of log-odds, the probability that a response prefers a system is normal around `base`.
    """

    systems: int
    """How many there are."""
    row: Codes
    comparison: Codes
    expert: Codes
    """(R,): The system, comparison and expert of each response, numbered from 0."""
    base: float
    """Mean log-odds that a response prefers a system."""
    spread: float
    instance_spread: float
    expert_spread: float
    """Standard deviations on that scale: between systems, comparisons and experts."""
    shared: SharedUnits | None = None
    """As in `StudyDesign`."""

    @classmethod
    def of(
        cls,
        judged: Judgements,
        *,
        base: float,
        spread: float,
        instance_spread: float,
        expert_spread: float,
        shared: SharedUnits | None = None,
    ) -> JudgedDesign:
        """The design of these responses; systems without any are left out (also of `shared`, which names all)."""
        sizes = np.diff(judged.system_starts)
        row = np.repeat(np.arange(len(sizes)), sizes)
        _, number = np.unique(row, return_inverse=True)
        return cls(
            systems=int((sizes > 0).sum()),
            row=number.astype(np.int64),
            comparison=judged.comparison_starts[row] + judged.comparison,
            expert=judged.expert,
            base=base,
            spread=spread,
            instance_spread=instance_spread,
            expert_spread=expert_spread,
            shared=None if shared is None else shared.of_systems(np.flatnonzero(sizes > 0)),
        )

    def drawn(self, rng: np.random.Generator) -> tuple[Vector, Vector, Vector]:
        """See `Design`."""
        from scipy.special import expit

        if self.shared is None:
            quality, noise = rng.normal(size=(2, self.systems))
        else:
            quality, noise = self.shared.drawn(rng), self.shared.drawn(rng)
        texts = rng.normal(0, self.instance_spread, int(self.comparison.max()) + 1)
        people = rng.normal(0, self.expert_spread, int(self.expert.max()) + 1)
        logit = self.base + self.spread * quality[self.row] + texts[self.comparison] + people[self.expert]
        chosen = (rng.random(len(logit)) < expit(logit)).astype(np.float64)
        return quality, noise, np.bincount(self.row, chosen) / np.bincount(self.row)


@described
@dataclass(frozen=True)
class PowerPoint(Statistic):
    """The share of simulated studies that find one true correlation."""

    correlation: float
    """The true correlation."""
    power: float
    """The share, in [0, 1]."""
    low: float
    high: float
    """Wilson's interval for the simulation's error."""
    mean_observed: float
    """The coefficient that these studies show on average."""


@described
@dataclass(frozen=True)
class PowerCurve(Statistic):
    """Power at every true correlation, and the smallest one that is found often enough."""

    points: tuple[PowerPoint, ...]
    """One per true correlation."""
    smallest: float
    """The smallest correlation that a share of `target` of such studies would find, interpolated between the points;
    NaN if no correlation is found that often."""
    target: float
    """The required share."""
    alpha: float
    """Level of the test."""
    confidence_level: float
    """Confidence level of the interval."""
    n_resamples: int
    """How many studies were simulated."""
    undefined: int
    """How many studies had no coefficient, and so found nothing."""
    reason: str = ""
    """Why there is no smallest correlation; empty if there is one."""
    exchangeable: Exchangeable = "systems"
    """What the test exchanges."""
    smallest_p: float = math.nan
    """The smallest p-value that the test can give, whatever the data."""
    notes: tuple[str, ...] = ()

    def to_frame(self) -> DataFrame:
        """One row per true `correlation`."""
        return to_frame(self.points, index=["correlation"])


@described_as(power)
def power_curve(
    design: Design,
    *,
    correlations: Sequence[float] = CORRELATIONS,
    coefficient: Coefficient = "pearson",
    alpha: float = 0.05,
    target: float = 0.8,
    n_resamples: int = 1000,
    n_test_resamples: int = 1999,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    confidence_level: float = 0.95,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> PowerCurve:
    """How often a study of this design finds each of several true correlations.

    Parameters
    ----------
    design : StudyDesign or JudgedDesign
        The planned study, or the responses of one.
    correlations : sequence of float, optional
        True correlations, rising, in [0, 1].
    target : float, default 0.8
        The share of studies that should find the smallest correlation.

    Returns
    -------
    PowerCurve
        One point per correlation, and the smallest one that is found often enough.

    Raises
    ------
    ValueError
        If the correlations do not rise, or so few permutations cannot reach alpha.

    Notes
    -----
    As `power`, which explains the simulation, but every simulated study is tested with metrics of all these
    correlations at once, so the points of a curve differ by little else than the correlation. A study in which all
    fractions are equal finds nothing and is counted as `undefined`.

    References
    ----------
    as `power`; the smallest detectable effect is that of Cohen 1988, Statistical Power Analysis.

    Examples
    --------
    >>> from metaeval.stats import StudyDesign
    >>> design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0)
    >>> curve = power_curve(design, n_resamples=100, n_test_resamples=199)
    >>> 0.5 < curve.smallest < 0.8
    True
    """
    seed = chosen_seed(seed, rng)
    checked_design(design)
    checked_count("n_resamples", n_resamples)
    checked_count("n_test_resamples", n_test_resamples)
    checked_level(confidence_level)
    checked_choice("coefficient", coefficient, COEFFICIENTS)
    checked_number("target", target, least=1e-12, most=1, expected="the share of studies to find it, in (0, 1]")
    refuse_out_of_reach(alpha, n_resamples=n_test_resamples, alternative=alternative, two_sided=two_sided)
    plan = power_curve_plan(
        design,
        correlations=correlations,
        coefficient=coefficient,
        n_resamples=n_resamples,
        n_test_resamples=n_test_resamples,
        alternative=alternative,
        two_sided=two_sided,
        seed=seed,
    )
    curve = curve_of(
        plan.run(progress), correlations=correlations, alpha=alpha, target=target, confidence_level=confidence_level
    )
    attainable = attainable_p(
        design.shared,
        systems=design.systems,
        n_resamples=n_test_resamples,
        alternative=alternative,
        two_sided=two_sided,
    )
    exchanged: Exchangeable = "systems" if design.shared is None else design.shared.exchanged
    notes = unreachable(alpha, attainable)
    return replace(curve, exchangeable=exchanged, smallest_p=attainable, notes=notes)


def power_curve_plan(
    design: Design,
    *,
    correlations: Sequence[float],
    coefficient: Coefficient,
    n_resamples: int,
    n_test_resamples: int,
    alternative: Alternative,
    two_sided: TwoSided,
    seed: Seed,
) -> ResamplingPlan:
    """p-value and observed coefficient at every correlation of every simulated study (n_resamples, correlations, 2)."""
    rising = checked_array("correlations", correlations, 1, "values in [0, 1] that rise", least=1)
    if not (np.diff(rising) > 0).all() or rising[0] < 0 or rising[-1] > 1:
        msg = f"correlations are {list(correlations)}; expected values in [0, 1] that rise"
        raise ValueError(msg)
    return power_plan(
        design,
        correlations=correlations,
        coefficient=coefficient,
        n_resamples=n_resamples,
        n_test_resamples=n_test_resamples,
        alternative=alternative,
        two_sided=two_sided,
        seed=seed,
        block=BLOCK,
    )


def curve_of(
    replicates: Replicates,
    *,
    correlations: Sequence[float],
    alpha: float,
    target: float,
    confidence_level: float = 0.95,
) -> PowerCurve:
    """The curve, from the replicates of `power_curve_plan`."""
    n_resamples = len(replicates)
    points = []
    for place, true in enumerate(correlations):
        p, observed = replicates[:, place, 0], replicates[:, place, 1]
        significant = int((p <= alpha).sum())
        low, high = wilson_interval(significant, n_resamples, confidence_level=confidence_level)
        defined = observed[~np.isnan(observed)]
        mean = float(defined.mean()) if len(defined) else math.nan
        points.append(PowerPoint(true, significant / n_resamples, low, high, mean))
    smallest, reason = _crossing([(point.correlation, point.power) for point in points], target)
    undefined = int(np.isnan(replicates[:, -1, 1]).sum())
    return PowerCurve(tuple(points), smallest, target, alpha, confidence_level, n_resamples, undefined, reason)


def _crossing(points: Sequence[tuple[float, float]], target: float) -> tuple[float, str]:
    """Where the curve reaches the target, interpolated linearly; NaN with the reason if it does not.

    >>> _crossing([(0.0, 0.05), (0.5, 0.6), (1.0, 1.0)], 0.8)
    (0.75, '')
    """
    before = points[0]
    for point in points:
        if point[1] >= target:
            (x0, y0), (x1, y1) = before, point
            return (x1, "") if y1 == y0 else (x0 + (target - y0) / (y1 - y0) * (x1 - x0), "")
        before = point
    last, power = points[-1]
    return math.nan, f"even a correlation of {last:g} is found in only {100 * power:.0f}% of such studies"
