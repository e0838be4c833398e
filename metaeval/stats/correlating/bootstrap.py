"""Bootstrap intervals of correlations between metric scores and preference fractions, which judges' noise moves.

A fraction is f = sum w c / sum w over a system's responses (w the weight, c in [0, 1] what was chosen); response r
contributes d_r = w_r (c_r - f) / sum w to its deviation. With A = sum over comparisons of (sum of d)^2, B = sum over
experts of (sum of d)^2 and C = sum of d^2, the variance of f over new comparisons and new experts is about A + B - C,
because A and B both contain the noise of the single responses; resampling comparisons and experts multiplies their
counts and yields A + B + C, up to three times as much. `JudgingNoise.scale` corrects for this.

Source: Owen 2007, The pigeonhole bootstrap, section 4 (what it overestimates); Cameron, Gelbach and Miller 2011, Robust
inference with multiway clustering, section 2.2 (A + B - C).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Matrix, Vector
from annotations.ground.units import ENOUGH_METHODS, Crossing, Exchangeable
from metaeval.checking import checked_choice, checked_level
from metaeval.describing import described, described_as
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, IntervalMethod, bootstrap_interval
from metaeval.stats.responses.judgements import Judgements
from metaeval.stats.results import Statistic

from .coefficients import COEFFICIENTS, Coefficient, stretch_over_systems, undefined_because
from .exchanging import StatisticName, checked_scores, checked_units
from .jackknife import Jackknife, jackknife_intervals

ONLY_NOISE = "the fractions vary round their line no more than the judges' noise does"
Unit = Literal["systems", "comparisons", "experts"]
UNITS: tuple[Unit, ...] = get_args(Unit)
FEW_EXPERTS = 10


class Shrunken(NamedTuple):
    """What `JudgingNoise.shrunken` returns; `only_noise` if noise explains everything that the line does not."""

    scale: float
    pull: Vector
    only_noise: bool = False


@dataclass(frozen=True)
class JudgingNoise:
    """Parts of the noise of S systems' fractions: A and C (S,), and the experts' summed deviations (S, E), whose
    products give B and the covariance of two systems through a common expert.

    `comparisons` (S,) and `responses` (S,) are counts. Systems without a fraction have zeros.
    """

    by_comparison: Vector
    by_expert: Matrix
    by_response: Vector
    comparisons: Codes
    responses: Codes

    @classmethod
    def of(cls, judged: Judgements, fractions: Vector) -> JudgingNoise:
        """From the responses and their fractions (S,)."""
        systems = len(judged.systems)
        responses = np.diff(judged.system_starts)
        comparisons = np.diff(judged.comparison_starts)
        row = np.repeat(np.arange(systems), responses)
        load = np.bincount(row, judged.weight, minlength=systems)[row]
        away = judged.weight * (judged.chosen - fractions[row])
        deviation = np.divide(away, load, out=np.zeros(len(row)), where=load > 0)
        comparison = judged.comparison_starts[row] + judged.comparison
        summed = np.bincount(comparison, deviation, minlength=int(judged.comparison_starts[-1]))
        owner = np.repeat(np.arange(systems), comparisons)
        by_expert = (
            np.bincount(row * judged.experts + judged.expert, deviation, minlength=systems * judged.experts)
            .astype(np.float64)
            .reshape(systems, judged.experts)
        )
        return cls(
            by_comparison=np.bincount(owner, summed**2, minlength=systems).astype(np.float64),
            by_expert=by_expert,
            by_response=np.bincount(row, deviation**2, minlength=systems).astype(np.float64),
            comparisons=comparisons,
            responses=responses,
        )

    def variances(self, over: Collection[str], projector: Matrix | None = None) -> tuple[float, float]:
        """The noise that resampling `over` adds, and that of a repetition, summed over systems.

        With a symmetric projector (S, S), that of the projected fractions: its trace with the covariance matrix. A
        component estimated as negative counts as zero. Factors n / (n - 1) undo the loss from centring at the observed
        fraction, for comparisons, experts and responses.
        """
        ones = np.eye(len(self.by_response)) if projector is None else projector
        own = np.diag(ones)
        experts = self.by_expert.shape[1]
        a, c = own * self.by_comparison, own * self.by_response
        b_own = own * (self.by_expert**2).sum(axis=1)
        b = float(((ones @ self.by_expert) ** 2).sum())  # systems share experts, so this is not the sum of b_own
        few, people = np.maximum(self.comparisons, 2), max(experts, 2)
        truly_a = float((a * few / (few - 1)).sum())
        truly_b = b * people / (people - 1)
        truly_c = float((c * np.maximum(self.responses, 2) / np.maximum(self.responses - 1, 1)).sum())
        if "comparisons" not in over:
            return (b, truly_b) if "experts" in over else (0.0, 0.0)
        if "experts" not in over:
            return float(a.sum()), truly_a
        added = float((a * (1 - 1 / people) + c - b_own / few).sum()) + b
        return added, truly_c + max(0.0, truly_a - truly_c) + max(0.0, truly_b - truly_c)

    def scale(self, over: Collection[str]) -> float:
        """The factor for the deviations of resampled from observed fractions that makes them vary as much as a
        repetition's."""
        added, true = self.variances(over)
        return float(np.sqrt(true / added)) if added > 0 else 1.0

    def shrunken(
        self, over: Collection[str], fractions: Vector, scores: Vector, parts: Codes | None = None
    ) -> Shrunken:
        """This factor for one row of scores (S,), and what is then subtracted from the fractions (S,).

        The observed fractions already contain the judges' noise. The residuals e of their regression on the scores are
        therefore multiplied by s, s^2 = 1 - v / sum e^2, v the projected noise of a repetition, before resampling adds
        the noise again: this preserves the sum of squares, and so the correlation. (1 - s) e is returned. If v is at
        least that sum, s = 0: everything seen may be noise. Systems with NaN in either get 0. `parts` (S,), for a
        correlation within parts: their means are projected out too, since they do not vary.

        Source: Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8 (shrunken first stage).
        """
        nothing = np.zeros(len(scores))
        if not {"comparisons", "experts"} & set(over):
            return Shrunken(1.0, nothing)  # no noise is added, and the projector would be (S, S)
        is_defined = np.isfinite(scores) & np.isfinite(fractions)
        fitted = np.ones((int(is_defined.sum()), 1))
        if parts is not None:
            fitted = (parts[is_defined][:, np.newaxis] == np.unique(parts[is_defined])).astype(np.float64)
        if is_defined.sum() < fitted.shape[1] + 2:
            return Shrunken(1.0, nothing)
        line = np.column_stack([fitted, scores[is_defined] - scores[is_defined].mean()])
        projector = np.zeros((len(scores), len(scores)))
        projector[np.ix_(is_defined, is_defined)] = np.eye(int(is_defined.sum())) - line @ np.linalg.pinv(line)
        added, true = self.variances(over, projector)
        residuals = projector @ np.where(is_defined, fractions, 0.0)
        squares = float(residuals @ residuals)
        if added <= 0 or squares <= 0:
            return Shrunken(1.0, nothing)
        remaining = max(0.0, 1 - true / squares)
        return Shrunken(float(np.sqrt(true / added)), (1 - np.sqrt(remaining)) * residuals, remaining == 0.0)


@described
@dataclass(frozen=True)
class CorrelationInterval(Statistic):
    """The coefficient of a row, with its bootstrap interval."""

    row: str
    """Name of the row."""
    coefficient: Coefficient
    """Which coefficient."""
    value: float
    """In [-1, 1]; NaN where it is undefined."""
    n: int
    """How many systems."""
    interval: Interval
    """Its interval."""
    over: tuple[Unit, ...]
    """What was resampled."""
    excluded: tuple[str, ...] = ()
    """Systems that were left out."""
    reason: str = ""
    notes: tuple[str, ...] = ()
    statistic: StatisticName = "overall"
    """Which correlation it is."""
    units: int = 0
    """How many units there were to draw from for 'systems'."""


@described_as(jackknife_intervals)
class CorrelationBootstrap:
    """The bootstrap of correlations, with everything fixed before the first resample is drawn.

    Parameters
    ----------
    target : array_like, shape (n,), or Judgements
        One value per system, or the responses about the same systems in the same order. NaN leaves the system out of
        all rows.
    over : sequence of {'systems', 'comparisons', 'experts'}, optional
        What is resampled. The default is systems for a target of values, and all three for `Judgements`.
    n_resamples : int, default 10,000
        How many resamples to draw.

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
        judged = target if isinstance(target, Judgements) else None
        values = target.fractions() if isinstance(target, Judgements) else target
        names = judged.systems if judged is not None and systems is None else systems
        rows, self.fractions, self.systems = checked_scores(scores, values, target_name, names)
        self.judgements = judged or _no_judgements(len(self.fractions))
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
        self.scores = np.where(np.isfinite(rows), rows, np.nan)
        self.target_name = target_name
        self._crossing, self.exchangeable = checked_units(units, exchangeable, len(self.fractions))
        self._units = Jackknife(self._crossing, self.exchangeable, np.ones(len(self.fractions), dtype=np.bool_))
        noise = JudgingNoise.of(self.judgements, self.fractions)
        parts = None if self._units.statistic == "overall" else self._units.parts
        shrunken = [noise.shrunken(self.over, self.fractions, row, parts) for row in self.scores]
        self._scales = np.array([metric.scale for metric in shrunken])
        self._pulls = np.array([metric.pull for metric in shrunken]).reshape(self.scores.shape)
        self._only_noise = [metric.only_noise for metric in shrunken]
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

        from . import bootstrap_kernels as kernels
        from .coefficient_kernels import NUMBER

        drawn = (
            state(stream),
            size,
            kernels.Over(*(unit in self.over for unit in UNITS)),
            self.scores,
            self.fractions,
            kernels.Shrinkage(self._scales, self._pulls),
            self.judgements.responses(),
            np.array([NUMBER[coefficient] for coefficient in self.coefficients]),
        )
        replicates: Replicates
        if self.exchangeable == "systems":
            replicates = kernels.replicate(*drawn)
            return replicates
        owners = self._units.owners
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners))])
        parts = np.unique(self._units.parts, return_inverse=True)[1]
        units = kernels.DrawnUnits(starts, np.argsort(owners, kind="stable"), parts)
        replicates = kernels.replicate_units(*drawn, units)
        return replicates

    def _interval(
        self, coefficient: Coefficient, row: int, replicates: Vector, confidence_level: float, method: IntervalMethod
    ) -> CorrelationInterval:
        is_defined = np.isfinite(self.scores[row]) & np.isfinite(self.fractions)
        x, y = self.scores[row, is_defined], self.fractions[is_defined]
        own = Jackknife(self._crossing, self.exchangeable, is_defined)
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
        excluded = tuple(system for system, keep in zip(self.systems, is_defined, strict=True) if not keep)
        return CorrelationInterval(
            self.names[row],
            coefficient,
            value,
            int(is_defined.sum()),
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


@described_as(CorrelationBootstrap)
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
    method : {'bca', 'percentile'}, default 'bca'
        How the limits are computed from the replicates.

    Returns
    -------
    tuple of CorrelationInterval
        For each coefficient, one per row; limits in [-1, 1], or NaN with a reason.

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
