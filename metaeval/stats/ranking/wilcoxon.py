"""Wilcoxon's signed-rank test, exact with ties and zeros too, and the leaderboard that is built on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from annotations.arrays import Vector
from metaeval.stats.correlating.coefficients import average_ranks
from metaeval.stats.correlating.permutation import SIDES, Alternative
from metaeval.stats.resampling import checked_choice
from metaeval.stats.results import Statistic

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
NullDistribution = Literal["auto", "exact", "approx"]
Positions = Literal["competition", "dense"]

EXACT_UP_TO = 50
"""`auto` enumerates up to this many differences that are not zero."""


@dataclass(frozen=True)
class WilcoxonTest(Statistic):
    """Signed-rank statistic (two-sided: the smaller of both rank sums, else that of positive ranks) and p-value."""

    statistic: float
    p_value: float
    n: int
    zeros: int
    zero_method: ZeroMethod
    alternative: Alternative = "two-sided"
    exact: bool = False
    reason: str = ""


def wilcoxon(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    alternative: Alternative = "two-sided",
) -> WilcoxonTest:
    """Whether paired differences are centred on zero: first - second, or `first` itself; shape (n,).

    The differences' magnitudes are ranked, ties sharing the mean of their ranks; R+ and R- are the sums over positive
    and negative ones. Zeros: `wilcox` drops them, `pratt` ranks them and drops their ranks, `zsplit` gives half their
    ranks to each side. `exact` counts all 2^n signs of the n differences that are not zero, whatever their ties (a
    recursion over ranks, O(n^3)); `approx` is the normal approximation, its variance corrected for ties and zeros, no
    continuity correction; `auto` is exact up to 50. Undefined when no difference is left. ValueError for NaN.

    Where SciPy's `auto` meets ties or zeros it enumerates up to n = 13 and approximates above.

    Source: Wilcoxon 1945; Pratt 1959; Cureton 1967.

    >>> wilcoxon([0.12, 0.4, 0.33, 0.25, 0.61], [0.15, 0.35, 0.41, 0.31, 0.66]).p_value
    0.25
    """
    checked_choice("zero_method", zero_method, get_args(ZeroMethod))
    checked_choice("null", null, get_args(NullDistribution))
    checked_choice("alternative", alternative, tuple(SIDES))
    d = _differences(first, second)
    zeros = int((d == 0).sum())
    if zero_method == "wilcox":
        d = d[d != 0]
    moving = d != 0
    count = int(moving.sum())
    if count == 0:
        return WilcoxonTest(math.nan, math.nan, count, zeros, zero_method, alternative, reason="all differences are 0")
    ranks = average_ranks(np.abs(d))
    split = float(ranks[~moving].sum()) / 2 if zero_method == "zsplit" else 0.0
    positive = float(ranks[d > 0].sum()) + split
    negative = float(ranks[d < 0].sum()) + split
    exact = null == "exact" or (null == "auto" and count <= EXACT_UP_TO)
    if exact:
        greater, less = _exact_tails(ranks[moving], positive - split)
    else:
        mean = float(ranks[moving].sum()) / 2 + split
        z = (positive - mean) / math.sqrt(_variance(d, ranks, zero_method))
        greater, less = float(ndtr(-z)), float(ndtr(z))
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]
    statistic = min(positive, negative) if alternative == "two-sided" else positive
    return WilcoxonTest(statistic, p, count, zeros, zero_method, alternative, exact)


@dataclass(frozen=True)
class Standing(Statistic):
    """A system's place in one table: its mean score, its cluster and its position among the systems."""

    system: str
    score: float
    cluster: int
    position: int
    p_value: float
    substituted: bool = False


@dataclass(frozen=True)
class OverallStandings(Statistic):
    """Systems by their average position over tables (dataset and task), with their standings in each.

    An average is NaN for a system without a place in some table, which only happens without a baseline.
    """

    systems: tuple[str, ...]
    average_positions: tuple[float, ...]
    tables: dict[str, tuple[Standing, ...]]


def wilcoxon_clusters(
    scores: Mapping[str, npt.ArrayLike],
    *,
    higher_is_better: bool = False,
    level: float = 0.05,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    positions: Positions = "competition",
) -> tuple[Standing, ...]:
    """Sort systems by their mean score over items, and tie those that the test cannot tell from the best of theirs.

    `scores` maps a system to one score an item (n,), the same items in one order. From the best system on, each is
    compared with the best of the current cluster by `wilcoxon` (two-sided); p < `level` opens a new cluster with it.
    Systems of one cluster share a position: the number of systems before the cluster plus one (`competition`: 1 1 3),
    or the cluster's number (`dense`: 1 1 2). Identical scores are a tie (p = 1). Equal means keep the given order.

    Source: Leonardelli et al. 2025, LeWiDi-2025.

    >>> a = [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.15]
    >>> table = wilcoxon_clusters({"a": a, "b": [x + 0.3 for x in a], "c": [0.2, 0.1, 0.1, 0.3, 0.2, 0.1, 0.2, 0.15]})
    >>> [(standing.system, standing.position) for standing in table]
    [('a', 1), ('c', 1), ('b', 3)]
    """
    checked_choice("positions", positions, get_args(Positions))
    rows = {system: np.asarray(row, dtype=np.float64) for system, row in scores.items()}
    shapes = {row.shape for row in rows.values()}
    if len(shapes) > 1 or any(row.ndim != 1 or not len(row) or not np.isfinite(row).all() for row in rows.values()):
        msg = f"scores have shapes {sorted(shapes)}; expected one finite score an item, the same items for each system"
        raise ValueError(msg)
    sign = -1 if higher_is_better else 1
    ordered = sorted(rows, key=lambda system: sign * round(float(rows[system].mean()), 12))
    table: list[Standing] = []
    best, cluster, position = "", 0, 0
    for place, system in enumerate(ordered, start=1):
        p = math.nan
        if best:
            test = wilcoxon(rows[system], rows[best], zero_method=zero_method, null=null)
            p = 1.0 if test.reason else test.p_value
        if not best or p < level:
            best, cluster = system, cluster + 1
            position = place if positions == "competition" else cluster
        table.append(Standing(system, float(rows[system].mean()), cluster, position, p))
    return tuple(table)


def leaderboard(
    tables: Mapping[str, Mapping[str, npt.ArrayLike]],
    *,
    baseline: str | None,
    higher_is_better: bool = False,
    level: float = 0.05,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    positions: Positions = "competition",
) -> OverallStandings:
    """`wilcoxon_clusters` of several tables, and the average position of every system over them.

    A system without a submission in a table gets the scores of the `baseline` there, and is marked as `substituted`;
    without a baseline (None) it has no place in that table, and its average position is undefined. Systems come by
    average position, then by name, those without one last. ValueError when a table lacks the baseline that it needs.

    Source: Leonardelli et al. 2025 (LeWiDi-2025), the ranking of the shared task.

    >>> found = leaderboard({"t": {"base": [1, 2, 3], "a": [1, 1, 1]}, "u": {"base": [3, 1, 2]}}, baseline="base")
    >>> found.systems, found.average_positions
    (('a', 'base'), (1.0, 1.0))
    """
    everyone = sorted({system for table in tables.values() for system in table})
    standings = {}
    for name, table in tables.items():
        missing = [system for system in everyone if system not in table]
        rows = dict(table)
        if missing and baseline is not None:
            if baseline not in table:
                msg = f"table {name} lacks the baseline {baseline!r}, which stands in for missing submissions"
                raise ValueError(msg)
            rows |= dict.fromkeys(missing, table[baseline])
        clusters = wilcoxon_clusters(
            {system: rows[system] for system in everyone if system in rows},
            higher_is_better=higher_is_better,
            level=level,
            zero_method=zero_method,
            null=null,
            positions=positions,
        )
        standings[name] = tuple(
            Standing(s.system, s.score, s.cluster, s.position, s.p_value, s.system in missing) for s in clusters
        )
    places: dict[str, list[int]] = {system: [] for system in everyone}
    for clusters in standings.values():
        for standing in clusters:
            places[standing.system].append(standing.position)
    average = {
        system: sum(found) / len(found) if len(found) == len(tables) else math.nan for system, found in places.items()
    }
    ordered = sorted(everyone, key=lambda system: (len(places[system]) < len(tables), sum(places[system]), system))
    return OverallStandings(tuple(ordered), tuple(average[system] for system in ordered), standings)


def _differences(first: npt.ArrayLike, second: npt.ArrayLike | None) -> Vector:
    a = np.asarray(first, dtype=np.float64)
    b = np.zeros_like(a) if second is None else np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = f"expected two finite sequences of one length, got shapes {a.shape} and {b.shape}"
        raise ValueError(msg)
    difference: Vector = a - b
    return difference


def _exact_tails(ranks: Vector, positive: float) -> tuple[float, float]:
    """P(R+ >= seen) and P(R+ <= seen) over all signs. Ranks are halves at the finest, so twice them are integers."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:  # each rank goes to one side or the other
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways = (ways + shifted) / 2
    seen = round(2 * positive)
    return float(ways[seen:].sum()), float(ways[: seen + 1].sum())


def _variance(d: Vector, ranks: Vector, zero_method: ZeroMethod) -> float:
    """Variance of R+ under the null: a quarter of the sum of squared ranks that can change sides."""
    moving = d != 0
    if zero_method == "zsplit":  # as if the zeros' ranks could move too: what SciPy and the literature do
        return float((ranks**2).sum()) / 4
    return float((ranks[moving] ** 2).sum()) / 4
