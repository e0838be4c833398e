"""Preferences as contests: which of two won, and in whose opinion, for any kind of comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotations.ground.arrays import Integers, Mask
from metaeval.analyses.inputs import StudyInputs, VotesInputs
from metaeval.analyses.inputs.judged_items import Judges, oriented
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.stats import PairwiseOutcomes

Units = Literal["methods", "systems", "models"]
Cluster = Literal["instances", "people", "responses"]

PEOPLE = "Human"
"""What the human distributions are called among the competitors of a study that compares systems with people."""


@dataclass(frozen=True, eq=False)
class Contests:
    """One entry per response: `first` and `second` are positions in `names` (-1 as `first`: the human side), `outcome`
    is 1 if the first was preferred, -1 if the second was, 0 if both or neither were."""

    names: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    instance: Integers
    person: Integers

    def outcomes(self, units: Sequence[str], kept: Mask, cluster: Cluster) -> tuple[PairwiseOutcomes | None, int]:
        """Wins and ties between `units`, one unit for each of `names`, and how many contests are of a unit with itself.

        None if no contest is left.
        """
        called = np.array([*units, PEOPLE], dtype=object)  # position -1 is the last
        one, other = called[self.first], called[self.second]
        same = kept & (one == other)
        there = kept & ~same
        if not there.any():
            return None, int(same.sum())
        clusters = {"instances": self.instance, "people": self.person, "responses": np.arange(len(self.outcome))}
        outcomes = PairwiseOutcomes.from_responses(
            one[there].tolist(),
            other[there].tolist(),
            self.outcome[there],
            cluster=clusters[cluster][there].tolist(),
        )
        return outcomes, int(same.sum())


def contests_of_study(study: StudyInputs, *, include_pilot: bool) -> Contests:
    """The preference responses that count."""
    answers = study.answers
    kept = answers.counting(answers.is_answered, include_pilot=include_pilot).kept
    one, other = answers.first_chosen[kept], answers.second_chosen[kept]
    return Contests(
        names=study.systems,
        first=answers.first[kept],
        second=answers.second[kept],
        outcome=one.astype(np.int64) - other.astype(np.int64),
        instance=answers.instance[kept],
        person=answers.expert[kept],
    )


def contests_of_votes(votes: VotesInputs, judges: Judges) -> tuple[Contests, list[Exclusion]]:
    """The votes of these judges, and what was left out."""
    machine = votes.is_machine[votes.judge]
    kept: Mask = {"people": ~machine, "machines": machine, "all": np.ones_like(machine)}[judges]
    low, high, code = oriented(votes)
    left = int((~kept).sum())
    others = {"people": "votes of machines", "machines": "votes of people"}
    contests = Contests(
        names=votes.systems,
        first=low[kept],
        second=high[kept],
        outcome=np.array([1, -1, 0])[code[kept]],
        instance=votes.instance[kept],
        person=votes.judge[kept],
    )
    return contests, [Exclusion(what="votes", count=left, reason=others[judges])] if left else []
