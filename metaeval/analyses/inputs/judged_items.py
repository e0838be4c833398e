"""What people said, for any subject of an analysis, in the one form in which agreement is measured."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from annotations.ground.arrays import Integers, Mask
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.answers import LOOKED_ALIKE
from metaeval.analyses.inputs.datasets import FIRST, SECOND, Annotated
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.stats.agreement import Annotations, SetAnnotations

Step = Literal["labels", "preferences"]
Kind = Literal["labels", "preferences", "annotations", "votes"]
"""What people said: in a step of a study, in a dataset's annotations, in votes."""

Judges = Literal["people", "machines", "all"]

OF_SYSTEM = ("human", "system", "both", "neither")
OF_TWO = ("first", "second", "both", "neither")
VOTES = ("first", "second", "tie")


@dataclass(frozen=True, eq=False)
class JudgedItems:
    """Items, and what people said about each.

    `items` says what the items are, `people` what the people are called; `systems` names, for each item, the one or two
    systems that it is about (empty: none). `is_ordered`: the labels are points of a scale.
    """

    name: Kind
    title: str
    items: str
    people: str
    annotations: Annotated
    is_ordered: bool = False
    systems: tuple[str, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    notes: tuple[str, ...] = ()
    titles: Mapping[Hashable, str] = field(default_factory=dict)
    """The people's names, if different from their codes."""

    def named(self, person: Hashable) -> str:
        return self.titles.get(person, str(person))

    def with_at_least(self, count: int) -> JudgedItems:
        """The items that at least this many people judged; lists how many are left out."""
        sizes = self.annotations.table.sizes
        places = np.flatnonzero(sizes >= count)
        if len(places) == len(sizes):
            return self
        reason = "nobody judged them" if count == 1 else f"fewer than {count} judgements"
        few = Exclusion(what=self.items, count=len(sizes) - len(places), reason=reason, of=self.title)
        return replace(
            self,
            annotations=self.annotations.only(places),
            systems=tuple(self.systems[place] for place in places) if self.systems else (),
            exclusions=(*self.exclusions, few),
        )


def judged_items(
    inputs: StudyInputs | DatasetInputs | VotesInputs,
    *,
    steps: Sequence[Step] = ("labels", "preferences"),
    judges: Judges = "people",
    include_pilot: bool = False,
) -> list[JudgedItems]:
    """Everything that people said: steps 1 and 2 of a study, the annotations of a dataset, or votes."""
    if isinstance(inputs, StudyInputs):
        readers = {"labels": _labels, "preferences": _preferences}
        return [read(inputs, include_pilot) for step, read in readers.items() if step in steps]
    if isinstance(inputs, VotesInputs):
        return [_votes(inputs, judges)]
    if inputs.annotations is None:
        return []
    return [
        JudgedItems(
            "annotations",
            "Annotations",
            "instances",
            "annotators",
            inputs.annotations,
            is_ordered=inputs.task == "ordinal",
        ).with_at_least(1)
    ]


def _labels(study: StudyInputs, include_pilot: bool) -> JudgedItems:
    answers = study.answers
    counted = answers.counting_labels(include_pilot=include_pilot)
    counts = counted.kept
    item, expert, chosen = answers.instance[counts], answers.expert[counts], answers.labels[counts]
    instances = range(len(study.P))
    annotations: Annotated
    if study.task == "multilabel":
        annotations = SetAnnotations.from_indicators(item, expert, chosen, labels=study.labels, items=instances)
    else:
        points = study.data.values or study.labels
        labels = [points[row.argmax()] if row.any() else None for row in chosen]
        annotations = Annotations.from_columns(item, expert, labels, labels=points, items=instances)
    title = "Step 1: labels"
    return JudgedItems(
        "labels",
        title,
        "instances",
        "experts",
        annotations,
        is_ordered=study.task == "ordinal",
        exclusions=counted.exclusions(title),
        titles=_titles_of_experts(study),
    ).with_at_least(1)


def _preferences(study: StudyInputs, include_pilot: bool) -> JudgedItems:
    answers = study.answers
    counted = answers.counting(answers.is_answered, include_pilot=include_pilot)
    alike = int((counted.kept & answers.identical).sum())
    counts = counted.kept & ~answers.identical  # if neither side could be preferred, there is nothing to agree on
    first, second = answers.first[counts], answers.second[counts]
    turned = first > second  # so that "first" means the same in every comparison of two systems
    first_chosen = np.where(turned, answers.second_chosen[counts], answers.first_chosen[counts])
    second_chosen = np.where(turned, answers.first_chosen[counts], answers.second_chosen[counts])
    code = np.select([first_chosen & second_chosen, first_chosen, second_chosen], [2, 0, 1], 3)
    words = OF_TWO if study.compares == "system_vs_system" else OF_SYSTEM
    comparisons, item = np.unique(answers.comparison[counts], return_inverse=True)
    annotations = Annotations.from_columns(
        item, answers.expert[counts], [words[place] for place in code], labels=words, items=range(len(comparisons))
    )
    systems = [""] * len(comparisons)
    for place, a, b in zip(item, np.minimum(first, second), np.maximum(first, second), strict=True):
        systems[place] = " – ".join(study.systems[system] for system in (a, b) if system >= 0)
    title = "Step 2: preferences"
    exclusions = counted.exclusions(title)
    if alike:
        exclusions += (Exclusion(what="responses", count=alike, reason=LOOKED_ALIKE, of=title),)
    return JudgedItems(
        "preferences",
        title,
        "comparisons",
        "experts",
        annotations,
        systems=tuple(systems),
        exclusions=exclusions,
        notes=order_note(words),
        titles=_titles_of_experts(study),
    )


def _titles_of_experts(study: StudyInputs) -> dict[Hashable, str]:
    return {number: f"Expert {number}" for number in study.experts}


def _votes(votes: VotesInputs, judges: Judges) -> JudgedItems:
    counts, exclusions = counted_votes(votes, judges)
    low, high, code = oriented(votes)
    places = np.stack([low, high, votes.instance], axis=1)[counts]
    items, item = np.unique(places, axis=0, return_inverse=True)
    annotations = Annotations.from_columns(
        item.ravel(),
        [votes.judges[place] for place in votes.judge[counts]],
        [VOTES[place] for place in code[counts]],
        labels=VOTES,
        items=range(len(items)),
    )
    return JudgedItems(
        "votes",
        "Votes",
        "comparisons",
        "judges",
        annotations,
        systems=tuple(f"{votes.systems[a]} – {votes.systems[b]}" for a, b, _ in items),
        exclusions=exclusions,
        notes=order_note(VOTES),
    )


def counted_votes(votes: VotesInputs, judges: Judges) -> tuple[Mask, tuple[Exclusion, ...]]:
    """Which votes are those of these judges, and what is left out."""
    machine = votes.is_machine[votes.judge]
    counts: Mask = {"people": ~machine, "machines": machine, "all": np.ones_like(machine)}[judges]
    others = {"people": "votes of machines", "machines": "votes of people"}
    left_out = int((~counts).sum())
    return counts, (Exclusion(what="votes", count=left_out, reason=others[judges]),) if left_out else ()


def oriented(votes: VotesInputs) -> tuple[Integers, Integers, Integers]:
    """Every vote turned so that the systems are in the order of their names: both systems, and 0 if the first won, 1 if
    the second did, 2 for a tie of either kind."""
    turned = votes.first > votes.second
    first_won, second_won = votes.outcome == FIRST, votes.outcome == SECOND
    code = np.select(
        [np.where(turned, second_won, first_won), np.where(turned, first_won, second_won)], [0, 1], 2
    ).astype(np.int64)
    return np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second), code


def order_note(words: Sequence[str]) -> tuple[str, ...]:
    """What “first” means, if it is among the labels."""
    note = "When two systems are compared, “first” is the one whose name comes first in the alphabet."
    return (note,) if "first" in words else ()
