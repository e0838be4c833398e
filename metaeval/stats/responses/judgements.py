"""Preference responses as the bootstrap needs them, and where their variance comes from: systems, comparisons,
experts, or chance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Counts, Matrix, Vector
from metaeval.checking import checked_type
from metaeval.describing import described
from metaeval.stats.results import Statistic

EXPERTS_NOT_APART = "what varies between experts cannot be told from the rest"
ONE_SYSTEM_JUDGED = "fewer than two systems were judged"
NO_SECOND_RESPONSE = "no system has two responses"
EQUAL_RESPONSES = "all responses are equal"
PROBIT = 0.3458
"""(16 sqrt(3) / (15 pi))^2: the scaling that brings a logistic curve closest to a normal one."""


class JudgedResponses(NamedTuple):
    """The arrays of `Judgements`, for the compiled loops."""

    comparison: Codes
    expert: Codes
    chosen: Vector
    weight: Vector
    system_starts: Codes
    comparison_starts: Codes
    experts: int


@described
@dataclass(frozen=True)
class Judgements:
    """Responses, grouped by system and, within it, by comparison; experts cross systems. Built by `Judgements.of`."""

    systems: tuple[str, ...]
    """Names of the S systems."""
    comparison: Codes
    expert: Codes
    """(R,): The comparison, counted within the system, and the expert of each response."""
    chosen: Vector
    weight: Vector
    """(R,): Whether each response preferred the system, and how much it counts."""
    system_starts: Codes
    comparison_starts: Codes
    """(S + 1,): Where the responses and the comparisons of each system begin."""
    experts: int
    """How many experts there are."""

    @classmethod
    def of(
        cls,
        *,
        system: Sequence[Hashable],
        comparison: Sequence[Hashable],
        expert: Sequence[Hashable],
        chosen: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        systems: Sequence[str] | None = None,
    ) -> Judgements:
        """Group responses, given one per entry.

        `chosen` in [0, 1] says how much the system's distribution was preferred (1 yes, 0 no; the value for `both` is
        the caller's choice); `weight` >= 0 (default 1) may be the certainty, or 1 / responses of the comparison for the
        mean of per-comparison fractions. `systems` gives the order and may name systems without responses. ValueError
        for unequal lengths, values out of range, and responses of a system that is not in `systems`.

        >>> answers = Judgements.of(system="AAB", comparison=[1, 2, 3], expert="xyx", chosen=[1, 0, 1])
        >>> answers.systems, answers.fractions().tolist()
        (('A', 'B'), [0.5, 1.0])
        """
        value = np.asarray(chosen, dtype=np.float64)
        load = np.ones(len(value)) if weight is None else np.asarray(weight, dtype=np.float64)
        lengths = {"system": len(system), "comparison": len(comparison), "expert": len(expert), "weight": len(load)}
        if value.ndim != 1 or any(length != len(value) for length in lengths.values()):
            msg = f"chosen has shape {value.shape}, the others lengths {lengths}; expected one entry per response"
            raise ValueError(msg)
        if not ((value >= 0) & (value <= 1)).all():
            msg = "chosen must lie in [0, 1] (1: the system's distribution was chosen); leave out what is missing"
            raise ValueError(msg)
        if not ((load >= 0) & np.isfinite(load)).all():
            msg = "weights must be finite and not negative"
            raise ValueError(msg)
        names = tuple(sorted({str(name) for name in system})) if systems is None else tuple(systems)
        places = {name: place for place, name in enumerate(names)}
        unknown = sorted({str(name) for name in system} - set(names))
        if unknown:
            msg = f"responses of systems that are not among the given ones: {', '.join(unknown)}"
            raise ValueError(msg)
        row = np.array([places[str(name)] for name in system], dtype=np.int64)
        units = _codes(comparison)
        order = np.lexsort((units, row))
        row, units = row[order], units[order]
        counts = np.zeros(len(names), dtype=np.int64)
        within = np.zeros(len(row), dtype=np.int64)
        for place in range(len(names)):
            own = row == place
            different, within[own] = np.unique(units[own], return_inverse=True)
            counts[place] = len(different)
        people = _codes(expert)
        return cls(
            systems=names,
            comparison=within,
            expert=people[order],
            chosen=value[order],
            weight=load[order],
            system_starts=_starts(np.bincount(row, minlength=len(names))),
            comparison_starts=_starts(counts),
            experts=len(set(people.tolist())),
        )

    def responses(self) -> JudgedResponses:
        """The arrays alone."""
        return JudgedResponses(*(getattr(self, name) for name in JudgedResponses._fields))

    def counts(self) -> Codes:
        """How many responses every system has (S,)."""
        return np.diff(self.system_starts)

    def fractions(self) -> Vector:
        """The preference fraction of every system (S,): weighted mean of `chosen`; NaN without responses."""
        answer = np.full(len(self.systems), np.nan)
        for place in range(len(self.systems)):
            own = slice(self.system_starts[place], self.system_starts[place + 1])
            total = self.weight[own].sum()
            if total > 0:
                answer[place] = (self.weight[own] * self.chosen[own]).sum() / total
        return answer


def _codes(labels: Sequence[Hashable]) -> Codes:
    """0, 1, ... in the order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def _starts(counts: npt.ArrayLike) -> Codes:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


@described
@dataclass(frozen=True)
class PreferenceVariance(Statistic):
    """Variances of a response in [0, 1], and how reliable they make the fractions of these systems."""

    mean: float
    """The mean response; NaN where undefined, like all that follow."""
    between_systems: float
    between_comparisons: float
    between_experts: float
    within: float
    """Components that add up to the variance of a response; `within` is that of a single response, and includes what
    cannot be separated."""
    noise: float
    """The variance of a fraction that is not due to the system."""
    reliability: float
    """The share of the fractions' variance that is due to the systems. The correlation that a perfect metric would show
    is about its square root."""
    systems: int
    comparisons: int
    experts: int
    responses: int
    """How many there are."""
    reason: str = ""
    notes: tuple[str, ...] = ()

    def on_log_odds(self) -> tuple[float, float, float, float]:
        """The same on the scale of log-odds: base, and standard deviations of systems, instances and experts.

        By the derivative p (1 - p) of the logistic curve, flattened by all variation around it:
        sd = sqrt(variance) sqrt(1 + 0.346 total^2) / (p (1 - p)), `total` the deviation of all three together.
        """
        steep = self.mean * (1 - self.mean)
        parts = np.sqrt([self.between_systems, self.between_comparisons, self.between_experts])
        if steep <= 0:
            return math.nan, 0.0, 0.0, 0.0
        flat = 1.0
        for _ in range(20):
            flat = math.sqrt(1 + PROBIT * float(((flat * parts / steep) ** 2).sum()))
            flat = min(flat, 3.0)  # beyond this, responses are almost certain and the approximation fails
        systems, instances, experts = (flat * parts / steep).tolist()
        return math.log(self.mean / (1 - self.mean)) * flat, systems, instances, experts


def preference_variance(judged: Judgements) -> PreferenceVariance:
    """Variance components of responses, by the method of moments.

    Parameters
    ----------
    judged : Judgements
        The responses.

    Returns
    -------
    PreferenceVariance
        The components, or NaN with a reason.

    Notes
    -----
    Model: response = fraction of its system + comparison + expert + rest, with independent effects. Three sums of
    squares of the residuals from the systems' own fractions (of single responses, summed within comparisons, summed
    within experts) are linear in the three variances, with coefficients that follow from who judged what; solving for
    the variances is unbiased for any design, even if experts dropped out. The variance between systems is that of the
    fractions minus their noise. Negative estimates become 0. All responses have the same weight. Undefined (NaN with
    the reason) for fewer than two systems with responses, or if no system has two responses.

    References
    ----------
    Searle, Casella and McCulloch 1992, Variance Components, chapter 5 (Henderson's methods).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> system = np.repeat(np.arange(40), 100)
    >>> chosen = rng.random(4000) < np.linspace(0.2, 0.8, 40)[system]
    >>> found = preference_variance(
    ...     Judgements.of(
    ...         system=system.tolist(),
    ...         comparison=[r // 4 for r in range(4000)],
    ...         expert=rng.integers(0, 20, 4000).tolist(),
    ...         chosen=chosen,
    ...     )
    ... )
    >>> round(found.between_systems, 2), round(found.reliability, 1)
    (0.03, 0.9)
    """
    checked_type("judged", judged, Judgements, "Judgements (see Judgements.of)")
    counts = _Counts.of(judged)
    responses = len(judged.chosen)
    mean = float(judged.chosen.mean()) if responses else math.nan
    if counts.systems < 2 or responses <= counts.systems:
        reason = ONE_SYSTEM_JUDGED if counts.systems < 2 else NO_SECOND_RESPONSE
        return PreferenceVariance(
            mean, *(math.nan,) * 6, counts.systems, counts.comparisons, judged.experts, responses, reason
        )
    shares = np.bincount(counts.row, judged.chosen, minlength=len(counts.sizes)) / counts.n
    matrix, squares = _coefficients(judged, counts), _sums_of_squares(judged, counts, shares)
    columns, notes = _separable(matrix, counts.in_comparison, judged.experts)
    parts = np.zeros(3)
    parts[columns] = np.linalg.lstsq(matrix[np.ix_(columns, columns)], squares[columns], rcond=None)[0]
    within, of_comparison, of_expert = np.maximum(parts, 0.0).tolist()
    noise = counts.noise(within, of_comparison, of_expert)
    spread = float(shares[counts.sizes > 0].var(ddof=1))
    between = max(0.0, spread - noise)
    return PreferenceVariance(
        mean=mean,
        between_systems=between,
        between_comparisons=of_comparison,
        between_experts=of_expert,
        within=within,
        noise=noise,
        reliability=between / (between + noise) if between + noise > 0 else math.nan,
        systems=counts.systems,
        comparisons=counts.comparisons,
        experts=judged.experts,
        responses=responses,
        reason="" if between + noise > 0 else EQUAL_RESPONSES,
        notes=notes,
    )


@dataclass(frozen=True)
class _Counts:
    """Counts of who judged what: each response's system and comparison (R,); the responses of each system (S,), at
    least 1 as a divisor, and of each comparison (C,); their squares and cubes summed by system (S,); and how many each
    expert gave to each system (S, E)."""

    row: Codes
    comparison: Codes
    sizes: Counts
    n: Vector
    in_comparison: Vector
    squares: Vector
    cubes: Vector
    by_expert: Matrix

    @classmethod
    def of(cls, judged: Judgements) -> _Counts:
        sizes = np.diff(judged.system_starts)
        row = np.repeat(np.arange(len(sizes)), sizes)
        comparison = judged.comparison_starts[row] + judged.comparison
        in_comparison = np.bincount(comparison, minlength=int(judged.comparison_starts[-1])).astype(np.float64)
        owner = np.repeat(np.arange(len(sizes)), np.diff(judged.comparison_starts))
        squares, cubes = (
            np.bincount(owner, in_comparison**power, minlength=len(sizes)).astype(np.float64) for power in (2, 3)
        )
        by_expert = np.zeros((len(sizes), judged.experts))
        np.add.at(by_expert, (row, judged.expert), 1.0)
        n = np.maximum(sizes, 1).astype(np.float64)
        return cls(row, comparison, sizes, n, in_comparison, squares, cubes, by_expert)

    @property
    def systems(self) -> int:
        """The systems with responses."""
        return int((self.sizes > 0).sum())

    @property
    def comparisons(self) -> int:
        return len(self.in_comparison)

    def noise(self, within: float, of_comparison: float, of_expert: float) -> float:
        """The variance between fractions caused by these variances of responses: that within systems on average, minus
        what two of them share through common experts."""
        n, present = self.n, self.sizes > 0
        experts = (self.by_expert**2).sum(axis=1)
        own = (within / n + of_comparison * self.squares / n**2 + of_expert * experts / n**2)[present]
        shares = (self.by_expert / n[:, None])[present]
        together = of_expert * shares @ shares.T
        pairs = (together.sum() - np.trace(together)) / (self.systems * (self.systems - 1))
        return float(own.mean() - pairs)


def _sums_of_squares(judged: Judgements, counts: _Counts, shares: Vector) -> Vector:
    """Sums of squared residuals from the systems' fractions: single, summed within comparisons, summed within
    experts."""
    residual = judged.chosen - shares[counts.row]
    return np.array(
        [
            (residual**2).sum(),
            (np.bincount(counts.comparison, residual) ** 2).sum(),
            (np.bincount(judged.expert, residual) ** 2).sum(),
        ]
    )


def _coefficients(judged: Judgements, counts: _Counts) -> Matrix:
    """Coefficients of the three variances (within, between comparisons, between experts) in the expected sums: (3,
    3)."""
    n, squares, by_expert = counts.n, counts.squares, counts.by_expert
    shared = np.diag(by_expert.sum(axis=0)) - (by_expert / n[:, None]).T @ by_expert
    of_response = counts.in_comparison[counts.comparison]
    _, cells = np.unique(counts.comparison * judged.experts + judged.expert, return_counts=True)
    crossed = (
        float((cells.astype(np.float64) ** 2).sum())
        - 2 * float((of_response * by_expert[counts.row, judged.expert] / n[counts.row]).sum())
        + float((squares * (by_expert**2).sum(axis=1) / n**2).sum())
    )
    compared = (counts.sizes - squares / n).sum()
    return np.array(
        [
            [len(judged.chosen) - counts.systems, compared, np.trace(shared)],
            [compared, (squares - 2 * counts.cubes / n + (squares / n) ** 2).sum(), crossed],
            [np.trace(shared), crossed, (shared**2).sum()],
        ]
    )


def _separable(matrix: Matrix, in_comparison: Vector, experts: int) -> tuple[list[int], tuple[str, ...]]:
    """Which of the three variances these responses can separate, and notes about the others."""
    columns, notes = [0], []
    if (in_comparison > 1).any():
        columns.append(1)
    else:
        notes.append("no comparison has two responses: what varies between comparisons is part of the chance")
    with_experts = [*columns, 2]
    part = matrix[np.ix_(with_experts, with_experts)]
    scale = np.sqrt(np.abs(np.diag(part)))
    is_separable = experts > 1 and bool((scale > 0).all()) and np.linalg.cond(part / np.outer(scale, scale)) < 1e8
    if is_separable:
        columns = with_experts
    else:
        notes.append(EXPERTS_NOT_APART)
    return columns, tuple(notes)
