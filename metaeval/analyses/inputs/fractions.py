"""Preference fractions: how often experts chose a system's distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metaeval.analyses.inputs import Responses
from metaeval.stats import Judgements, Statistic

Both = Literal["1", "1/2", "0"]
Weights = Literal["none", "certainty"]
Average = Literal["responses", "comparisons"]

WORTH: dict[Both, float] = {"1": 1.0, "1/2": 0.5, "0": 0.0}


@dataclass(frozen=True)
class Fraction(Statistic):
    """A system's preference fraction in [0, 1] and the counts behind it; NaN with a reason where nobody judged it."""

    system: str
    fraction: float
    responses: int
    chosen: int
    both: int
    comparisons: int
    reason: str = ""


def preference_fractions(
    responses: Responses, systems: tuple[str, ...], *, both: Both, weights: Weights, average: Average
) -> list[Fraction]:
    """One fraction a system: sum of w c / sum of w over its responses, c being whether it was chosen.

    `both` is what a response counts in which both distributions were chosen. With `weights="certainty"`, w is the
    stated certainty, and responses without one do not count; else w is 1. With `average="comparisons"` the
    fraction is taken in each comparison, and then their plain mean, so that each comparison counts the same.
    """
    worth = np.where(responses.both, WORTH[both], responses.chosen.astype(np.float64))
    weight = np.nan_to_num(responses.certainty) if weights == "certainty" else np.ones(len(responses))
    answers = []
    for place, name in enumerate(systems):
        mine = responses.system == place
        _, comparison = np.unique(responses.comparison[mine], return_inverse=True)
        group = comparison if average == "comparisons" else np.zeros_like(comparison)
        total = np.bincount(group, weight[mine])
        chosen = np.bincount(group, weight[mine] * worth[mine])
        known = total > 0
        value, reason = math.nan, ""
        if known.any():
            value = float((chosen[known] / total[known]).mean())
        else:
            reason = "no response has a certainty above 0" if mine.any() else "no response judges this system"
        answers.append(
            Fraction(
                system=name,
                fraction=value,
                responses=int(mine.sum()),
                chosen=int(responses.chosen[mine].sum()),
                both=int(responses.both[mine].sum()),
                comparisons=len(np.unique(comparison)),
                reason=reason,
            )
        )
    return answers


def judgements_behind(
    responses: Responses, systems: tuple[str, ...], *, both: Both, weights: Weights, average: Average
) -> Judgements:
    """The responses behind the same fractions, as the bootstrap resamples them; their fractions are the same.

    With `average="comparisons"` a response weighs w / sum of w of its comparison, so that each comparison weighs 1.
    """
    weight = np.nan_to_num(responses.certainty) if weights == "certainty" else np.ones(len(responses))
    kept = weight > 0
    system, comparison, weight = responses.system[kept], responses.comparison[kept], weight[kept]
    if average == "comparisons":  # of a system: in a study of systems against systems a comparison has two
        _, group = np.unique(np.stack([system, comparison]), axis=1, return_inverse=True)
        weight /= np.bincount(group.ravel(), weight)[group.ravel()]
    return Judgements.of(
        system=[systems[place] for place in system],
        comparison=comparison.tolist(),
        expert=responses.expert[kept].tolist(),
        chosen=np.where(responses.both, WORTH[both], responses.chosen.astype(np.float64))[kept],
        weight=weight,
        systems=systems,
    )
