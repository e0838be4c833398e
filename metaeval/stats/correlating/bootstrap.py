"""Bootstrap intervals of correlations between metric scores and preference fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from annotations.ground.units import ENOUGH_METHODS, Crossing, Exchangeable
from metaeval.checking import as_numbers, checked_array, checked_choice, checked_level, checked_rows
from metaeval.frames import with_target
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, IntervalMethod, bootstrap_interval
from metaeval.stats.responses.judgements import Judgements
from metaeval.stats.results import Statistic

from .coefficients import COEFFICIENTS, Coefficient, stretch_over_systems, undefined_because
from .exchanging import StatisticName, checked_units
from .jackknife import Jackknife
from .judging_noise import JudgingNoise

ONLY_NOISE = "the fractions vary round their line no more than the judges' noise does"

Unit = Literal["systems", "comparisons", "experts"]
UNITS: tuple[Unit, ...] = get_args(Unit)
FEW_EXPERTS = 10


@dataclass(frozen=True)
class CorrelationInterval(Statistic):
    """The coefficient of a row, with its bootstrap interval.

    Attributes
    ----------
    row : str
        Name of the row.
    coefficient : {'pearson', 'spearman', 'kendall'}
        Which coefficient.
    value : float
        In [-1, 1]; NaN where it is undefined.
    n : int
        How many systems.
    interval : Interval
        Its interval.
    over : tuple of {'systems', 'comparisons', 'experts'}
        What was resampled.
    excluded : tuple of str
        Systems that were left out.
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    statistic : {'overall', 'within models', 'within methods'}
        Which correlation it is.
    units : int
        How many units there were to draw from for 'systems'.
    """

    row: str
    coefficient: Coefficient
    value: float
    n: int
    interval: Interval
    over: tuple[Unit, ...]
    excluded: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    statistic: StatisticName = "overall"
    units: int = 0


class CorrelationBootstrap:
    """The bootstrap of correlations, with everything fixed before the first resample is drawn.

    Parameters
    ----------
    scores : mapping from str to array_like, shape (n,)
        Rows of scores by name, one score per system. NaN leaves the system out of the row.
    target : array_like, shape (n,), or Judgements
        One value per system, or the responses about the same systems in the same order. NaN leaves the system out of
        all rows.
    over : sequence of {'systems', 'comparisons', 'experts'}, optional
        What is resampled. The default is systems for a target of values, and all three for `Judgements`.
    coefficients : sequence of {'pearson', 'spearman', 'kendall'}, optional
        Which correlation coefficients. The default is all three.
    n_resamples : int, default 10,000
        How many resamples to draw.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    systems : sequence of str, optional
        Names of the systems, for results and reasons.
    target_name : str, default 'the target'
        What reasons call the target.
    units : Crossing or sequence of (model, method), optional
        Model and method of each system. By default, systems share nothing.
    exchangeable : str, optional
        What is exchanged under the null: 'systems', 'within model', 'methods jointly', 'models jointly', or 'models
        and methods'. The default follows from `units`.

    Raises
    ------
    ValueError
        If the lengths differ, or an option is not one of those above.

    Notes
    -----
    `plan` distributes the work. All rows use the same resamples; a system that is drawn but left out of a row does not
    count in it.

    `units` and `exchangeable` as in `correlation_tests`: whole methods (or models) are then drawn when `systems` are
    resampled, and the coefficient is within models (or methods), as in `jackknife_intervals`.
    """

    def __init__(
        self,
        scores: Mapping[str, npt.ArrayLike],
        target: npt.ArrayLike | Judgements,
        *,
        over: Sequence[Unit] | None = None,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
        n_resamples: int = 10_000,
        seed: Seed | None = None,
        rng: Seed | None = None,
        systems: Sequence[str] | None = None,
        target_name: str = "the target",
        units: Crossing | Sequence[tuple[str, str]] | None = None,
        exchangeable: Exchangeable | None = None,
    ) -> None:
        seed = chosen_seed(seed, rng)
        checked_rows(scores)
        if isinstance(target, Judgements):
            judged, self.judgements, self.fractions = True, target, target.fractions()
        else:
            judged, self.fractions = (
                False,
                checked_array(target_name, target, 1, "one value per system (n,)", missing=True),
            )
            self.judgements = _no_judgements(self.fractions.size)
        self.over = tuple(unit for unit in UNITS if unit in (over or (UNITS if judged else UNITS[:1])))
        if over is not None and set(over) != set(self.over):
            msg = f"over is {tuple(over)}; expected some of {', '.join(UNITS)}"
            raise ValueError(msg)
        if not judged and self.over != UNITS[:1]:
            msg = "comparisons and experts can be resampled only from judgements; a target has systems alone"
            raise ValueError(msg)
        for coefficient in coefficients:
            checked_choice("coefficient", coefficient, COEFFICIENTS)
        self.names, self.coefficients = tuple(scores), tuple(coefficients)
        target, scores = with_target(target, scores)
        rows = [as_numbers(name, row, "one value per system (n,)") for name, row in scores.items()]
        for name, row in zip(self.names, rows, strict=True):
            if row.shape != self.fractions.shape or row.ndim != 1:
                msg = f"{name} has shape {row.shape}, the target {self.fractions.shape}; expected one value per system"
                raise ValueError(msg)
        self.scores = np.where(np.isfinite(rows), rows, np.nan).reshape(len(rows), len(self.fractions))
        default = self.judgements.systems if judged else map(str, range(len(self.fractions)))
        self.systems = tuple(default) if systems is None else tuple(systems)
        if len(self.systems) != len(self.fractions):
            msg = f"{len(self.systems)} names of systems for {len(self.fractions)} values of {target_name}"
            raise ValueError(msg)
        self.target_name = target_name
        self._crossing, self.exchangeable = checked_units(units, exchangeable, len(self.fractions))
        self._units = Jackknife(self._crossing, self.exchangeable, np.ones(len(self.fractions), dtype=np.bool_))
        noise = JudgingNoise.of(self.judgements, self.fractions)
        parts = None if self._units.statistic == "overall" else self._units.parts
        shrunken = [noise.shrunken(self.over, self.fractions, row, parts) for row in self.scores]
        self._scales = np.array([found.scale for found in shrunken])
        self._pulls = np.array([found.pull for found in shrunken]).reshape(self.scores.shape)
        self._only_noise = [found.only_noise for found in shrunken]
        self.plan = ResamplingPlan(self._draw, n_resamples=n_resamples, seed=seed)

    def intervals(
        self, replicates: Replicates, *, confidence_level: float = 0.95, method: IntervalMethod = "bca"
    ) -> tuple[CorrelationInterval, ...]:
        """The results of every coefficient, row by row, from all replicates (n_resamples, coefficients, rows).

        See `correlation_intervals`.
        """
        return tuple(
            self._interval(coefficient, row, replicates[:, place, row], confidence_level, method)
            for place, coefficient in enumerate(self.coefficients)
            for row in range(len(self.names))
        )

    def _draw(self, stream: np.random.SeedSequence, size: int) -> Replicates:
        from metaeval.generator import state

        from . import bootstrap_kernels, coefficient_kernels, unit_bootstrap_kernels

        drawn = (
            state(stream),
            size,
            bootstrap_kernels.Over(*(unit in self.over for unit in UNITS)),
            self.scores,
            self.fractions,
            bootstrap_kernels.Shrinkage(self._scales, self._pulls),
            self.judgements.responses(),
            np.array([coefficient_kernels.NUMBER[coefficient] for coefficient in self.coefficients]),
        )
        found: Replicates
        if self.exchangeable == "systems":
            found = bootstrap_kernels.replicate(*drawn)
            return found
        owners = self._units.owners
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners))])
        parts = np.unique(self._units.parts, return_inverse=True)[1]
        units = unit_bootstrap_kernels.DrawnUnits(starts, np.argsort(owners, kind="stable"), parts)
        found = unit_bootstrap_kernels.replicate_units(*drawn, units)
        return found

    def _interval(
        self, coefficient: Coefficient, row: int, replicates: Vector, confidence_level: float, method: IntervalMethod
    ) -> CorrelationInterval:
        kept = np.isfinite(self.scores[row]) & np.isfinite(self.fractions)
        x, y = self.scores[row, kept], self.fractions[kept]
        own = Jackknife(self._crossing, self.exchangeable, kept)
        draws_units = "systems" in self.over
        if self.exchangeable == "systems":
            reason = undefined_because(x, y, self.names[row], self.target_name)
        else:
            reason = own.undefined_because(
                x, y, (self.names[row], self.target_name), fewest=ENOUGH_METHODS if draws_units else 0
            )
        value = own.value(x, y, coefficient)
        accelerated = not reason and draws_units and method == "bca"
        interval = bootstrap_interval(
            replicates,
            confidence_level=confidence_level,
            method=method,
            observed=value,
            jackknife=self._without_each(own, x, y, coefficient) if accelerated else [],
            centred=True,
            stretch=1.0 if reason else self._stretch(own, coefficient, confidence_level),
            undefined_because=reason,
        )
        excluded = tuple(system for system, keep in zip(self.systems, kept, strict=True) if not keep)
        return CorrelationInterval(
            self.names[row],
            coefficient,
            value,
            int(kept.sum()),
            interval,
            self.over,
            excluded,
            reason,
            self._notes(row),
            own.statistic,
            own.count,
        )

    def _without_each(self, own: Jackknife, x: Vector, y: Vector, coefficient: Coefficient) -> list[float]:
        if self.exchangeable == "systems":
            return _jackknife(x, y, coefficient)
        return own.without_each(x, y, coefficient)

    def _stretch(self, own: Jackknife, coefficient: Coefficient, confidence_level: float) -> float:
        """The stretch for n drawn systems, or for J drawn units: these are few, so Student's quantile replaces the
        normal one (Hesterberg 2015, What Teachers Should Know about the Bootstrap, the expanded interval)."""

        from scipy.special import ndtri, stdtrit

        if self.exchangeable == "systems":
            return stretch_over_systems(coefficient, own.count) if self.over == UNITS[:1] else 1.0
        if "systems" not in self.over:
            return 1.0
        tail = (1 + confidence_level) / 2
        return stretch_over_systems(coefficient, own.count) * float(stdtrit(own.count - 1, tail) / ndtri(tail))

    def _notes(self, row: int) -> tuple[str, ...]:
        notes = []
        if "experts" in self.over and self.judgements.experts < FEW_EXPERTS:
            notes.append(f"{self.judgements.experts} experts are few to resample: the interval may be too narrow")
        if self._only_noise[row]:
            notes.append(ONLY_NOISE)
        return tuple(notes)


def correlation_intervals(
    scores: Mapping[str, npt.ArrayLike],
    target: npt.ArrayLike | Judgements,
    *,
    over: Sequence[Unit] | None = None,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    method: IntervalMethod = "bca",
    seed: Seed | None = None,
    rng: Seed | None = None,
    systems: Sequence[str] | None = None,
    units: Crossing | Sequence[tuple[str, str]] | None = None,
    exchangeable: Exchangeable | None = None,
    progress: Steps | None = None,
) -> tuple[CorrelationInterval, ...]:
    """Intervals of the correlation between every row of scores and the target over systems.

    Parameters
    ----------
    scores : mapping from str to array_like, shape (n,)
        Rows of scores by name, one score per system. NaN leaves the system out of the row.
    target : array_like, shape (n,), or Judgements
        One value per system, or the responses about the same systems in the same order. NaN leaves the system out of
        all rows.
    over : sequence of {'systems', 'comparisons', 'experts'}, optional
        What is resampled. The default is systems for a target of values, and all three for `Judgements`.
    coefficients : sequence of {'pearson', 'spearman', 'kendall'}, optional
        Which correlation coefficients. The default is all three.
    n_resamples : int, default 10,000
        How many resamples to draw.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    method : {'bca', 'percentile'}, default 'bca'
        How the limits are computed from the replicates.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    systems : sequence of str, optional
        Names of the systems, for results and reasons.
    units : Crossing or sequence of (model, method), optional
        Model and method of each system. By default, systems share nothing.
    exchangeable : str, optional
        What is exchanged under the null: 'systems', 'within model', 'methods jointly', 'models jointly', or 'models
        and methods'. The default follows from `units`.
    progress : callable, optional
        Called with the numbers of steps done and of all steps.

    Returns
    -------
    tuple of CorrelationInterval
        For each coefficient, one per row; limits in [-1, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ, or an option is not one of those above.

    Notes
    -----
    The interval is for *the correlation that a repetition of the study would show on average*: a study of the same size
    with new draws of what `over` lists. (The judges' noise is part of that correlation: perfect judges would show a
    higher one.) A drawn system draws its own comparisons; an expert is drawn with all of their responses. The added
    noise is scaled to that of a repetition (`JudgingNoise`; Owen 2007, The pigeonhole bootstrap), and the replicates
    are centred on the observed value (`bootstrap_interval`, `centred`); over systems, limits are stretched slightly
    (`stretch_over_systems`). If systems are not drawn, BCa equals percentile.

    In simulations with 6 to 25 systems and 48 to 112 responses each, both methods cover 92 to 96.5% for every
    coefficient and `over`; with fewer than about ten experts, resampling experts alone covers a point less.

    With `units`, (model, method) of each system, whole methods are drawn (or what `exchangeable` says), and the
    coefficient is within models; fewer than 6 of them give no interval. `jackknife_intervals` needs no resamples, and
    is the default of analyses. See `bootstrap_interval` for what is undefined.

    References
    ----------
    Deutsch et al. 2021, A Statistical Analysis of Summarization Evaluation Metrics, the section on bootstrapping, for
    metrics; Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8, for hierarchical data.

    Examples
    --------
    >>> metric = {"m": [0.62, 0.58, 0.71, 0.7, 0.49, 0.66, 0.8, 0.75]}
    >>> fractions = [0.3, 0.25, 0.41, 0.37, 0.25, 0.33, 0.36, 0.45]
    >>> (found,) = correlation_intervals(metric, fractions, coefficients=["pearson"], n_resamples=2000)
    >>> found.interval.low < found.value < found.interval.high
    True
    """
    seed = chosen_seed(seed, rng)
    checked_level(confidence_level)
    checked_choice("method", method, get_args(IntervalMethod))
    bootstrap = CorrelationBootstrap(
        scores,
        target,
        over=over,
        coefficients=coefficients,
        n_resamples=n_resamples,
        seed=seed,
        systems=systems,
        units=units,
        exchangeable=exchangeable,
    )
    return bootstrap.intervals(bootstrap.plan.run(progress), confidence_level=confidence_level, method=method)


def _jackknife(x: Vector, y: Vector, name: Coefficient) -> list[float]:
    """The coefficient without each system in turn; NaN where it is undefined."""
    from .coefficient_kernels import NUMBER, coefficient

    n = len(x) - 1
    room = np.empty(len(x)), np.empty(len(x))
    return [float(coefficient(NUMBER[name], np.delete(x, i), np.delete(y, i), n, *room)) for i in range(len(x))]


def _no_judgements(systems: int) -> Judgements:
    """Stands in for judgements if only a target is given; only its shape is read."""
    none, starts = np.zeros(0), np.zeros(systems + 1, dtype=np.int64)
    nobody = np.zeros(0, dtype=np.int64)
    return Judgements(("",) * systems, nobody, nobody, none, none, starts, starts, 0)
