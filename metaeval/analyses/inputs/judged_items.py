"""What people said, for any subject of an analysis, in the one form in which agreement is measured."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from annotations.ground.arrays import Integers
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.answers import LOOKED_ALIKE, Counted
from metaeval.analyses.inputs.datasets import Annotated
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.votes import FIRST, SECOND
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
        kept = np.flatnonzero(sizes >= count)
        left = int((sizes < count).sum())
        if not left:
            return self
        reason = "nobody judged them" if count == 1 else f"fewer than {count} judgements"
        return replace(
            self,
            annotations=self.annotations.only(kept),
            systems=tuple(self.systems[place] for place in kept) if self.systems else (),
            exclusions=(*self.exclusions, Exclusion(what=self.items, count=left, reason=reason, of=self.title)),
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
        makers = {"labels": _labels, "preferences": _preferences}
        return [make(inputs, include_pilot) for step, make in makers.items() if step in steps]
    if isinstance(inputs, VotesInputs):
        return [_votes(inputs, judges)]
    found = inputs.annotations
    if found is None:
        return []
    return [
        JudgedItems(
            "annotations", "Annotations", "instances", "annotators", found, is_ordered=inputs.task == "ordinal"
        ).with_at_least(1)
    ]


def _labels(study: StudyInputs, include_pilot: bool) -> JudgedItems:
    answers = study.answers
    counted = answers.counting_labels(include_pilot=include_pilot)
    kept = counted.kept
    item, expert, chosen = answers.instance[kept], answers.expert[kept], answers.labels[kept]
    instances = range(len(study.P))
    annotations: Annotated
    if study.task == "multilabel":
        annotations = SetAnnotations.from_indicators(item, expert, chosen, labels=study.labels, items=instances)
    else:
        points = study.data.values or study.labels
        said = [points[row.argmax()] if row.any() else None for row in chosen]
        annotations = Annotations.from_columns(item, expert, said, labels=points, items=instances)
    found = _of_study(
        study,
        "labels",
        "Step 1: labels",
        items="instances",
        annotations=annotations,
        counted=counted,
    )
    return replace(found, is_ordered=study.task == "ordinal").with_at_least(1)


def _preferences(study: StudyInputs, include_pilot: bool) -> JudgedItems:
    answers = study.answers
    counted = answers.counting(answers.is_answered, include_pilot=include_pilot)
    alike = int((counted.kept & answers.identical).sum())
    kept = counted.kept & ~answers.identical  # if neither side could be preferred, there is nothing to agree on
    first, second = answers.first[kept], answers.second[kept]
    turned = first > second  # so that "first" means the same in every comparison of two systems
    one, other = answers.first_chosen[kept], answers.second_chosen[kept]
    one, other = np.where(turned, other, one), np.where(turned, one, other)
    code = np.select([one & other, one, other], [2, 0, 1], 3)
    words = OF_TWO if study.compares == "system_vs_system" else OF_SYSTEM
    comparisons, item = np.unique(answers.comparison[kept], return_inverse=True)
    annotations = Annotations.from_columns(
        item, answers.expert[kept], [words[place] for place in code], labels=words, items=range(len(comparisons))
    )
    about = [""] * len(comparisons)
    for place, a, b in zip(item, np.minimum(first, second), np.maximum(first, second), strict=True):
        about[place] = " – ".join(study.systems[system] for system in (a, b) if system >= 0)
    found = _of_study(
        study,
        "preferences",
        "Step 2: preferences",
        items="comparisons",
        annotations=annotations,
        counted=counted,
    )
    if alike:
        left = Exclusion(what="responses", count=alike, reason=LOOKED_ALIKE, of=found.title)
        found = replace(found, exclusions=(*found.exclusions, left))
    return replace(found, systems=tuple(about), notes=_order_note(words))


def _of_study(
    study: StudyInputs, name: Step, title: str, *, items: str, annotations: Annotated, counted: Counted
) -> JudgedItems:
    exclusions = counted.exclusions(title)
    titles: dict[Hashable, str] = {number: f"Expert {number}" for number in study.experts}
    return JudgedItems(name, title, items, "experts", annotations, exclusions=exclusions, titles=titles)


def _votes(votes: VotesInputs, judges: Judges) -> JudgedItems:
    machine = votes.is_machine[votes.judge]
    kept = {"people": ~machine, "machines": machine, "all": np.ones_like(machine)}[judges]
    low, high, code = oriented(votes)
    places = np.stack([low, high, votes.instance], axis=1)[kept]
    items, item = np.unique(places, axis=0, return_inverse=True)
    annotations = Annotations.from_columns(
        item.ravel(),
        [votes.judges[place] for place in votes.judge[kept]],
        [VOTES[place] for place in code[kept]],
        labels=VOTES,
        items=range(len(items)),
    )
    left = int((~kept).sum())
    others = {"people": "votes of machines", "machines": "votes of people"}
    return JudgedItems(
        "votes",
        "Votes",
        "comparisons",
        "judges",
        annotations,
        systems=tuple(f"{votes.systems[a]} – {votes.systems[b]}" for a, b, _ in items),
        exclusions=(Exclusion(what="votes", count=left, reason=others[judges]),) if left else (),
        notes=_order_note(VOTES),
    )


def oriented(votes: VotesInputs) -> tuple[Integers, Integers, Integers]:
    """Every vote turned so that the systems are in the order of their names: both systems, and 0 if the first won, 1 if
    the second did, 2 for a tie of either kind."""
    turned = votes.first > votes.second
    first_won, second_won = votes.outcome == FIRST, votes.outcome == SECOND
    code = np.select(
        [np.where(turned, second_won, first_won), np.where(turned, first_won, second_won)], [0, 1], 2
    ).astype(np.int64)
    return np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second), code


def _order_note(words: Sequence[str]) -> tuple[str, ...]:
    if "first" not in words:
        return ()
    return (("When two systems are compared, “first” is the one whose name comes first in the alphabet."),)
