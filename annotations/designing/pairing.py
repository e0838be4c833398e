"""The two exact distributions of every comparison in a plan, stored or not, in one table.

Everything measured about a plan (what the drawn values reveal, how far they are from the prediction, which sides look
the same) is measured on these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.designing.averaging import read_systems
from annotations.ground.arrays import Codes, Integers, Mask, Matrix
from annotations.ground.display_rule import DisplayRule
from annotations.models import Comparison, Instance, Study
from annotations.models.datasets import matrix_or_error

BATCH = 500

Shown = tuple[int | None, int, int]
"""What a comparison shows: the keys of both systems (None as the first: people), and the instance's position."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Comparisons, one entry each.

    Args:
        instance: positions in the dataset.
        first, second: comparisons x labels; exact shares in [0, 1]. `first` is the human side, if there is one.
        P, parts: for the whole dataset, what people said (instances x labels), and how many judged each instance, or
            may have (`Instance.parts`).
        task: the dataset's.
    """

    instance: Codes
    first: Matrix
    second: Matrix
    P: Matrix
    parts: Integers
    task: str

    def __len__(self) -> int:
        return len(self.instance)

    @property
    def people(self) -> Integers:
        """How many people judged the instance of each comparison."""
        return self.parts[self.instance]

    def identical(self, rule: DisplayRule) -> Mask:
        """In which of them the two drawn sides look the same."""
        return rule.identical(self.first, self.second, people=self.people, task=self.task)


def read_pairs(*, study: Study, shown: Iterable[Shown]) -> Pairs:
    """The comparisons' distributions, in order. Reads one matrix at a time; two queries and the human matrix."""
    comparisons = list(shown)
    firsts, seconds, instance = zip(*comparisons, strict=True) if comparisons else ((), (), ())
    rows = np.array(instance, dtype=np.int64)
    parts = Instance.objects.filter(dataset=study.dataset).order_by("position").values_list("parts", flat=True)
    gold = matrix_or_error(study.dataset.gold)
    sides = [np.empty((len(rows), gold.shape[1])) for _ in range(2)]
    places: dict[int | None, list[tuple[int, int]]] = {}
    for side, keys in enumerate((firsts, seconds)):
        for place, key in enumerate(keys):
            places.setdefault(key, []).append((side, place))

    def fill(key: int | None, matrix: Matrix) -> None:
        for side, place in places.get(key, ()):
            sides[side][place] = matrix[rows[place]]

    fill(None, gold)
    for system in read_systems(study, [key for key in places if key is not None]):
        fill(system.pk, matrix_or_error(system.predictions))
    return Pairs(
        instance=rows,
        first=sides[0],
        second=sides[1],
        P=gold,
        parts=np.array(list(parts), dtype=np.int64),
        task=study.dataset.task,
    )


def shown_by(comparisons: Sequence[Comparison], positions: Sequence[int]) -> list[Shown]:
    """What comparisons show, stored or not; `positions` are those of their instances."""
    return [
        (comparison.first_system_id, comparison.second_system_id, position)
        for comparison, position in zip(comparisons, positions, strict=True)
    ]


def stored_shown(study: Study) -> list[Shown]:
    """What every comparison of a stored plan shows, in order."""
    return list(
        study.comparisons.order_by("position").values_list("first_system", "second_system", "instance__position")
    )


def mark_identical(study: Study) -> None:
    """Store for every comparison in a plan whether both sides look the same.

    The caller holds the study's lock; nobody has been shown anything yet.
    """
    comparisons = list(study.comparisons.select_related("instance").order_by("position"))
    positions = [row.instance.position for row in comparisons]
    pairs = read_pairs(study=study, shown=shown_by(comparisons, positions))
    for comparison, same in zip(comparisons, pairs.identical(DisplayRule.of(study)).tolist(), strict=True):
        comparison.identical = same
    Comparison.objects.bulk_update(comparisons, ["identical"], batch_size=BATCH)
