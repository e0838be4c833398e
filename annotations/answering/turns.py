"""An expert's turns: which distribution is A in the next comparison they are shown.

A turn is given when step 2 is first shown and never taken back: skipping the text afterwards uses it up, so nobody
can try again for another side order. Assignments fetched ahead have no side yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from django.db.models import Count, Max

from annotations.answering.progress import ExpertTally
from annotations.designing.keys import key_of, phase_of
from annotations.ground.sides import first_is_a, lead_of, order_of_names
from annotations.models import (
    Assignment,
    Compares,
    Comparison,
    Membership,
    Phase,
    SideKey,
    SideOrder,
    SideRule,
    System,
)

SystemNames = tuple[str, str, str]
NAMES = ("pk", "model", "method", "run")


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn fixes: its number, the side order, and how it was drawn. `NO_TURN` has only a side order."""

    side_order: SideOrder
    number: int | None
    phase: Phase | None
    rule: SideRule | None

    def give(self, assignment: Assignment) -> None:
        """Set it on an assignment (in memory)."""
        assignment.side_order = self.side_order
        assignment.turn = self.number
        assignment.phase = self.phase or ""
        assignment.side_rule = self.rule


NO_TURN = Turn(SideOrder.FIRST_IS_A, None, None, None)
"""For distributions that look the same: the sides cannot be told apart, and nothing is drawn."""
GIVEN = ("side_order", "turn", "phase", "side_rule")
"""The fields that `Turn.give` sets."""


class Turns:
    """One expert's turns in one phase, past and future. The caller holds the expert's lock."""

    def __init__(self, expert: Membership, phase: Phase, key: SideKey, names: Mapping[int, SystemNames]) -> None:
        self._expert, self._phase, self._names = expert.number, phase, names
        self._key, self._study = bytes(key.key), key.name
        self._following = self._lead = 0

    @classmethod
    def counted(cls, expert: Membership, tally: ExpertTally) -> Self:
        """The current turns from the expert's tally; of pairs of systems, whose order the tally does not know, `of`."""
        phase = phase_of(expert.study)
        if expert.study.compares == Compares.SYSTEM_VS_SYSTEM or tally.key is None:
            return cls.of(expert)
        turns = cls(expert, phase, tally.key, {})
        turns._following, turns._lead = tally.turn, tally.lead
        return turns

    @classmethod
    def of(cls, expert: Membership) -> Self:
        """The current turns; `expert` is loaded with its study. Two queries, and a third for pairs of systems."""
        study = expert.study
        phase = phase_of(study)
        names: dict[int, SystemNames] = {}
        if study.compares == Compares.SYSTEM_VS_SYSTEM:
            systems = System.compared.filter(dataset=study.dataset_id).values_list(*NAMES)
            names = {pk: (model, method, run) for pk, model, method, run in systems}
        turns = cls(expert, phase, key_of(study=study, phase=phase), names)
        places = Assignment.objects.filter(expert=expert, phase=phase, turn__isnull=False)
        sources = ("comparison__first_system", "comparison__second_system")
        alike = places.order_by().values_list("side_rule", "side_order", *sources)
        past = list(alike.annotate(number=Count("pk"), newest=Max("turn")))
        turns._lead = lead_of(
            (rule, turns._by_name(order, *pair)) for rule, order, *pair, number, _ in past for _ in range(number)
        )
        turns._following = max((newest for *_, newest in past), default=-1) + 1
        return turns

    @property
    def state(self) -> tuple[int, int]:
        """The number of the next turn, and by how much "the first is A" leads."""
        return self._following, self._lead

    def next(self, comparison: Comparison) -> Turn:
        """The turn of the comparison shown next; calling it again gives the turn after that."""
        if comparison.identical:
            return NO_TURN
        number = self._following
        first = first_is_a(self._key, study=self._study, expert=self._expert, turn=number, lead=self._lead)
        self._following += 1
        self._lead += 1 if first else -1
        pair = comparison.first_system_id, comparison.second_system_id
        is_in_order = self._by_name(SideOrder.FIRST_IS_A, *pair)
        return Turn(
            side_order=SideOrder.FIRST_IS_A if first == is_in_order else SideOrder.SECOND_IS_A,
            number=number,
            phase=self._phase,
            rule=SideRule.KEYED,
        )

    def _by_name(self, side_order: str, first: int | None, second: int) -> bool:
        """Whether the first source in order of names is A."""
        is_in_order = first is None or order_of_names(self._names[first], self._names[second])
        return (side_order == SideOrder.FIRST_IS_A) == is_in_order
