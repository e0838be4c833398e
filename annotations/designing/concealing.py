"""Whether what is drawn tells people from systems, before anybody has seen it.

Two guessers are let loose on the planned comparisons. Neither reads the text or the labels; chance is 0.5, and
an undecided guess counts as half right.

- *By the grid*: knows how many people judged each instance, and nothing about the systems. A value v speaks for
  people by the ratio of two probabilities: that v is shown when a share is k/n, and when it may be anything within half
  a share of k/n; with k from 0 to n equally likely. It is a Bayes guess in closed form: nothing is fitted, so no
  comparison is too few. Experts can guess like this, so a study should leave it at chance.
- *By habit*: has learned from all other instances which values, how many bars, and which sums each side shows (naive
  Bayes, 10-fold cross-validated by instance). No expert is ever told that, and no rounding hides it: that systems dare
  less than people is what the study asks about.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from annotations.arrays import Counts, Matrix
from annotations.displaying import NEARLY, PERCENT, parts_of, percentages
from annotations.models import Compares, Instance, Study, System
from annotations.models.datasets import matrix_or_error

FOLDS = 10
FEWEST_TO_LEARN_FROM = 40  # comparisons; with fewer, habits are guesswork
IMPOSSIBLE = -50.0  # the logarithm of "never", finite so that two of them add up
NOTABLE = 0.05


@dataclass(frozen=True, slots=True)
class Concealment:
    """How often somebody who only looks at the values would name the human side rightly.

    `fewest`, `most`: how many people's shares the shown instances have. `by_grid`, `by_habit`: shares of comparisons in
    [0, 1]; `by_habit` is None where there are too few to learn from.
    """

    comparisons: int
    fewest: int
    most: int
    by_grid: float
    by_habit: float | None

    @property
    def gives_away(self) -> bool:
        """Whether the grid tells notably more than chance: by 5 points, and by two standard errors."""
        return self.by_grid > 0.5 + max(NOTABLE, 1 / math.sqrt(self.comparisons))

    @property
    def statement(self) -> str:
        people = str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"
        told = f"Each text has the shares of {people} people. Who looks at nothing but the round numbers names the "
        told += f"human side rightly in {self.by_grid:.0%} of the comparisons (chance: 50%)"
        if self.by_habit is None:
            return f"{told}."
        return f"{told}; who also knew the habits of both sides, which no rounding hides, in {self.by_habit:.0%}."

    @property
    def warning(self) -> str:
        """What to do, or an empty string."""
        if not self.gives_away:
            return ""
        return (
            f"The shown values give the human side away in {self.by_grid:.0%} of the comparisons: their step does not "
            "fit the number of people who judged a text. Leave the display step automatic."
        )


def concealment(*, study: Study, shown: Iterable[tuple[int, int]]) -> Concealment | None:
    """How well a plan hides people among systems; None where no side is people's.

    Args:
        study: with its settings and dataset; stored or not.
        shown: (key of a system, position of an instance) of every comparison.
    """
    wanted = sorted(set(shown))
    if study.compares != Compares.HUMAN_VS_SYSTEM or not wanted:
        return None
    instances = dict(enumerate(Instance.objects.filter(dataset=study.dataset).only("parts").order_by("position")))
    P = matrix_or_error(study.dataset.gold)

    def drawn(row: Matrix, position: int) -> Counts:
        parts = parts_of(study, instances[position])
        return percentages(row, parts=parts, threshold=study.display_threshold, task=study.dataset.task)

    human = {position: drawn(P[position], position) for position in {position for _, position in wanted}}
    by_system: dict[int, list[int]] = {}
    for system, position in wanted:
        by_system.setdefault(system, []).append(position)
    pairs: list[DrawnPair] = []
    systems = System.objects.filter(pk__in=by_system).only("predictions").order_by("pk")
    for one in systems.iterator(chunk_size=1):  # a matrix at a time
        Q = matrix_or_error(one.predictions)
        for position in by_system[one.pk]:
            instance = instances[position]
            pairs.append(
                DrawnPair(
                    instance=position,
                    people=instance.parts,
                    parts=parts_of(study, instance),
                    human=human[position][human[position] > 0],
                    system=(values := drawn(Q[position], position))[values > 0],
                )
            )
    people = [pair.people for pair in pairs]
    return Concealment(
        comparisons=len(pairs),
        fewest=min(people),
        most=max(people),
        by_grid=by_grid(pairs),
        by_habit=by_habit(pairs) if len(pairs) >= FEWEST_TO_LEARN_FROM else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPair:
    """The drawn percentages of one comparison: what people said, and what a system predicted."""

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts


def by_grid(pairs: Sequence[DrawnPair]) -> float:
    """The share of pairs in which the grid's guess is right."""

    def score(values: Counts, pair: DrawnPair) -> float:
        evidence = grid_evidence(pair.people, pair.parts)
        return float(sum(evidence[value] for value in values.tolist()))

    return _rightness((score(pair.human, pair), score(pair.system, pair)) for pair in pairs)


@cache
def grid_evidence(people: int, parts: int) -> Matrix:
    """For every percentage, log P(shown | share is k/people) - log P(shown | share is anything as near to k/people).

    >>> bool((grid_evidence(5, 5) == 0).all())  # drawn in fifths, five people cannot be recognised
    True
    >>> bool(grid_evidence(5, 20)[35] < -40)  # 35 % is never a share of five people
    True
    """
    steps = np.arange(parts + 1)
    percent = (2 * PERCENT * steps + parts) // (2 * parts)
    shares = np.arange(people + 1) / people
    exactly = np.bincount(np.floor(shares * parts + 0.5 + NEARLY).astype(int), minlength=parts + 1) / len(shares)
    # Each k's neighbourhood, clipped to [0, 1], overlaps each step's values.
    low, high = np.clip(shares - 0.5 / people, 0, 1), np.clip(shares + 0.5 / people, 0, 1)
    first, last = np.clip((steps - 0.5) / parts, 0, 1), np.clip((steps + 0.5) / parts, 0, 1)
    overlap = np.minimum(high[:, None], last) - np.maximum(low[:, None], first)
    nearly = (np.clip(overlap, 0, None) / (high - low)[:, None]).mean(axis=0)
    by_percent = [np.bincount(percent, weights=weights, minlength=PERCENT + 1) for weights in (exactly, nearly)]
    evidence = np.zeros(PERCENT + 1)
    for value in np.flatnonzero(by_percent[1] > 0):
        ratio = by_percent[0][value] / by_percent[1][value]
        evidence[value] = round(float(np.log(ratio)), 9) if ratio > 0 else IMPOSSIBLE
    return evidence


def by_habit(pairs: Sequence[DrawnPair]) -> float:
    """The share of pairs in which somebody who learned from the other instances is right."""

    def traits(values: Counts) -> list[tuple[str, int]]:
        total = int(values.sum())
        # Whole percentages of thirds sum to 99 or 102: what counts is whether people could have reached 100.
        told = [("bars", len(values)), ("sum", (total > PERCENT - 3) + (total > PERCENT + 3))]
        return [*told, *(("value", value) for value in values.tolist())]

    seen = [(pair.instance % FOLDS, traits(pair.human), traits(pair.system)) for pair in pairs]
    kinds = len({trait for _, human, system in seen for trait in (*human, *system)})
    counts = {side: [Counter[tuple[str, int]]() for _ in range(FOLDS)] for side in ("human", "system")}
    for fold, human, system in seen:
        counts["human"][fold].update(human)
        counts["system"][fold].update(system)
    everything = {side: sum(folds, Counter()) for side, folds in counts.items()}
    learned = {
        side: [Counter({trait: n - fold[trait] for trait, n in everything[side].items()}) for fold in folds]
        for side, folds in counts.items()
    }
    totals = {side: [fold.total() for fold in folds] for side, folds in learned.items()}

    def score(fold: int, told: list[tuple[str, int]]) -> float:
        shift = np.log((totals["system"][fold] + kinds) / (totals["human"][fold] + kinds))
        human, system = learned["human"][fold], learned["system"][fold]
        return float(sum(np.log((human[trait] + 1) / (system[trait] + 1)) + shift for trait in told))

    return _rightness((score(fold, human), score(fold, system)) for fold, human, system in seen)


def _rightness(scores: Iterable[tuple[float, float]]) -> float:
    """The share of (human, system) scores in which the human side's is the larger; ties are half right."""
    pairs = np.array(list(scores))
    lead = pairs[:, 0] - pairs[:, 1]
    return float(np.mean(np.where(np.abs(lead) < 1e-6, 0.5, lead > 0)))
