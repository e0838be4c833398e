"""Pause and resume one system in a running study.

While a system is paused, no place in its comparisons is handed out: neither free ones, nor those given by name that
have not reached their expert. What an expert has in hand, or next on their page, can still be answered; nothing given
is taken back, and every expert keeps the total they were told. Experts are not told about it: if nothing else is left
for them, they are told that there is no text for them at the moment.

When `pause_system` returns, every claim that was under way has ended, and no later one gets such a place: it locks
the places that nobody has begun, and a claim checks the comparison again once it holds the place.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from annotations.designing.places.applying import _lock_for_giving
from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Assignment, Comparison, EventKind, Study, StudyState, System, User


class NotBegun(Conflict):
    """The study is still a draft, whose settings and plan can be changed instead."""

    code = "not_begun"


class NoSuchSystem(HLVError):
    """The study compares no system with that name."""

    code = "no_such_system"


@dataclass(frozen=True, slots=True)
class RunningSystem:
    """A system in a running study. `free`: free places in its comparisons."""

    name: str
    is_paused: bool
    comparisons: int
    free: int


def running_systems(study: Study) -> list[RunningSystem]:
    """The systems of the study's comparisons, by name. Three queries."""
    free = Assignment.objects.filter(study=study, expert=None, released_at=None)
    counts = dict(free.order_by().values_list("comparison").annotate(Count("pk")))
    comparisons: dict[int, int] = {}
    places: dict[int, int] = {}
    for pk, first, second in study.comparisons.values_list("pk", "first_system", "second_system"):
        for system in (first, second):
            if system is not None:
                comparisons[system] = comparisons.get(system, 0) + 1
                places[system] = places.get(system, 0) + counts.get(pk, 0)
    return [
        RunningSystem(name, name in study.paused_systems, comparisons[pk], places[pk])
        for name, pk in sorted(_systems(study).items())
    ]


@transaction.atomic
def pause_system(*, study: Study, system: str, actor: User | None = None) -> Study:
    """Stop assigning places in the system's comparisons. Repeating it changes nothing.

    Raises:
        StudyClosed, NotBegun, NoSuchSystem.
    """
    study, key = _lock(study, system)
    if system in study.paused_systems:
        return study
    _keep(study, [*study.paused_systems, system])
    mine = comparisons_of(study, [key])
    mine.update(is_paused=True)
    # Wait for anyone who is just taking one of its places.
    untouched = study.assignments.filter(comparison__in=mine, released_at=None, claimed_at=None)
    places = len(untouched.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    events.record(
        EventKind.SYSTEM_PAUSED, actor=actor, study=study, system=system, comparisons=mine.count(), places=places
    )
    return study


@transaction.atomic
def resume_system(*, study: Study, system: str, actor: User | None = None) -> Study:
    """Resume assigning the system's places, except in comparisons with another paused system.

    Raises:
        StudyClosed, NotBegun, NoSuchSystem.
    """
    study, key = _lock(study, system)
    if system not in study.paused_systems:
        return study
    _keep(study, [name for name in study.paused_systems if name != system])
    systems = _systems(study)
    others = [systems[name] for name in study.paused_systems if name in systems]
    mine = comparisons_of(study, [key]).exclude(Q(first_system__in=others) | Q(second_system__in=others))
    resumed = mine.filter(is_paused=True).update(is_paused=False)
    events.record(EventKind.SYSTEM_RESUMED, actor=actor, study=study, system=system, comparisons=resumed)
    return study


def keys_of(study: Study, names: list[str]) -> list[int]:
    """The keys of systems that the study compares. Raises NoSuchSystem."""
    systems = _systems(study)
    unknown = [name for name in names if name not in systems]
    if unknown:
        raise NoSuchSystem(
            _("The study does not compare a system {unknown}. Its systems: {systems}.").format(
                unknown=unknown[0], systems=", ".join(sorted(systems)[:10])
            ),
            fields={"system": [_("The study does not compare a system with this name.")]},
        )
    return [systems[name] for name in names]


def comparisons_of(study: Study, keys: list[int]) -> QuerySet[Comparison]:
    """The comparisons in which one of these systems takes part."""
    return study.comparisons.filter(Q(first_system__in=keys) | Q(second_system__in=keys))


def must_run(study: Study) -> None:
    """Raises NotBegun for a draft."""
    if study.state == StudyState.DRAFT:
        raise NotBegun(
            _("The study is still a draft. Change its settings and plan it again instead."), state=study.state
        )


def _lock(study: Study, system: str) -> tuple[Study, int]:
    study = _lock_for_giving(study)
    must_run(study)
    return study, keys_of(study, [system])[0]


def _keep(study: Study, names: list[str]) -> None:
    study.paused_systems = sorted(names)
    study.save(update_fields=["paused_systems"])


def _systems(study: Study) -> dict[str, int]:
    """Name -> key, for all systems in the study's comparisons. Two queries."""
    pairs = study.comparisons.order_by().values_list("first_system", "second_system").distinct()
    keys = set(_flat(pairs))
    rows = System.compared.filter(pk__in=keys).only("pk", "model", "method", "run")
    return {one.name: one.pk for one in rows}


def _flat(pairs: QuerySet[Comparison, tuple[int | None, int | None]]) -> Iterator[int]:
    for pair in pairs:
        yield from (key for key in pair if key is not None)
