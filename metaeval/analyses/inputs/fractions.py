"""Preference fractions: how often experts chose a system's distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from annotations.ground.arrays import Counts, Mask, Vector
from metaeval.analyses.inputs import Responses
from metaeval.stats import Judgements, Statistic

ALWAYS_ALIKE = "its distributions looked like the other side’s in every comparison"
NOT_JUDGED = "no response judges this system"

Both = Literal["1", "1/2", "0"]
Weights = Literal["none", "certainty"]
Average = Literal["responses", "comparisons"]
Identical = Literal["keep", "both", "half", "leave out"]

HALVES: dict[Both, int] = {"1": 2, "1/2": 1, "0": 0}
"""What a response counts, in halves, in which both distributions were chosen."""

WORTH: dict[Both, float] = {both: halves / 2 for both, halves in HALVES.items()}
"""The same as a number."""

EXACT = 2**53
"""Up to here, floats represent every integer exactly."""


@dataclass(frozen=True)
class Fraction(Statistic):
    """A system's preference fraction in [0, 1] and the counts behind it; NaN with a reason if nobody judged it."""

    system: str
    fraction: float
    responses: int
    chosen: int
    both: int
    comparisons: int
    identical: int = 0
    reason: str = ""


class CountedHalves(NamedTuple):
    """Which judgements count, and what each counts for its system in halves: 0, 1 or 2. Arrays over all judgements."""

    kept: Mask
    halves: Counts


def counted(responses: Responses, *, both: Both, identical: Identical) -> CountedHalves:
    """What every judgement counts.

    A chosen distribution counts 1; if both were chosen, `both` says what each counts. If both sides looked the same,
    neither could be preferred; `identical` says how such a judgement counts: as it was answered (`keep`), as if both
    had been chosen (`both`), 1/2 (`half`), or not at all (`leave out`). It never counts 0 just because `both` counts
    less than 1, since good systems look like people most often: if `both` counts 1/2, so does such a judgement, and if
    `both` counts 0, it is left out (unless it counts `half`).
    """
    alike = responses.looked_alike
    halves = np.where(responses.both, HALVES[both], 2 * responses.chosen.astype(np.int64))
    if identical == "half" or both == "1/2":
        halves = np.where(alike, 1, halves)
    elif identical == "both":
        halves = np.where(alike, 2, halves)
    gone = identical == "leave out" or (both == "0" and identical != "half")
    return CountedHalves(~(alike & gone), halves)


def preference_fractions(
    responses: Responses,
    systems: tuple[str, ...],
    *,
    both: Both,
    weights: Weights,
    average: Average,
    identical: Identical = "keep",
) -> list[Fraction]:
    """One fraction per system: sum of w c / sum of w over its responses, c being whether it was chosen.

    `both` says how a response counts in which both distributions were chosen, `identical` how one counts whose sides
    looked the same (`counted`). With `weights="certainty"`, w is the stated certainty, and responses without one do not
    count; else w is 1. With `average="comparisons"`, the fraction is computed for each comparison and then averaged, so
    that each comparison counts the same. Unweighted fractions are computed in integers and divided once, so that equal
    ones are equal to the last digit, and ranks tie where they should.
    """
    is_counted, halves = counted(responses, both=both, identical=identical)
    certainty = np.nan_to_num(responses.certainty) if weights == "certainty" else None
    alike = responses.looked_alike
    answers = []
    for place, name in enumerate(systems):
        mine = responses.system == place
        counting = mine & is_counted
        value, reason = math.nan, ""
        if certainty is not None:
            value = _weighted(certainty[counting], halves[counting] / 2, _groups(responses, counting, average))
        elif counting.any():
            value = _exact(halves[counting], _groups(responses, counting, average))
        if math.isnan(value):
            reason = _without_fraction(mine, counting)
        answers.append(
            Fraction(
                system=name,
                fraction=value,
                responses=int(mine.sum()),
                chosen=int(responses.chosen[mine].sum()),
                both=int(responses.both[mine].sum()),
                comparisons=len(np.unique(responses.comparison[mine])),
                identical=int((mine & alike).sum()),
                reason=reason,
            )
        )
    return answers


def judgements_behind(
    responses: Responses,
    systems: tuple[str, ...],
    *,
    both: Both,
    weights: Weights,
    average: Average,
    identical: Identical = "keep",
) -> Judgements:
    """The responses behind these fractions, for the bootstrap; they give the same fractions.

    With `average="comparisons"`, each comparison weighs the same: a response weighs w / sum of w of its comparison,
    times an integer that makes the weights of unweighted responses integers, whose sums are exact.
    """
    is_counted, halves = counted(responses, both=both, identical=identical)
    weight = np.nan_to_num(responses.certainty) if weights == "certainty" else np.ones(len(responses))
    is_counted = is_counted & (weight > 0)
    system, comparison, weight = responses.system[is_counted], responses.comparison[is_counted], weight[is_counted]
    if average == "comparisons":  # per system: in a study of systems against systems, a comparison has two
        _, group = np.unique(np.stack([system, comparison]), axis=1, return_inverse=True)
        sizes = np.bincount(group.ravel(), weight)[group.ravel()]
        common = 1 if weights == "certainty" else math.lcm(*map(int, np.unique(sizes)))
        weight = weight * common / sizes if common * len(weight) < EXACT else weight / sizes
    return Judgements.of(
        system=[systems[place] for place in system],
        comparison=comparison.tolist(),
        expert=responses.expert[is_counted].tolist(),
        chosen=halves[is_counted] / 2,
        weight=weight,
        systems=systems,
    )


def _groups(responses: Responses, counting: Mask, average: Average) -> Counts:
    """What is averaged first: everything at once, or each comparison."""
    _, comparison = np.unique(responses.comparison[counting], return_inverse=True)
    return comparison if average == "comparisons" else np.zeros_like(comparison)


def _exact(halves: Counts, group: Counts) -> float:
    """The mean of the groups' shares, as one division of integers, which Python rounds once.

    >>> _exact(np.array([2, 0, 0, 2, 2, 0]), np.array([0, 0, 0, 1, 1, 1]))
    0.5
    """
    sizes = [int(size) for size in np.bincount(group)]
    sums = [int(total) for total in np.bincount(group, halves)]
    common = math.lcm(*sizes)
    return sum(total * (common // size) for total, size in zip(sums, sizes, strict=True)) / (2 * common * len(sizes))


def _weighted(weight: Vector, worth: Vector, group: Counts) -> float:
    """The same with weights, over groups that have any; NaN if there are none."""
    total, chosen = np.bincount(group, weight), np.bincount(group, weight * worth)
    has_any = total > 0
    return float((chosen[has_any] / total[has_any]).mean()) if has_any.any() else math.nan


def _without_fraction(mine: Mask, counting: Mask) -> str:
    if not mine.any():
        return NOT_JUDGED
    if not counting.any():
        return ALWAYS_ALIKE
    return "no response has a certainty above 0"
