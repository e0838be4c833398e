"""Permutation tests of several rows of scores against one target, on one set of shared permutations.

The work is cut into blocks of a fixed number of permutations, each with its own stream of random numbers. A block's
answer is four integer counts per row; adding them up in any order gives the same total, so the result is the same to
the last digit no matter how many workers share the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Counts, Mask, Vector
from annotations.ground.units import Crossing, Exchangeable
from metaeval.checking import as_numbers, checked_array, checked_choice, checked_count, checked_names, checked_rows
from metaeval.frames import with_target
from metaeval.sampling import Seed, Steps, chosen_seed, seed_sequence, stream
from metaeval.threads import in_threads

from .coefficients import COEFFICIENTS, Coefficient, correlation, undefined_because
from .exchanging import PARTS, STATISTICS, Arrangement, ExchangeTables, checked_units
from .layout import group_masks, layout, layout_within
from .row_group import OWN, SHARED, PermutationBlock, RowGroup
from .tails import SIDES, Alternative, CorrelationTest, TwoSided
from .within import undefined_within_because, value_within

BLOCK = 8192
"""Permutations per block. This is part of a result's definition: another size draws other permutations."""

MANY = 16
"""How many blocks are worth starting threads for."""


class PermutationPlan:
    """The permutation tests of correlations, with everything fixed before the first permutation is drawn.

    Parameters
    ----------
    scores : mapping from str to array_like, shape (n,)
        Rows of scores by name, one score per system. NaN leaves the system out of the row.
    target : array_like, shape (n,)
        One value per system. NaN leaves the system out of all rows.
    coefficients : sequence of {'pearson', 'spearman', 'kendall'}, optional
        Which correlation coefficients. The default is all three.
    n_resamples : int, default 100,000
        How many permutations to sample. If there are no more than this, all are enumerated.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    alternative : {'two-sided', 'greater', 'less'}, default 'two-sided'
        Alternative hypothesis.
    two_sided : {'double', 'magnitude'}, default 'double'
        Two-sided p-value: twice the smaller tail, or the share of values that are at least as large in magnitude.
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
        checked_rows(scores)
        self.names = tuple(scores)
        target, scores = with_target(target, scores)
        self.target = checked_array(target_name, target, 1, "one value per system (n,)", missing=True)
        self.scores = _checked(scores, self.target)
        self.systems = tuple(map(str, range(len(self.target)))) if systems is None else tuple(systems)
        if len(self.systems) != len(self.target):
            msg = f"{len(self.systems)} names of systems for {len(self.target)} values of {target_name}"
            raise ValueError(msg)
        n_resamples = checked_count("n_resamples", n_resamples)
        checked_choice("alternative", alternative, tuple(SIDES))
        checked_choice("two_sided", two_sided, get_args(TwoSided))
        for coefficient in checked_names("coefficients", coefficients):
            checked_choice("coefficient", coefficient, COEFFICIENTS)
        self.n_resamples = n_resamples
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
                kept = self._kept(row)
                x, y = self.scores[row, kept], self.target[kept]
                value, overall, reason = self._observed(coefficient, x, y, kept, (name, target_name))
                rows[coefficient, row] = CorrelationTest(
                    row=name,
                    coefficient=coefficient,
                    value=value,
                    n=int(kept.sum()),
                    alternative=self.alternative,
                    two_sided=self.two_sided,
                    excluded=tuple(system for system, keep in zip(self.systems, kept, strict=True) if not keep),
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
        kept: Mask = np.isfinite(self.scores[row]) & np.isfinite(self.target)
        return kept

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
        kept = [self._kept(row)[systems] for row in rows]
        scores = [self.scores[row][systems] for row in rows]
        target = self.target[systems]
        observed = np.array([self._untested[coefficient, row].value for row in rows])
        by_size = np.argsort(self._extremeness(observed), kind="stable")
        exchanges = None
        if self.exchangeable == "systems":
            arrays = layout(coefficient, scores, target, kept)
        else:
            whole, places = self._arranged(systems), np.flatnonzero(systems)
            groups = {mask: whole.among(places[np.frombuffer(mask, dtype=np.bool_)]) for mask in group_masks(kept)}
            exchanges = ExchangeTables.of(whole, list(groups.values()))
            arrays = layout_within(
                coefficient, scores, target, kept, {mask: group.parts for mask, group in groups.items()}
            )
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


def _checked(scores: Mapping[str, npt.ArrayLike], target: Vector) -> Vector:
    rows = [as_numbers(name, row, "one value per system (n,)") for name, row in scores.items()]
    for name, row in zip(scores, rows, strict=True):
        if row.ndim != 1 or row.shape != target.shape:
            msg = f"{name} has shape {row.shape}, the target {target.shape}; expected one value per system in both"
            raise ValueError(msg)
    return np.array(rows).reshape(len(rows), len(target))
