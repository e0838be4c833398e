"""What the shapes reveal about people's side; Bang's index says what experts made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Counts
from annotations.ground.leaks import TOO_FEW, Tells, learned_leak
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.studies import looked_alike
from metaeval.analyses.study_quality.result import ShapeLeak

BETWEEN_SYSTEMS = "in a study of systems against systems, neither side is people’s"
NOT_KNOWN = "how the study showed its distributions is not known"


class SeenPair(NamedTuple):
    """A comparison as it was seen: the drawn percentages of both sides, the text, and the rounding steps."""

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts


def shape_leak(study: StudyInputs) -> ShapeLeak:
    """The learned leak of the comparisons that were answered, each once, and how many give themselves away.

    For a plan, the leak says what experts could learn; here, it is about what they have answered so far.
    """
    showing = study.showing
    if study.compares != "human_vs_system":
        return _unknown(BETWEEN_SYSTEMS)
    if showing is None:
        return _unknown(NOT_KNOWN)
    answers = study.answers
    kept = answers.counting(answers.is_answered, include_pilot=True).kept & ~looked_alike(study)
    shown = np.unique(np.stack([answers.second[kept], answers.instance[kept]]), axis=1)
    parts, rule = showing.parts, showing.rule
    human = rule.percentages(study.P, people=showing.people, task=study.task)
    tells = Tells.of(human)
    pairs, given_away = [], 0
    for place in np.unique(shown[0]):
        mine = shown[1][shown[0] == place]
        rows = study.Q[study.systems[place]][mine]
        drawn = rule.percentages(rows, people=showing.people[mine], task=study.task)
        given_away += int(tells.give_away(drawn).sum())
        pairs += [
            SeenPair(one, int(showing.people[one]), int(parts[one]), human[one][human[one] > 0], side[side > 0])
            for one, side in zip(mine.tolist(), drawn, strict=True)
        ]
    found = learned_leak(pairs)
    return ShapeLeak(
        value=found.right,
        low=found.low,
        high=found.high,
        n=found.comparisons,
        reason=_too_few(pairs) if found.reason == TOO_FEW else found.reason,
        surest=found.right_when_sure,
        comparisons=len(pairs),
        given_away=given_away,
    )


def _too_few(pairs: Sequence[SeenPair]) -> str:
    texts = len({pair.instance for pair in pairs})
    return f"{len(pairs)} comparisons on {texts} texts are too few to say what their shapes tell"


def _unknown(reason: str) -> ShapeLeak:
    return ShapeLeak(value=None, low=None, high=None, n=0, reason=reason, surest=None, comparisons=0, given_away=0)
