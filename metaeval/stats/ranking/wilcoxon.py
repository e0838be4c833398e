"""Wilcoxon's signed-rank test, exact even with ties and zeros, and the leaderboard built on it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import as_numbers, checked_array, checked_choice, checked_level, checked_rows
from metaeval.describing import described, described_as
from metaeval.frames import DataFrame, aligned, frame_of
from metaeval.stats.resampling import SIDES, Alternative
from metaeval.stats.results import SignificanceResult, Statistic
from metaeval.stats.ties import evened

NO_DIFFERENCE = "all differences are 0"

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
NullDistribution = Literal["auto", "exact", "approx"]
Positions = Literal["competition", "dense"]
MissingPlaces = Literal["shared", "own"]
EqualDifferences = Literal["evened", "stored"]

EXACT_UP_TO = 50
"""`auto` enumerates up to this many non-zero differences."""


@described
@dataclass(frozen=True)
class WilcoxonTest(SignificanceResult):
    """The result of a signed-rank test."""

    statistic: float
    """If two-sided, the smaller of the two rank sums, else that of positive ranks; NaN where it is undefined."""
    pvalue: float
    """Its p-value."""
    n: int
    zeros: int
    """How many differences there are, and how many of them are zero."""
    zero_method: ZeroMethod
    """What happened to differences of zero."""
    alternative: Alternative = "two-sided"
    """Alternative hypothesis."""
    exact: bool = False
    """Whether the null distribution is exact."""
    reason: str = ""


@described
def wilcoxon(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    alternative: Alternative = "two-sided",
    ties: EqualDifferences = "evened",
) -> WilcoxonTest:
    """Whether paired differences are centred on zero: Wilcoxon's signed-rank test.

    Parameters
    ----------
    first : array_like, shape (n,)
        Values, or the differences themselves.
    second : array_like, shape (n,), optional
        Values that are subtracted from the first.
    zero_method : {'wilcox', 'pratt', 'zsplit'}, default 'wilcox'
        What happens to differences of zero; see Notes.
    ties : {'evened', 'stored'}, default 'evened'
        Whether differences that are equal apart from rounding are tied.

    Returns
    -------
    WilcoxonTest
        The test, or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ, or a value is NaN.

    Notes
    -----
    The differences' magnitudes are ranked, ties sharing their mean rank; R+ and R- are the sums over positive and
    negative ones. Differences that are equal apart from rounding are tied, and those that are 0 apart from rounding are
    0 (`metaeval.stats.ties`): 0.40 - 0.35 is 0.66 - 0.61. `ties="stored"` takes the differences as they are stored, as
    SciPy does. Zeros: `wilcox` drops them, `pratt` ranks them and drops their ranks, `zsplit` gives half their ranks to
    each side. `exact` counts all 2^n signs of the n non-zero differences, also with ties (a recursion over ranks,
    O(n^3)); `approx` is the normal approximation, with its variance corrected for ties and zeros and without continuity
    correction; `auto` is exact up to 50. Undefined if no difference is left.

    With ties or zeros, SciPy's `auto` enumerates up to n = 13 and approximates above.

    References
    ----------
    Wilcoxon 1945; Pratt 1959; Cureton 1967.

    Examples
    --------
    >>> wilcoxon([0.12, 0.4, 0.33, 0.25, 0.61], [0.15, 0.35, 0.41, 0.31, 0.66]).pvalue
    0.25
    """
    from scipy.special import ndtr

    checked_choice("zero_method", zero_method, get_args(ZeroMethod))
    checked_choice("null", null, get_args(NullDistribution))
    checked_choice("alternative", alternative, tuple(SIDES))
    checked_choice("ties", ties, get_args(EqualDifferences))
    d = _differences(first, second, even=ties == "evened")
    zeros = int((d == 0).sum())
    if zero_method == "wilcox":
        d = d[d != 0]
    moving = d != 0
    count = int(moving.sum())
    if count == 0:
        return WilcoxonTest(math.nan, math.nan, count, zeros, zero_method, alternative, reason=NO_DIFFERENCE)
    _, where, counts = np.unique(np.abs(d), return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[where]
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


@described
@dataclass(frozen=True)
class Standing(Statistic):
    """A system's place in one table."""

    system: str
    """Name of the system."""
    score: float
    """Its mean score."""
    cluster: int
    position: int
    """Its cluster, and its position among the systems."""
    pvalue: float
    """P-value of the comparison with the best system of the cluster."""
    substituted: bool = False
    """Whether the scores are the baseline's."""


@described
@dataclass(frozen=True)
class OverallStandings(Statistic):
    """Systems by average position over tables (dataset and task)."""

    systems: tuple[str, ...]
    """Names, best first."""
    average_positions: tuple[float, ...]
    """Their average positions; NaN for a system without a position in some table, which only happens without a
    baseline."""
    tables: dict[str, tuple[Standing, ...]]
    """The standings in each table."""

    def to_frame(self) -> DataFrame:
        """One row per `system`, best first: the average position, and the position in each table."""
        places = {name: {row.system: row.position for row in table} for name, table in self.tables.items()}
        rows = (
            {
                "system": system,
                "average_position": average,
                "reason": "" if average == average else "no place in some table",  # noqa: PLR0124 - NaN
                **{name: place.get(system) for name, place in places.items()},
            }
            for system, average in zip(self.systems, self.average_positions, strict=True)
        )
        return frame_of(rows, index=["system"], columns=["average_position", *places, "reason"])


@described
def wilcoxon_clusters(
    scores: Mapping[str, npt.ArrayLike],
    *,
    higher_is_better: bool = False,
    alpha: float = 0.05,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    positions: Positions = "competition",
) -> tuple[Standing, ...]:
    """Sort systems by mean score, and tie those that the test cannot distinguish from the best of their cluster.

    Parameters
    ----------
    scores : mapping from str to array_like, shape (n,)
        One score per item for each system, with the same items in the same order.
    higher_is_better : bool, default False
        Whether higher scores are better.
    alpha : float, default 0.05
        Level of the test that opens a new cluster.
    zero_method : {'wilcox', 'pratt', 'zsplit'}, default 'wilcox'
        What happens to differences of zero; see `wilcoxon`.
    positions : {'competition', 'dense'}, default 'competition'
        How positions are counted: 1 1 3 or 1 1 2.

    Returns
    -------
    tuple of Standing
        One per system, best first.

    Raises
    ------
    ValueError
        If the lengths differ, or an option is not one of those above.

    Notes
    -----
    Starting with the best system, each is compared with the best of the current cluster by `wilcoxon` (two-sided); p <
    `alpha` opens a new cluster. Systems of one cluster share a position: the number of systems before the cluster plus
    one (`competition`: 1 1 3), or the cluster's number (`dense`: 1 1 2). Identical scores are a tie (p = 1). Systems
    with equal means keep the given order.

    A new cluster does not prove a difference: six equally good systems are split in about 40% of tables, since the best
    of six is best by chance and all others are compared with it. This is part of the published rule.

    References
    ----------
    Leonardelli et al. 2025, LeWiDi-2025.

    Examples
    --------
    >>> a = [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.15]
    >>> table = wilcoxon_clusters({"a": a, "b": [x + 0.3 for x in a], "c": [0.2, 0.1, 0.1, 0.3, 0.2, 0.1, 0.2, 0.15]})
    >>> [(standing.system, standing.position) for standing in table]
    [('a', 1), ('c', 1), ('b', 3)]
    """
    checked_choice("positions", positions, get_args(Positions))
    checked_choice("zero_method", zero_method, get_args(ZeroMethod))
    checked_choice("null", null, get_args(NullDistribution))
    checked_level(alpha, "alpha")
    checked_rows(scores)
    named = dict(zip(scores, aligned(**{str(name): row for name, row in scores.items()}), strict=True))
    rows = {name: as_numbers(str(name), row, "one finite score per item (n,)") for name, row in named.items()}
    shapes = {row.shape for row in rows.values()}
    if len(shapes) > 1 or any(row.ndim != 1 or not len(row) or not np.isfinite(row).all() for row in rows.values()):
        msg = f"scores have shapes {sorted(shapes)}; expected one finite score per item, the same items for each system"
        raise ValueError(msg)
    means = evened([row.mean() for row in rows.values()], size=max((np.abs(r).max() for r in rows.values()), default=0))
    mean = dict(zip(rows, (-means if higher_is_better else means).tolist(), strict=True))
    ordered = sorted(rows, key=lambda system: mean[system])
    table: list[Standing] = []
    best, cluster, position = "", 0, 0
    for place, system in enumerate(ordered, start=1):
        p = math.nan
        if best:
            test = wilcoxon(rows[system], rows[best], zero_method=zero_method, null=null)
            p = 1.0 if test.reason else test.pvalue
        if not best or p < alpha:
            best, cluster = system, cluster + 1
            position = place if positions == "competition" else cluster
        table.append(Standing(system, float(rows[system].mean()), cluster, position, p))
    return tuple(table)


@described_as(wilcoxon_clusters)
def leaderboard(
    tables: Mapping[str, Mapping[str, npt.ArrayLike]],
    *,
    baseline: str | None,
    higher_is_better: bool = False,
    alpha: float = 0.05,
    zero_method: ZeroMethod = "wilcox",
    null: NullDistribution = "auto",
    positions: Positions = "competition",
    missing_places: MissingPlaces = "shared",
    never_missing: Collection[str] = (),
    needs_baseline: bool = True,
) -> OverallStandings:
    """`wilcoxon_clusters` of several tables, and the average position of every system over them.

    Parameters
    ----------
    tables : mapping from str to mapping
        For each table, one score per item for each system.
    baseline : str or None
        The system whose scores replace a missing submission.
    missing_places : {'shared', 'own'}, default 'shared'
        Whether a system without a submission shares the baseline's standing, or is an additional system in the table.
    never_missing : collection of str, optional
        Systems for which the baseline is not substituted, such as another baseline, which submits nothing.
    needs_baseline : bool, default True
        Whether a table with missing submissions must contain the baseline.

    Returns
    -------
    OverallStandings
        Systems by average position, then by name; those without a position last.

    Raises
    ------
    ValueError
        If a table with missing submissions lacks the baseline that it needs.

    Notes
    -----
    A system without a submission in a table gets the scores of the `baseline` there, and is marked as `substituted`. It
    shares the baseline's standing and does not move other systems; with `missing_places="own"`, it is an additional
    system in the table and moves all those behind it. Without a baseline (None), it has no position in that table, and
    its average position is undefined. The same holds for systems in `never_missing`, and for missing submissions in
    tables without the baseline if `needs_baseline` is False.

    References
    ----------
    Leonardelli et al. 2025 (LeWiDi-2025), the ranking of the shared task.

    Examples
    --------
    >>> found = leaderboard({"t": {"base": [1, 2, 3], "a": [1, 1, 1]}, "u": {"base": [3, 1, 2]}}, baseline="base")
    >>> found.systems, found.average_positions
    (('a', 'base'), (1.0, 1.0))
    """
    checked_choice("missing_places", missing_places, get_args(MissingPlaces))
    checked_level(alpha, "alpha")
    checked_choice("positions", positions, get_args(Positions))
    checked_choice("zero_method", zero_method, get_args(ZeroMethod))
    checked_choice("null", null, get_args(NullDistribution))
    checked_rows(tables, "tables")
    for name, table_rows in tables.items():
        checked_rows(table_rows, f"table {name}")
    everyone = sorted({system for table in tables.values() for system in table})
    standings = {}
    for name, table in tables.items():
        missing = [system for system in everyone if system not in table and system not in never_missing]
        if missing and baseline is not None and baseline not in table and needs_baseline:
            msg = f"table {name} lacks the baseline {baseline!r}, which stands in for missing submissions"
            raise ValueError(msg)
        rows = dict(table)
        filled = missing if baseline in table else []
        if missing_places == "own":
            rows |= {system: table[str(baseline)] for system in filled}
        clusters = wilcoxon_clusters(
            {system: rows[system] for system in everyone if system in rows},
            higher_is_better=higher_is_better,
            alpha=alpha,
            zero_method=zero_method,
            null=null,
            positions=positions,
        )
        standings[name] = tuple(_with_missing(clusters, filled, str(baseline), missing_places))
    places: dict[str, list[int]] = {system: [] for system in everyone}
    for clusters in standings.values():
        for standing in clusters:
            places[standing.system].append(standing.position)
    average = {
        system: sum(ranks) / len(ranks) if len(ranks) == len(tables) else math.nan for system, ranks in places.items()
    }
    ordered = sorted(everyone, key=lambda system: (len(places[system]) < len(tables), sum(places[system]), system))
    return OverallStandings(tuple(ordered), tuple(average[system] for system in ordered), standings)


def _with_missing(
    clusters: Sequence[Standing], filled: Sequence[str], baseline: str, places: MissingPlaces
) -> Iterator[Standing]:
    """The standings, marked where they are the baseline's; those that share its position come after it."""
    for standing in clusters:
        yield replace(standing, substituted=standing.system in filled)
        if places == "shared" and standing.system == baseline:
            yield from (replace(standing, system=system, substituted=True) for system in filled)


def _differences(first: npt.ArrayLike, second: npt.ArrayLike | None, *, even: bool) -> Vector:
    """first - second; if evened, tied magnitudes are one number."""
    first, second = aligned(first=first, second=second)
    a = checked_array("first", first, 1, "one value per item (n,)")
    b = np.zeros_like(a) if second is None else checked_array("second", second, 1, "one value per item (n,)")
    if a.ndim != 1 or a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = f"expected two finite sequences of one length, got shapes {a.shape} and {b.shape}"
        raise ValueError(msg)
    difference: Vector = a - b
    if even and len(difference):
        size = float(max(np.abs(a).max(), np.abs(b).max()))
        magnitudes = evened(np.concatenate([[0.0], np.abs(difference)]), size=size)  # 0 included
        difference = np.sign(difference) * (magnitudes[1:] - magnitudes[0])
    return difference


def _exact_tails(ranks: Vector, positive: float) -> tuple[float, float]:
    """P(R+ >= seen) and P(R+ <= seen) over all signs. Ranks are multiples of 1/2, so twice a rank is an integer."""
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
    """Variance of R+ under the null: a quarter of the sum of squared ranks that can change sign."""
    moving = d != 0
    if zero_method == "zsplit":  # as if the zeros' ranks could move too, like SciPy and the literature
        return float((ranks**2).sum()) / 4
    return float((ranks[moving] ** 2).sum()) / 4
