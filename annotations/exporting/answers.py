"""One row of every export: an expert's complete answer to one comparison, and where its distributions came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from annotations.ground.system_names import system_name
from annotations.models import GuessedSide, SideOrder, human_side
from annotations.models.responses import CHOICES
from annotations.shown.profiles import Answer

FIRST_IS_A, SECOND_IS_A = SideOrder.FIRST_IS_A.value, SideOrder.SECOND_IS_A.value  # looked up for every row
FLIPPED = {FIRST_IS_A: SECOND_IS_A, SECOND_IS_A: FIRST_IS_A}


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a shown distribution came from: a system, or people (all parts empty). People come first."""

    model: str = ""
    method: str = ""
    run: str = ""
    name: str = field(init=False, compare=False, repr=False)
    """The name for people to read, made once because very many rows ask for it."""

    def __post_init__(self) -> None:
        """
        >>> Source("RoBERTa", "ReL", "0").name, Source().name
        ('RoBERTa / ReL / 0', 'human')
        """
        object.__setattr__(self, "name", system_name(self.model, self.method, self.run) or "human")

    @property
    def is_human(self) -> bool:
        return not self.model


HUMAN = Source()


class ResponseRow(NamedTuple):
    """One answered comparison as it currently counts: the newest revision of both steps.

    Times are aware datetimes, or texts if these were asked for (`ResponseSource.chunks`); `*_ms` are milliseconds of
    active time, None if the browser did not report it.
    """

    study: str
    expert: int
    expert_is_simulated: bool
    is_pilot: bool
    is_repeat: bool
    position: int
    comparison: int
    instance: str
    withdrawn: bool
    first: Source
    second: Source
    side_order: str
    option_a: Source
    option_b: Source
    labels: tuple[str, ...]
    a_chosen: bool
    b_chosen: bool
    certainty: float | None
    labels_ms: int | None
    preference_ms: int | None
    claimed_at: datetime | None
    labels_at: datetime
    shown_at: datetime
    completed_at: datetime
    labels_revisions: int
    preference_revisions: int
    guess: str | None = None
    labels_instrument: int | None = None
    instrument: int | None = None
    page_language: str = ""
    is_closed: bool = False
    profile: Mapping[str, Answer] = MappingProxyType({})
    """What the expert said about themselves, by the questions' names."""

    @property
    def first_chosen(self) -> bool:
        return self.a_chosen if self.side_order == FIRST_IS_A else self.b_chosen

    @property
    def second_chosen(self) -> bool:
        return self.b_chosen if self.side_order == FIRST_IS_A else self.a_chosen

    @property
    def choice(self) -> str:
        return CHOICES[self.a_chosen, self.b_chosen]

    @property
    def guess_right(self) -> bool | None:
        """Whether the guess identified the human side; None if there was none, the expert could not say, or the
        study is not closed: until then nobody should learn who sees through it.
        """
        if not self.is_closed or self.guess is None or self.guess == GuessedSide.UNKNOWN:
            return None
        return self.guess == human_side(self.side_order)

    @property
    def input_id(self) -> int:
        return input_id(self.comparison, self.side_order)


def input_id(comparison: int, side_order: str) -> int:
    """The `inputId` in other tools' files: each (comparison, side order) pair is a separate input.

    >>> input_id(7, SideOrder.FIRST_IS_A), input_id(7, SideOrder.SECOND_IS_A)
    (14, 15)
    """
    return 2 * comparison + (side_order == SideOrder.SECOND_IS_A)
