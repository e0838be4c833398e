"""Whether what is drawn tells people from systems, before anybody has seen it.

Guessers are let loose on the planned comparisons. None reads the text or the labels; chance is 0.5, and an undecided
guess counts as half right.

- *By the grid* (grid_guessing.py): knows how many people judged each instance, and nothing about the systems. Experts
  can guess like this, so a study should leave it at chance.
- *Who has learned* (leaking.py): has seen how both sides look in all other texts. No expert is ever told that, and no
  rounding hides it: that systems dare less than people is what the study asks about. What it reaches is a lower bound.
- *Certain tells* (leaking.py): sums and numbers of bars that no people's side has.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotations.arrays import Counts
from annotations.blinding.grid_guessing import by_grid
from annotations.blinding.leaking import LearnedLeak, learned_leak
from annotations.blinding.tells import Tells
from annotations.designing.averaging import read_systems
from annotations.designing.giving_away import tell_tales
from annotations.displaying import DisplayRule
from annotations.models import Compares, GiveAways, Instance, Study
from annotations.models.datasets import matrix_or_error

NOTABLE = 0.05
LATER = "what can be learned of the shapes is measured when the plan is made"


@dataclass(frozen=True, slots=True)
class GivenAway:
    """In how many of a system's comparisons its side can only be a system's, and how many more texts were avoided."""

    system: str
    comparisons: int
    given_away: int
    avoided: int = 0


@dataclass(frozen=True, slots=True)
class Concealment:
    """How often somebody who only looks at the values would name the human side rightly.

    `fewest`, `most`: how many people's shares the shown instances have. `by_grid`: a share of comparisons in [0, 1].
    `tells`: what no people's side shows, and `given_away`, for each system, how many of its sides show it.
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
        """Whether the grid tells notably more than chance: by 5 points, and by two standard errors."""
        return self.by_grid > 0.5 + max(NOTABLE, 1 / math.sqrt(self.comparisons))

    @property
    def certain(self) -> int:
        """Comparisons of which one side can only be a system's."""
        return sum(one.given_away for one in self.given_away)

    @property
    def statement(self) -> str:
        people = str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"
        told = [
            f"Each text has the shares of {people} people. Who looks at nothing but the round numbers names the "
            f"human side rightly in {self.by_grid:.0%} of the comparisons (chance: 50%).",
            self._learned(),
        ]
        if self.certain:
            told.append(
                f"{self.certain} of {self.comparisons} comparisons give themselves away: one side sums to less than "
                f"{self.tells.lowest_sum}% or has more than {self.tells.most_bars} bars, as no people's side does."
            )
        if any(one.avoided for one in self.given_away):
            avoided = sorted(one.avoided for one in self.given_away)
            told.append(
                "Texts on which a system would give itself away were not drawn for it: "
                f"{avoided[0]} to {avoided[-1]} texts of the dataset, by system."
            )
        return " ".join(told)

    def _learned(self) -> str:
        found = self.learned
        if found.right is None or found.low is None or found.high is None or found.right_when_sure is None:
            return f"{found.reason[0].upper()}{found.reason[1:]}."
        return (
            f"Who has learned from other texts how both sides look does so in at least {found.right:.0%} (95% "
            f"interval: {found.low:.0%} to {found.high:.0%}), and in {found.right_when_sure:.0%} of the fifth that "
            "they are surest of."
        )

    @property
    def warning(self) -> str:
        """What to do, or an empty string."""
        if not self.gives_away:
            return ""
        return (
            f"The shown values give the human side away in {self.by_grid:.0%} of the comparisons: their step does not "
            "fit the number of people who judged a text. Leave the display step automatic."
        )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPair:
    """The drawn percentages of one comparison: what people said, and what a system predicted.

    `identical`: whether both sides are the same picture, so that there is nothing to guess.
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
    """How well a plan hides people among systems; None where no side is people's.

    Args:
        study: with its settings and dataset; stored or not.
        shown: (key of a system, position of an instance) of every comparison.
        rule: another way to draw than the study's own, to compare them.
        learns: also what can be learned of the shapes, which takes longest.
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
    for one in read_systems(study, by_system):  # a matrix at a time
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
