"""Whether the drawn values tell people from systems, measured before anybody has seen them.

Several guessers are applied to the planned comparisons. None reads the text or the labels; chance is 0.5, and an
undecided guess counts as half right.

- *By the grid* : knows how many people judged each instance, and nothing about the systems. Experts
  can guess like this, so a study should leave it at chance.
- *Learned*: has seen how both sides look in all other texts. No expert is ever told that, and no rounding
  hides it: that systems are more cautious than people is what the study asks about. Its score is a lower bound.
- *Certain tells*: sums and numbers of bars that no human side has.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.averaging import read_systems
from annotations.ground.arrays import Counts, Integers, Mask, absent_rows
from annotations.ground.display_rule import DisplayRule
from annotations.ground.leaks import (
    FEWEST_TEXTS,
    FEWEST_TO_LEARN_FROM,
    TOO_FEW,
    LearnedLeak,
    Tells,
    by_grid,
    learned_leak,
)
from annotations.models import Compares, GiveAways, Instance, Study
from annotations.models.datasets import matrix_or_error
from annotations.shown.plurals import in_percent

NOTABLE = 0.05
LATER = "later"
NOT_LEARNED = {
    TOO_FEW: gettext_noop(
        "There are too few comparisons to measure what the shapes of the charts reveal: at least {comparisons} "
        "comparisons on {texts} texts are needed."
    ),
    LATER: gettext_noop("What the shapes of the charts reveal is measured when the plan is created."),
}
"""Why there is no figure for what can be learned. Earlier versions stored a sentence instead."""


@dataclass(frozen=True, slots=True)
class GivenAway:
    """How many of a system's comparisons show a side that can only be a system's; how many more texts were avoided."""

    system: str
    comparisons: int
    given_away: int
    avoided: int = 0


@dataclass(frozen=True, slots=True)
class Concealment:
    """How often somebody who looks only at the values would identify the human side correctly.

    `fewest`, `most`: how many people judged the shown instances. `by_grid`: a share of comparisons in [0, 1].
    `tells`: what no human side shows; `given_away`: for each system, how many of its sides show it.
    """

    comparisons: int
    fewest: int
    most: int
    by_grid: float
    learned: LearnedLeak
    tells: Tells
    given_away: tuple[GivenAway, ...] = ()

    @property
    def gives_away(self) -> bool:
        """Whether the grid does notably better than chance: by 5 points and by two standard errors."""
        return self.by_grid > 0.5 + max(NOTABLE, 1 / math.sqrt(self.comparisons))

    @property
    def certain(self) -> int:
        """Comparisons in which one side can only be a system's."""
        return sum(system.given_away for system in self.given_away)

    @property
    def statement(self) -> str:
        people = str(self.fewest)
        if self.fewest != self.most:
            people = _("{fewest} to {most}").format(fewest=self.fewest, most=self.most)
        sentences = [
            _("Each text was judged by {people} people.").format(people=people),
            _(
                "From the rounded numbers alone, one could guess the human side {share} of the time (chance is 50%)."
            ).format(share=in_percent(self.by_grid)),
            self._learned(),
        ]
        if self.certain:
            sentences.append(
                _(
                    "{certain} of {comparisons} comparisons reveal the system's side: it sums to less than {lowest}% "
                    "or has more than {bars} bars, which never happens on the human side."
                ).format(
                    certain=self.certain,
                    comparisons=self.comparisons,
                    lowest=self.tells.lowest_sum,
                    bars=self.tells.most_bars,
                )
            )
        if any(system.avoided for system in self.given_away):
            avoided = sorted(system.avoided for system in self.given_away)
            sentences.append(
                _(
                    "Texts that would reveal a system were not drawn for it: {fewest} to {most} texts of the dataset, "
                    "depending on the system."
                ).format(fewest=avoided[0], most=avoided[-1])
            )
        return " ".join(sentences)

    def _learned(self) -> str:
        leak = self.learned
        if leak.right is None or leak.low is None or leak.high is None or leak.right_when_sure is None:
            return translation.gettext(NOT_LEARNED.get(leak.reason, NOT_LEARNED[TOO_FEW])).format(
                comparisons=FEWEST_TO_LEARN_FROM, texts=FEWEST_TEXTS
            )
        return _(
            "After learning from other texts what both sides look like, one could guess it at least {right} of the "
            "time (95% interval: {low} to {high}), and {sure} of the time in the clearest fifth of the comparisons."
        ).format(
            right=in_percent(leak.right),
            low=in_percent(leak.low),
            high=in_percent(leak.high),
            sure=in_percent(leak.right_when_sure),
        )

    @property
    def warning(self) -> str:
        """What to do, or an empty string."""
        if not self.gives_away:
            return ""
        return _(
            "The displayed values reveal the human side in {share} of the comparisons, because the display step does "
            "not match the number of people who judged a text. Leave the display step automatic."
        ).format(share=in_percent(self.by_grid))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPair:
    """The drawn percentages of one comparison: what people said, and what a system predicted.

    `identical`: whether both sides look the same, so that there is nothing to guess.
    """

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts
    identical: bool = False


def drawn_pairs(
    instances: Integers, people: Integers, parts: Integers, human: Counts, system: Counts
) -> list[DrawnPair]:
    """Comparisons of which only the bars are kept; all arrays have one row per comparison."""
    rows = zip(instances.tolist(), people.tolist(), parts.tolist(), human, system, strict=True)
    return [
        DrawnPair(instance, judged, into, said[said > 0], row[row > 0], bool((said == row).all()))
        for instance, judged, into, said, row in rows
    ]


def concealment(*, study: Study, shown: Iterable[tuple[int, int]], learns: bool = True) -> Concealment | None:
    """How well a plan hides people among systems; None if no side is human.

    Args:
        study: loaded with its settings and dataset; stored or not.
        shown: (system key, instance position) of every comparison.
        learns: also measure what can be learned from the shapes, which takes longest.
    """
    comparisons = sorted(set(shown))
    if study.compares != Compares.HUMAN_VS_SYSTEM or not comparisons:
        return None
    rule, task = DisplayRule.of(study), study.dataset.task
    people, human = _human_sides(study, rule)
    parts = np.broadcast_to(rule.parts(people), people.shape)
    tells = Tells.of(human)
    by_system: dict[int, list[int]] = {}
    for system, position in comparisons:
        by_system.setdefault(system, []).append(position)
    avoid = dict(tell_tales(study, by_system)) if study.give_aways == GiveAways.REDRAW else {}
    pairs: list[DrawnPair] = []
    given_away: list[GivenAway] = []
    for stored in read_systems(study, by_system):  # one matrix at a time
        places = np.array(by_system[stored.pk])
        drawn = rule.percentages(matrix_or_error(stored.predictions)[places], people=people[places], task=task)
        certain = int(tells.give_away(drawn).sum())
        avoided = int(avoid[stored.pk].sum()) - certain if avoid else 0
        given_away.append(GivenAway(stored.name, len(places), certain, avoided))
        pairs += drawn_pairs(places, people[places], parts[places], human[places], drawn)
    judging = [pair.people for pair in pairs]
    guessed = [pair for pair in pairs if not pair.identical]
    return Concealment(
        comparisons=len(pairs),
        fewest=min(judging),
        most=max(judging),
        by_grid=by_grid(guessed) if guessed else 0.5,
        learned=learned_leak(guessed) if learns else LearnedLeak(len(guessed), reason=LATER),
        tells=tells,
        given_away=tuple(given_away),
    )


def _human_sides(study: Study, rule: DisplayRule) -> tuple[Integers, Counts]:
    """For every instance of the dataset: how many people judged it, and the drawn percentages of their side."""
    instances = Instance.objects.filter(dataset=study.dataset).order_by("position")
    people = np.array(list(instances.values_list("parts", flat=True)), dtype=np.int64)
    return people, rule.percentages(matrix_or_error(study.dataset.gold), people=people, task=study.dataset.task)


def to_avoid(study: Study, systems: Sequence[int]) -> Mask | None:
    """systems (by key) x instances: for which texts others are drawn; None if the study keeps all or has no human side.

    A tell is certain once it is noticed: a smaller sum or more bars than on any human side in the dataset. Leaving such
    comparisons out would favour odd systems, whose worst predictions they are; so they are kept, counted and examined
    in the results. Only if the study says so, another text from the same deck is drawn for the system instead.
    """
    if study.give_aways != GiveAways.REDRAW or study.compares != Compares.HUMAN_VS_SYSTEM:
        return None
    masks = dict(tell_tales(study, systems))
    return np.array([masks[key] for key in systems])


def tell_tales(study: Study, systems: Iterable[int]) -> Iterator[tuple[int, Mask]]:
    """For every system, by key, the instances on which its side, as drawn in the study, can only be a system's."""
    rule, task = DisplayRule.of(study), study.dataset.task
    people, human = _human_sides(study, rule)
    tells = Tells.of(human)
    for system in read_systems(study, systems):  # one matrix at a time
        Q = matrix_or_error(system.predictions)
        # Instances that a system does not predict are never drawn for it, so they reveal nothing.
        yield system.pk, tells.give_away(rule.percentages(Q, people=people, task=task)) & ~absent_rows(Q)
