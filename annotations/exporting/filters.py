"""Which answers an export contains: defined in one place, for the files, their counts and the list of responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from typing import Any, Literal, get_args

from django.db.models import Q

from annotations.ground.errors import HLVError
from annotations.models.comparisons import not_taken_along

Scope = Literal["include", "exclude", "only"]
SCOPES: tuple[str, ...] = get_args(Scope)
Revisions = Literal["last", "all"]
REVISIONS: tuple[str, ...] = get_args(Revisions)
NAMES = {"first_day": "from", "last_day": "to"}
"""Outside names of filters that are Python keywords."""


class UnsupportedFilter(HLVError):
    """The format does not support this filter."""

    code = "unsupported_filter"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which of a study's answers to export. Days are in UTC and inclusive.

    `revisions`: with `all`, every stored version of an answer is in a separate file.
    `identified`: the experts' names and e-mail addresses are in a separate file.
    """

    pilot: Scope = "include"
    simulated: Scope = "include"
    first_day: date | None = None
    last_day: date | None = None
    revisions: Revisions = "last"
    identified: bool = False

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Filters:
        """The inverse of `told`; missing entries keep their defaults.

        >>> Filters.read({"pilot": "exclude", "to": "2026-11-02"}).last_day
        datetime.date(2026, 11, 2)
        """
        given: dict[str, Any] = {one.name: told.get(NAMES.get(one.name, one.name)) for one in fields(cls)}
        days = {name: date.fromisoformat(day) for name in NAMES if isinstance(day := given[name], str)}
        return cls(**{name: value for name, value in (given | days).items() if value is not None})

    def told(self) -> dict[str, Any]:
        """As plain JSON, with the outside names.

        >>> Filters(first_day=date(2026, 11, 2)).told()["from"]
        '2026-11-02'
        """
        values = {NAMES.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}

    def set_here(self) -> list[str]:
        """The names of the filters that differ from the default.

        >>> Filters(identified=True).set_here()
        ['identified']
        """
        default, mine = Filters().told(), self.told()
        return [name for name in mine if mine[name] != default[name]]

    def places(self, prefix: str = "", *, when: str = "completed_at") -> Q:
        """The selected places (assignments). Anything that leaves answers out of every export belongs here.

        `prefix` is the lookup path to the place, such as `assignment__`; `when` is the time that the days refer to.
        """
        found = not_taken_along(prefix)
        for name, field in {"pilot": "is_pilot", "simulated": "expert__is_simulated"}.items():
            scope = getattr(self, name)
            if scope != "include":
                found &= Q(**{f"{prefix}{field}": scope == "only"})
        if self.first_day:
            found &= Q(**{f"{prefix}{when}__gte": datetime.combine(self.first_day, time.min, UTC)})
        if self.last_day:
            found &= Q(**{f"{prefix}{when}__lte": datetime.combine(self.last_day, time.max, UTC)})
        return found

    def experts(self) -> Q:
        """The selected memberships, whether or not they have answered."""
        found = Q(answers_left_out=False)
        return found if self.simulated == "include" else found & Q(is_simulated=self.simulated == "only")

    def in_words(self) -> str:
        """In words, for an export's dictionary; empty: everything.

        >>> Filters(pilot="exclude", last_day=date(2026, 11, 2)).in_words()
        'Without the pilot; answered up to 2026-11-02 (UTC).'
        """
        scopes = {"exclude": "without", "only": "only"}
        parts = [
            f"{scopes[scope]} {what}"
            for scope, what in ((self.pilot, "the pilot"), (self.simulated, "simulated experts"))
            if scope in scopes
        ]
        days = [f"{word} {day}" for word, day in (("from", self.first_day), ("up to", self.last_day)) if day]
        if days:
            parts.append(f"answered {' '.join(days)} (UTC)")
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""
