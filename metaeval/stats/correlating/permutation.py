"""Permutation tests of several rows of scores against one target, on one set of shared permutations.

The work is cut into blocks of a fixed number of permutations, each with its own stream of random numbers. A block's
answer is four integer counts per row; adding them up in any order gives the same total, so the result is the same to
the last digit no matter how many workers share the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import cast, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Counts, Mask, Places, Vector
from annotations.ground.units import Crossing, Exchangeable
from metaeval.checking import checked_choice, checked_count, checked_names
from metaeval.describing import described, described_as
from metaeval.sampling import Seed, Steps, chosen_seed, seed_sequence, stream
from metaeval.stats.resampling import SIDES, Alternative, TwoSided
from metaeval.stats.results import SignificanceResult
from metaeval.threads import in_threads

from .coefficients import (
    COEFFICIENTS,
    Coefficient,
    correlation,
    pair_signs,
    pairs_within,
    standard_within,
    undefined_because,
    undefined_within_because,
    value_within,
)
from .exchanging import PARTS, STATISTICS, Arrangement, ExchangeTables, StatisticName, checked_scores, checked_units

Arrays = tuple[AnyArray, ...]

BLOCK = 8192
"""Permutations per block. This is part of a result's definition: another size draws other permutations."""

MANY = 16
"""How many blocks are worth starting threads for."""

SHARED, OWN = 0, 1
"""Whether a group's permutations are those that all rows share, or all permutations of its few systems."""


@described
@dataclass(frozen=True)
class CorrelationTest(SignificanceResult, statistic="value"):
    """A row's correlation with the target, and its permutation test."""

    row: str
    """Name of the row."""
    coefficient: Coefficient
    """Which coefficient."""
    value: float
    """The coefficient that is tested, in [-1, 1]; NaN where it is undefined."""
    n: int
    """How many systems."""
    pvalue: float = math.nan
    """Its p-value, according to `alternative` and `two_sided`; NaN where nothing can be exchanged."""
    p_error: float = math.nan
    """Monte Carlo standard error of the p-value; 0 if every permutation was enumerated."""
    p_family: float = math.nan
    """Step-down max-T p-value over the rows of the same coefficient."""
    alternative: Alternative = "two-sided"
    """Alternative hypothesis."""
    two_sided: TwoSided = "double"
    """Kind of a two-sided p-value."""
    exact: bool = False
    """Whether every permutation was enumerated."""
    n_resamples: int = 0
    """How many permutations were counted."""
    count_greater_equal: int = 0
    count_less_equal: int = 0
    count_magnitude: int = 0
    """How many permutations have a value that is >= the observed one, <= it, and at least as large in magnitude."""
    excluded: tuple[str, ...] = ()
    """Systems that were left out."""
    reason: str = ""
    exchangeable: Exchangeable = "systems"
    """What is exchanged under the null."""
    tested: StatisticName = "overall"
    """Which coefficient is tested; follows from `exchangeable`."""
    overall: float = math.nan
    """The coefficient over all systems; not tested if `tested` is another one."""


@described
def correlation_tests(
    scores: Mapping[str, npt.ArrayLike],
    target: npt.ArrayLike,
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    n_resamples: int = 100_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    systems: Sequence[str] | None = None,
    units: Crossing | Sequence[tuple[str, str]] | None = None,
    exchangeable: Exchangeable | None = None,
    progress: Steps | None = None,
) -> tuple[CorrelationTest, ...]:
    """Correlate every row of scores with the target over systems, and test it by permuting the target.

    Parameters
    ----------
    n_resamples : int, default 100,000
        How many permutations to sample. If there are no more than this, all are enumerated.

    Returns
    -------
    tuple of CorrelationTest
        For each coefficient, one per row.

    Raises
    ------
    ValueError
        If the lengths differ, or an option is not one of those above.

    Notes
    -----
    p = count / n! when all permutations are enumerated (n! <= `n_resamples`), else (1 + count) / (1 + n_resamples),
    never 0. Two-sided: min(1, 2 min(p_greater, p_less)) (`two_sided="double"`, SciPy's) or by magnitude, |r|
    (`"magnitude"`). See `PermutationPlan` for exclusions and for distributing the work.

    Without `units`, all systems are exchanged freely, which is valid only if they share nothing. `units` gives the
    (model, method) of each; whole methods, models, or the systems of each model are then exchanged, as `exchangeable`
    says or, by default, as follows from their names. The test is then of the coefficient whose mean over these
    permutations is 0, mostly the one within models (`within_correlation`); `CorrelationTest.tested` names it, and
    `CorrelationTest.overall` is the coefficient over all systems.

    References
    ----------
    Kurniawan et al. 2026, section 6 (the test); Phipson and Smyth 2010, Permutation P-values Should Never Be Zero (1 +
    count); Westfall and Young 1993, Resampling-Based Multiple Testing, algorithm 4.1 (`p_family`); Anderson and ter
    Braak 2003, Permutation Tests for Multi-Factorial Analysis of Variance (restricted permutations).

    Examples
    --------
    >>> metric = {"m": [0.62, 0.58, 0.71, 0.71, 0.49, 0.66, 0.8]}
    >>> fractions = [0.3, 0.25, 0.41, 0.37, 0.25, 0.33, 0.36]
    >>> (test,) = correlation_tests(metric, fractions, coefficients=["pearson"])
    >>> round(test.value, 4), round(test.pvalue, 4), test.exact
    (0.8413, 0.019, True)
    >>> units = [("RoBERTa", method) for method in "uvwxyz"] + [("BERT", method) for method in "uvwxyz"]
    >>> metric, fractions = {"m": [*range(6), *range(6)]}, [1, 2, 3, 4, 6, 5, 21, 22, 23, 24, 25, 26]
    >>> (test,) = correlation_tests(metric, fractions, coefficients=["pearson"], units=units)
    >>> test.exchangeable, test.tested, round(test.value, 3), round(test.overall, 3), round(test.pvalue, 4)
    ('methods jointly', 'within models', 0.971, 0.164, 0.0056)
    """
    seed = chosen_seed(seed, rng)
    plan = PermutationPlan(
        scores,
        target,
        coefficients=coefficients,
        n_resamples=n_resamples,
        seed=seed,
        alternative=alternative,
        two_sided=two_sided,
        systems=systems,
        units=units,
        exchangeable=exchangeable,
    )
    return plan.run(progress)


@described_as(correlation_tests)
class PermutationPlan:
    """The permutation tests of correlations, with everything fixed before the first permutation is drawn.

    Notes
    -----
    Rows are tested exactly, by enumeration, when n! is at most `n_resamples`, otherwise on that many sampled
    permutations. All rows share these: if a row leaves systems out, those that remain keep the order that the shared
    permutation gives them, which is again uniform.

    A row small enough to be enumerated among larger ones gets its exact p-value from its own enumeration, and its
    family-wise one from the shared sample.

    `units` says which model and method each system is: a `Crossing`, or (model, method) of each. `exchangeable` says
    what is exchanged; by default, this follows from the names (`annotations.ground.units`). Without `units`, all are
    exchangeable. With them, n! above becomes the number of these restricted permutations, the coefficient is the one
    whose mean over them is 0 (`CorrelationTest.tested`), and a row that leaves systems out takes from the shared
    permutation the order of the whole methods (or models) that are still alike in it. A row in which nothing can be
    exchanged has a value and, instead of a p-value, a reason.
    """

    def __init__(
        self,
        scores: Mapping[str, npt.ArrayLike],
        target: npt.ArrayLike,
        *,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
        n_resamples: int = 100_000,
        seed: Seed | None = None,
        rng: Seed | None = None,
        alternative: Alternative = "two-sided",
        two_sided: TwoSided = "double",
        systems: Sequence[str] | None = None,
        target_name: str = "the target",
        units: Crossing | Sequence[tuple[str, str]] | None = None,
        exchangeable: Exchangeable | None = None,
    ) -> None:
        seed = chosen_seed(seed, rng)
        self.scores, self.target, self.systems = checked_scores(scores, target, target_name, systems)
        self.names = tuple(scores)
        self.n_resamples = checked_count("n_resamples", n_resamples)
        checked_choice("alternative", alternative, tuple(SIDES))
        checked_choice("two_sided", two_sided, get_args(TwoSided))
        for coefficient in checked_names("coefficients", coefficients):
            checked_choice("coefficient", coefficient, COEFFICIENTS)
        self.alternative = alternative
        self.two_sided = two_sided
        self.root = seed_sequence(seed)
        self.crossing, self.exchangeable = checked_units(units, exchangeable, len(self.target))
        counted = np.isfinite(self.target) & np.isfinite(self.scores).any(axis=0)
        self._whole = Arrangement.of(self.crossing, self.exchangeable, np.flatnonzero(counted))
        self._arrangements: dict[bytes, Arrangement] = {}
        self._untested = self._describe_rows(coefficients, target_name)
        self.parts = self._make_parts(coefficients)
        self.blocks = tuple(self._cut())

    def count(self, block: int) -> Counts:
        """Compute one block; its counts have the shape of `empty`, and blocks add up in any order."""
        work = self.blocks[block]
        part = self.parts[work.part]
        counts = self.empty()
        counts[work.part, : len(part.rows)] = part.count(work, stream(self.root, work.stream), SIDES[self.alternative])
        return counts

    def empty(self) -> Counts:
        """Counts before the first block: shape (parts, rows, 4)."""
        return np.zeros((len(self.parts), len(self.names), 4), dtype=np.int64)

    def tests(self, counts: Counts) -> tuple[CorrelationTest, ...]:
        """The results, from the sum of the counts of all blocks."""
        family: dict[tuple[Coefficient, int], float] = {}
        tails: dict[tuple[Coefficient, int], tuple[RowGroup, Counts]] = {}
        for part, part_counts in zip(self.parts, counts, strict=True):
            if part.purpose == SHARED:
                family |= self._family(part, part_counts)
            for place, row in enumerate(part.rows):  # a row's own enumeration comes later and replaces the sample
                tails[part.coefficient, row] = part, part_counts[place]
        return tuple(
            self._tested(test, *tails[key], family[key]) if key in tails else test
            for key, test in self._untested.items()
        )

    def run(self, progress: Steps | None = None) -> tuple[CorrelationTest, ...]:
        """Run every block in this process, many of them in threads.

        `progress(done, total)` is called before the first and after each; if it raises, no further block is started.
        """
        total = len(self.blocks)
        if progress is not None:
            progress(0, total)
        counts = self.empty()
        with closing(in_threads(self.count, range(total), None if total >= MANY else 1)) as answers:
            for done, block in enumerate(answers, start=1):
                counts += block
                if progress is not None:
                    progress(done, total)
        return self.tests(counts)

    def _describe_rows(
        self, coefficients: Sequence[Coefficient], target_name: str
    ) -> dict[tuple[Coefficient, int], CorrelationTest]:
        """The observed value of every row, or why there is none."""
        rows: dict[tuple[Coefficient, int], CorrelationTest] = {}
        for coefficient in coefficients:
            for row, name in enumerate(self.names):
                is_defined = self._kept(row)
                x, y = self.scores[row, is_defined], self.target[is_defined]
                value, overall, reason = self._observed(coefficient, x, y, is_defined, (name, target_name))
                rows[coefficient, row] = CorrelationTest(
                    row=name,
                    coefficient=coefficient,
                    value=value,
                    n=int(is_defined.sum()),
                    alternative=self.alternative,
                    two_sided=self.two_sided,
                    excluded=tuple(system for system, keep in zip(self.systems, is_defined, strict=True) if not keep),
                    reason=reason,
                    exchangeable=self.exchangeable,
                    tested=STATISTICS[self.exchangeable],
                    overall=overall,
                )
        return rows

    def _observed(
        self, coefficient: Coefficient, x: Vector, y: Vector, kept: Mask, names: tuple[str, str]
    ) -> tuple[float, float, str]:
        """The tested coefficient of a row and the one over all systems, and why there is none, or no test of it."""
        reason = undefined_because(x, y, *names)
        if reason:
            return math.nan, math.nan, reason
        overall = correlation(x, y, coefficient).value
        if self.exchangeable == "systems":
            return overall, overall, ""
        arrangement, part = self._arranged(kept), PARTS[STATISTICS[self.exchangeable]]
        reason = undefined_within_because(x, y, arrangement.parts, names, part) if part else ""
        if reason:
            return math.nan, overall, reason
        value = value_within(x, y, arrangement.parts, coefficient) if part else overall
        untestable = f"nothing that has {names[0]} can change places" if arrangement.count == 1 else ""
        return value, overall, untestable

    def _arranged(self, kept: Mask) -> Arrangement:
        """What is exchanged among these systems."""
        key = kept.tobytes()
        if key not in self._arrangements:
            self._arrangements[key] = self._whole.among(np.flatnonzero(kept))
        return self._arrangements[key]

    def _kept(self, row: int) -> Mask:
        is_defined: Mask = np.isfinite(self.scores[row]) & np.isfinite(self.target)
        return is_defined

    def _make_parts(self, coefficients: Sequence[Coefficient]) -> list[RowGroup]:
        parts = []
        for coefficient in coefficients:
            rows = [row for row in range(len(self.names)) if not self._untested[coefficient, row].reason]
            if not rows:
                continue
            systems = np.logical_or.reduce([self._kept(row) for row in rows])
            shared = self._part(coefficient, rows, systems, SHARED)
            parts.append(shared)
            if not shared.exact:
                masks = {self._kept(row).tobytes(): self._kept(row) for row in rows}
                for key, mask in masks.items():
                    if self._count(mask) <= self.n_resamples:
                        own = [row for row in rows if self._kept(row).tobytes() == key]
                        parts.append(self._part(coefficient, own, mask, OWN))
        return parts

    def _count(self, systems: Mask) -> int:
        """How many permutations of these systems there are."""
        if self.exchangeable == "systems":
            return math.factorial(int(systems.sum()))
        return self._arranged(systems).count

    def _part(self, coefficient: Coefficient, rows: list[int], systems: Mask, purpose: int) -> RowGroup:
        """The arrays for the compiled loop, for these rows over these systems."""
        masks = [self._kept(row)[systems] for row in rows]
        scores = [self.scores[row][systems] for row in rows]
        target = self.target[systems]
        observed = np.array([self._untested[coefficient, row].value for row in rows])
        by_size = np.argsort(self._extremeness(observed), kind="stable")
        exchanges = None
        if self.exchangeable == "systems":
            arrays = layout(coefficient, scores, target, masks)
        else:
            whole, places = self._arranged(systems), np.flatnonzero(systems)
            groups = {mask: whole.among(places[np.frombuffer(mask, dtype=np.bool_)]) for mask in group_masks(masks)}
            exchanges = ExchangeTables.of(whole, list(groups.values()))
            arrays = layout(coefficient, scores, target, masks, {mask: group.parts for mask, group in groups.items()})
        count = self._count(systems)
        exact = count <= self.n_resamples
        return RowGroup(
            coefficient=coefficient,
            rows=tuple(rows),
            exact=exact,
            total=count if exact else self.n_resamples,
            arrays=arrays,
            observed=observed,
            by_size=by_size,
            purpose=purpose,
            exchanges=exchanges,
        )

    def _cut(self) -> list[PermutationBlock]:
        """Blocks of all parts. The stream depends only on the place among the permutations, so the three coefficients
        see the same ones."""
        return [
            PermutationBlock(part, start, min(start + BLOCK, self.parts[part].total), start // BLOCK)
            for part in range(len(self.parts))
            for start in range(0, self.parts[part].total, BLOCK)
        ]

    def _extremeness(self, values: Vector) -> Vector:
        side = SIDES[self.alternative]
        return side * values if side else np.abs(values)

    def _family(self, part: RowGroup, counts: Counts) -> dict[tuple[Coefficient, int], float]:
        """Step-down max-T: from the most extreme row on, p-values never decrease."""
        p, answers = 0.0, {}
        for place in part.by_size[::-1]:
            p = max(p, _share(int(counts[place, 3]), part))
            answers[part.coefficient, part.rows[place]] = p
        return answers

    def _tested(self, test: CorrelationTest, part: RowGroup, counts: Counts, family: float) -> CorrelationTest:
        greater, less, magnitude = (int(count) for count in counts[:3])
        tail, factor = {
            "greater": (greater, 1),
            "less": (less, 1),
            "two-sided": (magnitude, 1) if self.two_sided == "magnitude" else (min(greater, less), 2),
        }[self.alternative]
        p = _share(tail, part)
        return replace(
            test,
            pvalue=min(1.0, factor * p),
            p_error=0.0 if part.exact else factor * math.sqrt(p * (1 - p) / part.total),
            p_family=family,
            exact=part.exact,
            n_resamples=part.total,
            count_greater_equal=greater,
            count_less_equal=less,
            count_magnitude=magnitude,
        )


def _share(count: int, part: RowGroup) -> float:
    """The identity is among the enumerated permutations; it is added to sampled ones."""
    return count / part.total if part.exact else (1 + count) / (1 + part.total)


@dataclass(frozen=True)
class PermutationBlock:
    """A piece of work: permutations `start` to `stop` of one part."""

    part: int
    start: int
    stop: int
    stream: int


@dataclass(frozen=True)
class RowGroup:
    """Rows that are tested on one source of permutations of the same `n` systems."""

    coefficient: Coefficient
    rows: tuple[int, ...]
    exact: bool
    total: int
    arrays: tuple[AnyArray, ...] = field(repr=False)
    observed: Vector = field(repr=False)
    by_size: Places = field(repr=False)
    purpose: int = SHARED
    exchanges: ExchangeTables | None = None
    """None if systems are exchanged freely."""

    def count(self, block: PermutationBlock, source: np.random.SeedSequence, side: int) -> Counts:
        from metaeval.generator import lane_states

        from . import permutation_kernels as kernels  # Numba takes half a second to import, so only when needed

        seen = kernels.Seen(self.observed, self.by_size, side)
        states, exchanges = lane_states(source, kernels.LANES), self.exchanges
        comparators = kernels.network(self.arrays[0].shape[1]) if exchanges is None else exchanges.comparators
        draws = kernels.Draws(states, self.exact, block.start, block.stop, comparators)
        if exchanges is None:
            count = kernels.count_pairs if self.coefficient == "kendall" else kernels.count_products
            return cast(Counts, count(draws, *self.arrays, seen))
        of_units = kernels.count_pairs_of_units if self.coefficient == "kendall" else kernels.count_products_of_units
        return cast(Counts, of_units(draws, exchanges, *self.arrays, seen))


def layout(
    coefficient: Coefficient,
    scores: Sequence[Vector],
    target: Vector,
    kept: Sequence[Mask],
    parts: Mapping[bytes, Codes] | None = None,
) -> Arrays:
    """The arguments of the compiled loops between the draws (or exchanges) and the observed values: compact, padded.

    `scores` are R rows over the same n systems as `target`, `kept` says for each row which of them it has. Rows that
    keep the same systems form a group, since ranks, means and ties of the target depend on its members. `parts` says
    for each group (by its mask's bytes) which part of the coefficient its systems belong to; without it, there is one.
    """
    n, masks, is_free = len(target), group_masks(kept), parts is None
    groups = np.array([masks.index(mask.tobytes()) for mask in kept])
    members = [np.frombuffer(mask, dtype=np.bool_) for mask in masks]
    targets = [target[member] for member in members]
    rows = [row[mask] for row, mask in zip(scores, kept, strict=True)]
    of_groups = [
        np.zeros(len(y), dtype=np.int64) if parts is None else parts[m] for y, m in zip(targets, masks, strict=True)
    ]
    places = np.full((len(members), n), -1)
    for group, member in enumerate(members):
        places[group, member] = np.arange(member.sum())
    if coefficient == "kendall":
        target_signs, pairs, lengths, score_signs, scales = _pairs(n, targets, of_groups, rows, groups)
        if is_free:
            return places, target_signs, score_signs, scales, groups
        return target_signs, pairs, lengths, score_signs, scales, groups
    ranked = coefficient == "spearman"

    def padded(values: Vector, group: int) -> Vector:
        return np.pad(standard_within(values, of_groups[group], ranked=ranked), (0, n - len(values)))

    products = (
        np.array([padded(values, group) for group, values in enumerate(targets)]),
        np.array([padded(row, int(group)) for row, group in zip(rows, groups, strict=True)]),
        groups,
    )
    return (places, *products) if is_free else products


def group_masks(kept: Sequence[Mask]) -> list[bytes]:
    """The distinct masks: the groups, in order."""
    return sorted({mask.tobytes() for mask in kept}, reverse=True)


def _pairs(
    n: int, targets: Sequence[Vector], parts: Sequence[Codes], scores: Sequence[Vector], groups: Places
) -> Arrays:
    """Signs of the target's pairs (G, n, n), the places of the pairs that count (G, P, 2) and how many there are (G,),
    signs of the scores' (R, P), and the factor that scales each row to tau-b."""
    places = [np.stack(pairs_within(part), axis=-1) for part in parts]
    most = max(map(len, places))
    pairs = np.zeros((len(parts), most, 2), dtype=np.int64)
    target_signs = np.zeros((len(parts), n, n), dtype=np.int8)
    for group, y in enumerate(targets):
        pairs[group, : len(places[group])] = places[group]
        target_signs[group, : len(y), : len(y)] = pair_signs(y)
    score_signs = np.zeros((len(scores), most), dtype=np.int8)
    scales = np.zeros(len(scores))
    for row, x in enumerate(scores):
        i, j = places[groups[row]].T
        score_signs[row, : len(i)] = pair_signs(x)[i, j]
        untied = np.count_nonzero(score_signs[row]) * np.count_nonzero(target_signs[groups[row]][i, j])
        scales[row] = 1 / np.sqrt(float(untied))
    return target_signs, pairs, np.array([len(own) for own in places]), score_signs, scales
