"""Permutation tests of several rows of scores against one target, on one set of shared permutations.

The work is cut into blocks of a fixed number of permutations, each with its own stream of random numbers. A
block's answer is four integer counts a row; adding them up in any order gives the same total, so the result
is the same to the last digit however many workers share the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from annotations.arrays import AnyArray, Counts, Mask, Places, Vector
from metaeval.sampling import Seed, Steps, seed_sequence, stream
from metaeval.stats.results import Statistic

from .coefficients import COEFFICIENTS, Coefficient, correlation, undefined_because
from .layout import layout

Alternative = Literal["two-sided", "greater", "less"]
TwoSided = Literal["double", "magnitude"]

BLOCK = 8192
"""Permutations a block. Part of the definition of a result: another size draws other permutations."""

SIDES: dict[Alternative, int] = {"two-sided": 0, "greater": 1, "less": -1}
SHARED, OWN = 0, 1


@dataclass(frozen=True)
class CorrelationTest(Statistic):
    """One coefficient between one row of scores and the target, with its permutation p-values.

    `p_value` follows `alternative` and `two_sided`; `p_error` is its Monte-Carlo standard error (0 when every
    permutation was enumerated); `p_family` is the step-down max-T p over the rows of the same coefficient.
    The three counts are of permutations whose value is >= the observed, <= it, and at least as large in
    magnitude.
    """

    row: str
    coefficient: Coefficient
    value: float
    n: int
    p_value: float = math.nan
    p_error: float = math.nan
    p_family: float = math.nan
    alternative: Alternative = "two-sided"
    two_sided: TwoSided = "double"
    exact: bool = False
    permutations: int = 0
    count_greater_equal: int = 0
    count_less_equal: int = 0
    count_magnitude: int = 0
    excluded: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class _Block:
    """A piece of work: permutations `start` to `stop` of one part."""

    part: int
    start: int
    stop: int
    stream: int


@dataclass(frozen=True)
class _RowGroup:
    """Rows that are tested on one source of permutations of the same `n` systems."""

    coefficient: Coefficient
    rows: tuple[int, ...]
    exact: bool
    total: int
    arrays: tuple[AnyArray, ...] = field(repr=False)
    observed: Vector = field(repr=False)
    by_size: Places = field(repr=False)
    purpose: int = SHARED

    def count(self, block: _Block, source: np.random.SeedSequence, side: int) -> Counts:
        from metaeval.generator import lane_states

        # Numba takes half a second to import: only who counts pays.
        from . import permutation_kernels as kernels
        from . import shuffling

        kernel = kernels.count_pairs if self.coefficient == "kendall" else kernels.count_products
        comparators = shuffling.network(self.arrays[0].shape[1])
        states = lane_states(source, shuffling.LANES)
        draws = kernels.Draws(states, self.exact, block.start, block.stop, comparators)
        return cast(Counts, kernel(draws, *self.arrays, kernels.Seen(self.observed, self.by_size, side)))


class PermutationPlan:
    """Everything of a test that is settled before the first permutation is drawn.

    `scores` maps a row's name to one score a system (NaN: undefined, the system is left out of that row);
    `target` is one value a system (NaN: left out everywhere). Rows are tested exactly, by enumeration, when
    n! is at most `permutations`, otherwise on that many sampled permutations. All rows share them: where a
    row leaves systems out, those that remain keep the order that the shared permutation gives them, which
    is uniform again.

    A row small enough to be enumerated beside larger ones gets its exact p-value from its own enumeration,
    and its family-wise one from the shared sample.
    """

    def __init__(
        self,
        scores: Mapping[str, npt.ArrayLike],
        target: npt.ArrayLike,
        *,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
        permutations: int = 100_000,
        seed: Seed = 0,
        alternative: Alternative = "two-sided",
        two_sided: TwoSided = "double",
        systems: Sequence[str] | None = None,
        target_name: str = "the target",
    ) -> None:
        self.names = tuple(scores)
        self.target = np.asarray(target, dtype=np.float64)
        self.scores = _checked(scores, self.target)
        self.systems = tuple(map(str, range(len(self.target)))) if systems is None else tuple(systems)
        if len(self.systems) != len(self.target):
            msg = f"{len(self.systems)} names of systems for {len(self.target)} values of {target_name}"
            raise ValueError(msg)
        if permutations < 1:
            msg = f"permutations is {permutations}; expected at least 1"
            raise ValueError(msg)
        if alternative not in SIDES or two_sided not in {"double", "magnitude"}:
            msg = f"unknown alternative {alternative!r} or two_sided {two_sided!r}"
            raise ValueError(msg)
        self.permutations = permutations
        self.alternative = alternative
        self.two_sided = two_sided
        self.root = seed_sequence(seed)
        self._untested = self._describe_rows(coefficients, target_name)
        self.parts = self._make_parts(coefficients)
        self.blocks = tuple(self._cut())

    def count(self, block: int) -> Counts:
        """Do one block; its counts have the shape of `empty`, and blocks add up in any order."""
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
        tails: dict[tuple[Coefficient, int], tuple[_RowGroup, Counts]] = {}
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
        """Every block in this process; `progress(done, total)` is called before the first and after each."""
        counts = self.empty()
        for done in range(len(self.blocks)):
            if progress is not None:
                progress(done, len(self.blocks))
            counts += self.count(done)
        if progress is not None:
            progress(len(self.blocks), len(self.blocks))
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
                reason = undefined_because(x, y, name, target_name)
                rows[coefficient, row] = CorrelationTest(
                    row=name,
                    coefficient=coefficient,
                    value=math.nan if reason else correlation(x, y, coefficient).value,
                    n=int(kept.sum()),
                    alternative=self.alternative,
                    two_sided=self.two_sided,
                    excluded=tuple(system for system, keep in zip(self.systems, kept, strict=True) if not keep),
                    reason=reason,
                )
        return rows

    def _kept(self, row: int) -> Mask:
        kept: Mask = np.isfinite(self.scores[row]) & np.isfinite(self.target)
        return kept

    def _make_parts(self, coefficients: Sequence[Coefficient]) -> list[_RowGroup]:
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
                    if self._enumerable(int(mask.sum())):
                        own = [row for row in rows if self._kept(row).tobytes() == key]
                        parts.append(self._part(coefficient, own, mask, OWN))
        return parts

    def _enumerable(self, n: int) -> bool:
        return n <= 20 and math.factorial(n) <= self.permutations

    def _part(self, coefficient: Coefficient, rows: list[int], systems: Mask, purpose: int) -> _RowGroup:
        """The arrays that the compiled loop takes, for these rows over these systems."""
        kept = [self._kept(row)[systems] for row in rows]
        scores = [self.scores[row][systems] for row in rows]
        observed = np.array([self._untested[coefficient, row].value for row in rows])
        by_size = np.argsort(self._extremeness(observed), kind="stable")
        arrays = layout(coefficient, scores, self.target[systems], kept)
        n = int(systems.sum())
        exact = self._enumerable(n)
        return _RowGroup(
            coefficient=coefficient,
            rows=tuple(rows),
            exact=exact,
            total=math.factorial(n) if exact else self.permutations,
            arrays=arrays,
            observed=observed,
            by_size=by_size,
            purpose=purpose,
        )

    def _cut(self) -> list[_Block]:
        """Blocks of all parts. The stream depends on the place among the permutations only, so that the three
        coefficients see the same ones."""
        return [
            _Block(part, start, min(start + BLOCK, self.parts[part].total), start // BLOCK)
            for part in range(len(self.parts))
            for start in range(0, self.parts[part].total, BLOCK)
        ]

    def _extremeness(self, values: Vector) -> Vector:
        side = SIDES[self.alternative]
        return side * values if side else np.abs(values)

    def _family(self, part: _RowGroup, counts: Counts) -> dict[tuple[Coefficient, int], float]:
        """Step-down max-T: from the most extreme row on, p-values never decrease."""
        p, answers = 0.0, {}
        for place in part.by_size[::-1]:
            p = max(p, _share(int(counts[place, 3]), part))
            answers[part.coefficient, part.rows[place]] = p
        return answers

    def _tested(self, test: CorrelationTest, part: _RowGroup, counts: Counts, family: float) -> CorrelationTest:
        greater, less, magnitude = (int(count) for count in counts[:3])
        tail, factor = {
            "greater": (greater, 1),
            "less": (less, 1),
            "two-sided": (magnitude, 1) if self.two_sided == "magnitude" else (min(greater, less), 2),
        }[self.alternative]
        p = _share(tail, part)
        return replace(
            test,
            p_value=min(1.0, factor * p),
            p_error=0.0 if part.exact else factor * math.sqrt(p * (1 - p) / part.total),
            p_family=family,
            exact=part.exact,
            permutations=part.total,
            count_greater_equal=greater,
            count_less_equal=less,
            count_magnitude=magnitude,
        )


def smallest_sampled_p(permutations: int, alternative: Alternative, two_sided: TwoSided) -> float:
    """The smallest p-value that so many sampled permutations can give.

    >>> smallest_sampled_p(19, "two-sided", "magnitude"), smallest_sampled_p(19, "two-sided", "double")
    (0.05, 0.1)
    """
    tails = 2 if alternative == "two-sided" and two_sided == "double" else 1
    return tails / (1 + permutations)


def refuse_out_of_reach(alpha: float, *, permutations: int, alternative: Alternative, two_sided: TwoSided) -> None:
    """ValueError for a level that so few sampled permutations cannot reach, or that is no share.

    >>> refuse_out_of_reach(0.05, permutations=19, alternative="greater", two_sided="double")
    >>> refuse_out_of_reach(0.05, permutations=18, alternative="greater", two_sided="double")
    Traceback (most recent call last):
    ValueError: alpha is 0.05; 18 permutations cannot give a p-value that low (or it is not a share)
    """
    if not smallest_sampled_p(permutations, alternative, two_sided) <= alpha < 1:
        msg = f"alpha is {alpha}; {permutations} permutations cannot give a p-value that low (or it is not a share)"
        raise ValueError(msg)


def _share(count: int, part: _RowGroup) -> float:
    """The identity is among the enumerated permutations; to sampled ones it is added."""
    return count / part.total if part.exact else (1 + count) / (1 + part.total)


def _checked(scores: Mapping[str, npt.ArrayLike], target: Vector) -> Vector:
    rows = [np.asarray(row, dtype=np.float64) for row in scores.values()]
    for name, row in zip(scores, rows, strict=True):
        if row.ndim != 1 or row.shape != target.shape:
            msg = f"{name} has shape {row.shape}, the target {target.shape}; expected one value a system in both"
            raise ValueError(msg)
    return np.array(rows).reshape(len(rows), len(target))
