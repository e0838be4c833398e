"""What the server stores about people, texts and answers: every field of every model, classified.

An erasure deletes by this registry, and the record of processing (docs/reference/stored-data.md) is written from it.
A test fails while a field is not classified, and says what to write where.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.apps import apps
from django.db.models import Model
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
    fate: Fate = Fate.KEPT
    blank: Mapping[str, Any] = field(default_factory=dict)
    """With BLANKED: field -> what it holds then."""
    address: str = ""
    """A field that holds a person's address itself, where no row refers to the person: such rows are deleted."""

    @property
    def sorts(self) -> dict[str, Sort]:
        return {name: sort for sort in Sort for name in getattr(self, sort.value)}

    def kinds(self) -> list[Sort]:
        """What it holds, without `neither`."""
        return [sort for sort in Sort if sort != Sort.NEITHER and getattr(self, sort.value)]


holdings: Registry[Holding] = Registry("annotations.erasing.holdings", kind="holding")


def holds(model: str, **said: Any) -> Holding:
    """Register what a model stores; see `Holding`."""
    return holdings.register(model)(Holding(model=model, **said))


def stored(model: type[Model]) -> Iterator[str]:
    """The names of a model's own fields but for keys and references."""
    for one in model._meta.local_fields:
        if not one.primary_key and not one.is_relation:
            yield one.name


def unclassified() -> list[str]:
    """What is not classified yet: for each, a sentence that says what to write where."""
    found = []
    known = {one.model: one for one in holdings}
    models = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    for label, model in sorted(models.items()):
        names = set(stored(model))
        if not names:
            continue
        where = "metaeval/holdings.py" if label.startswith("metaeval.") else "annotations/erasing/holdings.py"
        example = ", ".join(f'"{name}"' for name in sorted(names))
        if label not in known:
            found.append(
                f'{label} is not classified. Add to {where}: holds("{label}", purpose="...", until="...", '
                f"neither=({example},)), moving each field that is not harmless to personal=, text=, answer= or "
                "secret=; if its rows name a person also person= (the lookup to the user) and fate= "
                "(annotations/erasing/registry.py)."
            )
            continue
        classified = known[label].sorts
        found += [
            f"{label}.{name} is not classified. In {where}, add {name!r} to personal=, text=, answer=, secret= or "
            f'neither= of holds("{label}", ...).'
            for name in sorted(names - set(classified))
        ]
        found += [
            f"{label} has no field {name!r} any more. Remove it from {where}."
            for name in sorted(set(classified) - names - set(_keys(model)))
        ]
    gone = sorted(set(known) - set(models))
    return found + [f"There is no model {label} any more. Remove it from the holdings." for label in gone]


def _keys(model: type[Model]) -> Iterator[str]:
    return (one.name for one in model._meta.local_fields if one.primary_key)
