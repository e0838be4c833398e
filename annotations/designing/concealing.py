"""Whether the drawn values tell people from systems, measured before anybody has seen them.

Several guessers are applied to the planned comparisons. None reads the text or the labels; chance is 0.5, and an
undecided guess counts as half right.

- *By the grid* (grid_guessing.py): knows how many people judged each instance, and nothing about the systems. Experts
  can guess like this, so a study should leave it at chance.
- *Learned* (leaking.py): has seen how both sides look in all other texts. No expert is ever told that, and no rounding
  hides it: that systems are more cautious than people is what the study asks about. Its score is a lower bound.
- *Certain tells* (leaking.py): sums and numbers of bars that no human side has.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.averaging import read_systems
from annotations.designing.giving_away import tell_tales
from annotations.ground.arrays import Counts
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
        "comparisons "
        "on {texts} texts are needed."
    ),
    LATER: gettext_noop("What the shapes of the charts reveal is measured when the plan is created."),
}
"""Why there is no figure for what can be learned. Earlier versions stored a sentence instead."""


@dataclass(frozen=True, slots=True)
class GivenAway:
    """How many of a system's comparisons show a side that can only be a system's, and how many more texts were
    avoided.
    """

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
        return sum(one.given_away for one in self.given_away)

    @property
    def statement(self) -> str:
        people = str(self.fewest)
        if self.fewest != self.most:
            people = _("{fewest} to {most}").format(fewest=self.fewest, most=self.most)
        told = [
            _("Each text was judged by {people} people.").format(people=people),
            _(
                "From the rounded numbers alone, one could guess the human side {share} of the time (chance is 50%)."
            ).format(share=in_percent(self.by_grid)),
            self._learned(),
        ]
        if self.certain:
            told.append(
                _(
                    "{certain} of {comparisons} comparisons reveal the system's side: it sums to less than "
                    "{lowest}% or "
                    "has more than {bars} bars, which never happens on the human side."
                ).format(
                    certain=self.certain,
                    comparisons=self.comparisons,
                    lowest=self.tells.lowest_sum,
                    bars=self.tells.most_bars,
                )
            )
        if any(one.avoided for one in self.given_away):
            avoided = sorted(one.avoided for one in self.given_away)
            told.append(
                _(
                    "Texts that would reveal a system were not drawn for it: {fewest} to {most} texts of the dataset, "
                    "depending on the system."
                ).format(fewest=avoided[0], most=avoided[-1])
            )
        return " ".join(told)

    def _learned(self) -> str:
        found = self.learned
        if found.right is None or found.low is None or found.high is None or found.right_when_sure is None:
            return translation.gettext(NOT_LEARNED.get(found.reason, NOT_LEARNED[TOO_FEW])).format(
                comparisons=FEWEST_TO_LEARN_FROM, texts=FEWEST_TEXTS
            )
        return _(
            "After learning from other texts what both sides look like, one could guess it at least {right} of "
            "the time "
            "(95% interval: {low} to {high}), and {sure} of the time in the clearest fifth of the comparisons."
        ).format(
            right=in_percent(found.right),
            low=in_percent(found.low),
            high=in_percent(found.high),
            sure=in_percent(found.right_when_sure),
        )

    @property
    def warning(self) -> str:
        """What to do, or an empty string."""
        if not self.gives_away:
            return ""
        return _(
            "The displayed values reveal the human side in {share} of the comparisons, because the display "
            "step does not "
            "match the number of people who judged a text. Leave the display step automatic."
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


def concealment(
    *, study: Study, shown: Iterable[tuple[int, int]], rule: DisplayRule | None = None, learns: bool = True
) -> Concealment | None:
    """How well a plan hides people among systems; None if no side is human.

    Args:
        study: loaded with its settings and dataset; stored or not.
        shown: (system key, instance position) of every comparison.
        rule: a way of drawing other than the study's own, for comparison.
        learns: also measure what can be learned from the shapes, which takes longest.
    """
    wanted = sorted(set(shown))
    if study.compares != Compares.HUMAN_VS_SYSTEM or not wanted:
        return None
    rule = rule or DisplayRule.of(study)
    task = study.dataset.task
    instances = Instance.objects.filter(dataset=study.dataset).order_by("position")
    people = np.array(list(instances.values_list("parts", flat=True)), dtype=np.int64)
    parts = np.broadcast_to(rule.parts(people), people.shape)
    human = rule.percentages(matrix_or_error(study.dataset.gold), people=people, task=task)
    tells = Tells.of(human)
    by_system: dict[int, list[int]] = {}
    avoid = dict(tell_tales(study, {system for system, _ in wanted})) if study.give_aways == GiveAways.REDRAW else {}
    for system, position in wanted:
        by_system.setdefault(system, []).append(position)
    pairs: list[DrawnPair] = []
    given_away: list[GivenAway] = []
    for one in read_systems(study, by_system):  # one matrix at a time
        places = np.array(by_system[one.pk])
        drawn = rule.percentages(matrix_or_error(one.predictions)[places], people=people[places], task=task)
        certain = int(tells.give_away(drawn).sum())
        avoided = int(avoid[one.pk].sum()) - certain if avoid else 0
        given_away.append(GivenAway(one.name, len(places), certain, avoided))
        pairs += [
            DrawnPair(
                instance=position,
                people=int(people[position]),
                parts=int(parts[position]),
                human=human[position][human[position] > 0],
                system=row[row > 0],
                identical=bool((human[position] == row).all()),
            )
            for position, row in zip(places.tolist(), drawn, strict=True)
        ]
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
