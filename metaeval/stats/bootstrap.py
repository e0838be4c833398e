"""Bootstrap intervals of correlations between metric scores and preference fractions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from .coefficients import COEFFICIENTS, Coefficient, Vector, correlation, undefined_because
from .intervals import Interval, IntervalMethod, bootstrap_interval
from .judgements import Judgements
from .resampling import Progress, Replicates, ResamplingPlan, checked_choice
from .results import Result
from .seeds import Seed

Unit = Literal["systems", "comparisons", "experts"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class CorrelationInterval(Result):
    """A row's coefficient with its bootstrap interval, over what was resampled, and who was left out."""

    row: str
    coefficient: Coefficient
    value: float
    n: int
    interval: Interval
    over: tuple[Unit, ...]
    excluded: tuple[str, ...] = ()
    reason: str = ""


class CorrelationBootstrap:
    """Everything of the intervals that is settled before the first resample is drawn; `plan` shares out the work.

    `scores` maps a row's name to one score a system; `target` is one value a system, or `Judgements` of the same
    systems in the same order. NaN leaves a system out of the row (a score) or out of all (a target); all rows share the
    resamples, and a system that is drawn but left out of a row does not count in it.
    """

    def __init__(
        self,
        scores: Mapping[str, npt.ArrayLike],
        target: npt.ArrayLike | Judgements,
        *,
        over: Sequence[Unit] | None = None,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
        resamples: int = 10_000,
        seed: Seed = 0,
        systems: Sequence[str] | None = None,
        target_name: str = "the target",
    ) -> None:
        if isinstance(target, Judgements):
            judged, self.judgements, self.fractions = True, target, target.fractions()
        else:
            judged, self.fractions = False, np.asarray(target, dtype=np.float64)
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
        rows = [np.asarray(row, dtype=np.float64) for row in scores.values()]
        for name, row in zip(self.names, rows, strict=True):
            if row.shape != self.fractions.shape or row.ndim != 1:
                msg = f"{name} has shape {row.shape}, the target {self.fractions.shape}; expected one value a system"
                raise ValueError(msg)
        self.scores = np.where(np.isfinite(rows), rows, np.nan).reshape(len(rows), len(self.fractions))
        default = self.judgements.systems if judged else map(str, range(len(self.fractions)))
        self.systems = tuple(default) if systems is None else tuple(systems)
        if len(self.systems) != len(self.fractions):
            msg = f"{len(self.systems)} names of systems for {len(self.fractions)} values of {target_name}"
            raise ValueError(msg)
        self.target_name = target_name
        self.plan = ResamplingPlan(self._draw, resamples=resamples, seed=seed)

    def intervals(
        self, replicates: Replicates, *, level: float = 0.95, method: IntervalMethod | None = None
    ) -> tuple[CorrelationInterval, ...]:
        """The results of every coefficient, row by row, from all replicates (resamples, coefficients, rows).

        `method` is, by default, percentile when systems and judgements were resampled, and BCa otherwise.
        """
        chosen: IntervalMethod = method or ("percentile" if "systems" in self.over and len(self.over) > 1 else "bca")
        return tuple(
            self._interval(coefficient, row, replicates[:, place, row], level, chosen)
            for place, coefficient in enumerate(self.coefficients)
            for row in range(len(self.names))
        )

    def _draw(self, stream: np.random.SeedSequence, size: int) -> Replicates:
        from . import bootstrap_kernels, coefficient_kernels

        judged = self.judgements
        found: Replicates = bootstrap_kernels.replicate(
            stream.generate_state(4, np.uint64),
            size,
            *(unit in self.over for unit in UNITS),
            self.scores,
            self.fractions,
            judged.comparison,
            judged.expert,
            judged.chosen,
            judged.weight,
            judged.system_starts,
            judged.comparison_starts,
            judged.experts,
            np.array([coefficient_kernels.NUMBER[coefficient] for coefficient in self.coefficients]),
        )
        return found

    def _interval(
        self, coefficient: Coefficient, row: int, replicates: Vector, level: float, method: IntervalMethod
    ) -> CorrelationInterval:
        kept = np.isfinite(self.scores[row]) & np.isfinite(self.fractions)
        x, y = self.scores[row, kept], self.fractions[kept]
        reason = undefined_because(x, y, self.names[row], self.target_name)
        value = math.nan if reason else correlation(x, y, coefficient).value
        leave_one_out = [] if reason or "systems" not in self.over or method != "bca" else _jackknife(x, y, coefficient)
        interval = bootstrap_interval(
            np.full_like(replicates, np.nan) if reason else replicates,
            level=level,
            method=method,
            observed=value,
            jackknife=leave_one_out,
        )
        excluded = tuple(system for system, keep in zip(self.systems, kept, strict=True) if not keep)
        return CorrelationInterval(
            self.names[row], coefficient, value, int(kept.sum()), interval, self.over, excluded, reason
        )


def correlation_intervals(
    scores: Mapping[str, npt.ArrayLike],
    target: npt.ArrayLike | Judgements,
    *,
    over: Sequence[Unit] | None = None,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    resamples: int = 10_000,
    level: float = 0.95,
    method: IntervalMethod | None = None,
    seed: Seed = 0,
    systems: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> tuple[CorrelationInterval, ...]:
    """Intervals of the correlation between every row of scores and the target over systems.

    With a `target` of one value a system, systems are resampled. With `Judgements`, `over` says what is: `systems`
    (would other systems show this correlation between metric and *observed* fraction?), `comparisons` within each
    system and `experts` across all of them, each taken with all of their responses (would other texts and other
    people?), or, by default, all three. Each drawn system draws its own comparisons; a response then counts as often as
    its comparison times its expert was drawn (Owen 2007, The pigeonhole bootstrap, which errs on the wide side).
    Resampling all three counts the judgements' error twice where systems differ little, and errs on the wide side
    too; leaving it out would hide that about a hundred judgements stand behind a fraction.

    `method`: the judgements' noise pulls the observed correlation, and the replicates once more, towards zero. By
    default percentile where systems and judgements are resampled: for the correlation with observed fractions it then
    covers 97 % where 95 % are promised, BCa 81 to 89 % (simulated: 25 systems, 112 responses each). BCa elsewhere: 94 %
    for systems alone; for comparisons and experts alone, about the correlation of the same systems without noise, 83 to
    97 % against 59 to 92 %. BCa's acceleration comes from leaving out one system at a time, where systems are drawn.
    Range of both limits [-1, 1]. See `bootstrap_interval` for what is undefined.

    Source: Deutsch et al. 2021 for metrics; Davison and Hinkley 1997, section 3.8, for hierarchical data.

    >>> metric = {"m": [0.62, 0.58, 0.71, 0.7, 0.49, 0.66, 0.8, 0.75]}
    >>> fractions = [0.3, 0.25, 0.41, 0.37, 0.25, 0.33, 0.36, 0.45]
    >>> (found,) = correlation_intervals(metric, fractions, coefficients=["pearson"], resamples=2000)
    >>> found.interval.low < found.value < found.interval.high
    True
    """
    bootstrap = CorrelationBootstrap(
        scores, target, over=over, coefficients=coefficients, resamples=resamples, seed=seed, systems=systems
    )
    return bootstrap.intervals(bootstrap.plan.run(progress), level=level, method=method)


def _jackknife(x: Vector, y: Vector, coefficient: Coefficient) -> list[float]:
    """The coefficient without each system in turn; NaN where that is undefined."""
    keep = ~np.eye(len(x), dtype=bool)
    return [correlation(x[kept], y[kept], coefficient).value for kept in keep]


def _no_judgements(systems: int) -> Judgements:
    """Stands in for judgements where only a target is given; nothing of it is read but its shape."""
    none, starts = np.zeros(0), np.zeros(systems + 1, dtype=np.int64)
    nobody = np.zeros(0, dtype=np.int64)
    return Judgements(("",) * systems, nobody, nobody, none, none, starts, starts, 0)
