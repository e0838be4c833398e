"""What the server stores about people, texts and answers: every field of every model, classified.

An erasure deletes by this registry, and the record of processing (docs/reference/stored-data.md) is written from it.
A test (tests/annotations/erasing/test_registry.py) fails while a field is not classified, and says what to write where.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.dispatch import Signal

from annotations.ground.registry import Registry

answers_go = Signal()
"""Sent in the transaction, before rows are deleted, with `experts`: the memberships whose answers are erased; also sent
with `instance=None`."""
texts_go = Signal()
"""Sent likewise with `instance`: the text that is erased."""


class Sort(StrEnum):
    """What a field holds."""

    PERSONAL = "personal"
    """Names a person or says something about them: address, name, device, when they were here."""
    TEXT = "text"
    """A text that is judged, or what may quote one."""
    ANSWER = "answer"
    """What somebody answered, or a result of answers."""
    SECRET = "secret"  # noqa: S105 (a word, not a password)
    """What gives access or unblinds: tokens, passwords, keys."""
    NEITHER = "neither"


class Fate(StrEnum):
    """What becomes of a row when the person that it names is erased."""

    KEPT = "kept"
    """It says only what a number says."""
    BLANKED = "blanked"
    """Some fields are emptied."""
    DELETED = "deleted"


@dataclass(frozen=True)
class Holding:
    """What one model stores. Keys and references to other rows are ids, which need no entry."""

    model: str
    purpose: str
    """Why, in words that finish the sentence "kept to ..."."""
    until: str
    """Until when, without an erasure."""
    personal: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    neither: tuple[str, ...] = ()
    person: str = ""
    """The lookup from a row to the person whom it names, such as `user` or `assignment__expert__user`."""
    blank: Mapping[str, Any] = field(default_factory=dict)
    """Field -> what it holds once the person is erased. Without any, a row that names a person is deleted."""
    address: str = ""
    """A field that holds a person's address itself, where no row refers to the person: such rows are deleted."""

    @property
    def sorts(self) -> dict[str, Sort]:
        return {name: sort for sort in Sort for name in getattr(self, sort.value)}

    @property
    def fate(self) -> Fate:
        if self.blank:
            return Fate.BLANKED
        return Fate.DELETED if self.person else Fate.KEPT


holdings: Registry[Holding] = Registry("annotations.erasing.holdings", kind="holding")


def holds(model: str, *, purpose: str, until: str, **said: Any) -> Holding:
    """Register what a model stores; see `Holding`.

    The fields of a sort are given as one text; secrets one by one, because linters take a text of that name for one.
    """
    for sort in Sort:
        if isinstance(fields := said.get(sort.value), str):
            said[sort.value] = tuple(fields.split())
    return holdings.register(model)(Holding(model, purpose, until, **said))
