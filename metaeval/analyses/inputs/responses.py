"""Preference responses as judgements of systems: one entry for every system that a response judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.arrays import Integers, Mask, Vector
from metaeval.analyses.inputs.answers import Answers
from metaeval.analyses.inputs.parts import Exclusion


@dataclass(frozen=True, eq=False)
class Responses:
    """The preference responses that count, one entry for every judgement of a system's distribution.

    In a study of systems against people, a response judges one system; in a study of systems against systems, it judges
    two and has two entries. All arrays have the same length. `response` and `comparison` are codes.
    """

    response: Integers
    comparison: Integers
    system: Integers
    instance: Integers
    expert: Integers
    chosen: Mask
    other_chosen: Mask
    certainty: Vector
    exclusions: tuple[Exclusion, ...] = ()
    identical: Mask | None = None
    """Whether both sides looked the same; None: nowhere."""

    def __len__(self) -> int:
        return len(self.system)

    def of(self, kept: Mask) -> Responses:
        """The marked judgements alone."""
        return replace(
            self,
            response=self.response[kept],
            comparison=self.comparison[kept],
            system=self.system[kept],
            instance=self.instance[kept],
            expert=self.expert[kept],
            chosen=self.chosen[kept],
            other_chosen=self.other_chosen[kept],
            certainty=self.certainty[kept],
            identical=None if self.identical is None else self.identical[kept],
        )

    @property
    def both(self) -> Mask:
        both: Mask = self.chosen & self.other_chosen
        return both

    @property
    def looked_alike(self) -> Mask:
        """Whether both sides looked the same, so that nothing could be preferred."""
        return np.zeros(len(self), dtype=np.bool_) if self.identical is None else self.identical

    @property
    def counts(self) -> dict[str, int]:
        return {
            "responses": len(np.unique(self.response)),
            "comparisons": len(np.unique(self.comparison)),
            "experts": len(np.unique(self.expert)),
        }


def judgements(answers: Answers, *, include_pilot: bool) -> Responses:
    """The responses that count. Those of the pilot (unless requested) and deliberate repeats are listed as left out."""
    counted = answers.counting(answers.is_answered, include_pilot=include_pilot)
    kept = np.flatnonzero(counted.kept)
    of_two = kept[answers.first[kept] >= 0]
    entry = np.concatenate([kept, of_two])
    is_second = np.arange(len(entry)) < len(kept)
    order = np.lexsort([~is_second, entry])
    entry, is_second = entry[order], is_second[order]
    first_chosen, second_chosen = answers.first_chosen[entry], answers.second_chosen[entry]
    return Responses(
        response=entry.astype(np.int64),
        comparison=answers.comparison[entry],
        system=np.where(is_second, answers.second[entry], answers.first[entry]),
        instance=answers.instance[entry],
        expert=answers.expert[entry],
        chosen=np.where(is_second, second_chosen, first_chosen),
        other_chosen=np.where(is_second, first_chosen, second_chosen),
        certainty=answers.certainty[entry],
        exclusions=counted.exclusions(),
        identical=answers.identical[entry],
    )
