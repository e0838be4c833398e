"""Adjust a running study: pause and resume one system, and add places to comparisons.

While a system is paused, no place in its comparisons is handed out: neither free ones, nor those given by name that
have not reached their expert. What an expert has in hand, or next on their page, can still be answered; nothing given
is taken back, and every expert keeps the total they were told. Experts are not told about it: if nothing else is left
for them, they are told that there is no text for them at the moment.

When `pause_system` returns, every claim that was under way has ended, and no later one gets such a place: it locks
the places that nobody has begun, and a claim checks the comparison again once it holds the place.

An added place is free: an open pool assigns it after the lower ones; with assigning by name, an admin gives it to
somebody. Nobody loses a place, and nobody's promised total changes; experts who have finished are offered more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from annotations.designing.applying import _lock_for_giving
from annotations.designing.drawing import TooManyPlaces
from annotations.designing.pairing import BATCH
from annotations.designing.plans import active_experts, missing_in, used_up
from annotations.designing.workload import Pace, in_hours, measured_pace
from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Assignment, Comparison, EventKind, Study, StudyState, System, User
from annotations.shown.plurals import filled, written


class NotBegun(Conflict):
    """The study is still a draft, whose settings and plan can be changed instead."""


class NoSuchSystem(HLVError):
    """The study compares no system with that name."""


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
    comparisons: Counter[int | None] = Counter()
    places: Counter[int | None] = Counter()
    for pk, *pair in study.comparisons.values_list("pk", "first_system", "second_system"):
        for system in pair:
            comparisons[system] += 1
            places[system] += counts.get(pk, 0)
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
    keys = {key for pair in pairs for key in pair if key is not None}
    rows = System.compared.filter(pk__in=keys).only("pk", "model", "method", "run")
    return {row.name: row.pk for row in rows}


MOST_PLACES = 20_000
"""The most that can be added at once, because somebody is waiting while they are stored."""


class NoComparisonFits(HLVError):
    """A named comparison or text is not in the study, or no comparison matches everything named."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which comparisons are meant: all, or those that match everything named."""

    comparisons: Sequence[int] | None = None
    instances: Sequence[str] | None = None
    systems: Sequence[str] | None = None

    @property
    def is_all(self) -> bool:
        return self.comparisons is None and self.instances is None and self.systems is None


@dataclass(frozen=True, slots=True)
class Cost:
    """What the added places cost."""

    comparisons: int
    places: int
    experts: int
    missing_experts: int
    pace: Pace

    @property
    def hours(self) -> float:
        return round(self.places * self.pace.seconds / 3600, 2)

    @property
    def hours_per_expert(self) -> float:
        people = self.experts + self.missing_experts
        return round(self.hours / people, 2) if people else 0.0

    @property
    def sentence(self) -> str:
        """For example: 28 more places in 28 comparisons, about 1 h of experts' time."""
        people = self.experts + self.missing_experts
        sentences = [
            filled(
                _(
                    "{places, plural, one {# more place} other {# more places}} in "
                    "{comparisons, plural, one {# comparison} other {# comparisons}}, about {time} of experts' time."
                ),
                places=self.places,
                comparisons=self.comparisons,
                time=in_hours(self.places * self.pace.seconds),
            )
        ]
        if people:
            sentences.append(
                filled(
                    _("About {time} for each of {experts, plural, one {# expert} other {# experts}}."),
                    time=in_hours(-(-self.places * self.pace.seconds // people)),
                    experts=people,
                )
            )
        if self.missing_experts:
            sentences.append(
                filled(
                    _(
                        "Nobody sees a text twice, so "
                        "{number, plural, one {# more expert is} other {# more experts are}} needed."
                    ),
                    number=self.missing_experts,
                )
            )
        return " ".join(sentences)


def cost_of(*, study: Study, more: int, chosen: Chosen) -> Cost:
    """The cost of giving each chosen comparison `more` places. Nothing is stored. Raises what `add_places` raises."""
    must_run(study)
    rows = _comparisons(study, chosen)
    texts = Counter(rows.values_list("instance", flat=True))
    places = Counter({instance: number * more for instance, number in texts.items()})
    return Cost(
        comparisons=texts.total(),
        places=places.total(),
        experts=len(active_experts(study)),
        missing_experts=max(0, missing_in(study, used_up=places + used_up(study))),
        pace=measured_pace(),
    )


@transaction.atomic
def add_places(*, study: Study, more: int, chosen: Chosen, actor: User | None = None) -> int:
    """Give each chosen comparison `more` places, at least one. Returns how many were made.

    If all are meant, the study's number of experts per comparison grows, too.

    Raises:
        StudyClosed, NotBegun, NoSuchSystem, NoComparisonFits, TooManyPlaces.
    """
    study = _lock_for_giving(study)
    must_run(study)
    rows = list(
        _comparisons(study, chosen).annotate(last=Max("assignments__place")).values_list("pk", "instance", "last")
    )
    if len(rows) * more > MOST_PLACES:
        raise TooManyPlaces(
            _(
                "That would add {rows} places, but the limit is {most_places} at a time. Add fewer, "
                "or add them system by system."
            ).format(rows=written(len(rows) * more), most_places=written(MOST_PLACES)),
            places=len(rows) * more,
        )
    made = [
        Assignment(study=study, comparison_id=pk, instance_id=instance, place=first + number, places=first + more)
        for pk, instance, last in rows
        for first in [0 if last is None else last + 1]
        for number in range(more)
    ]
    Assignment.objects.bulk_create(made, batch_size=BATCH)
    if chosen.is_all:
        study.experts_per_comparison += more
        study.save(update_fields=["experts_per_comparison"])
    events.record(
        EventKind.PLACES_ADDED,
        actor=actor,
        study=study,
        more=more,
        comparisons=len(rows),
        places=len(made),
        systems=list(chosen.systems or []),
        experts_per_comparison=study.experts_per_comparison,
    )
    return len(made)


def _comparisons(study: Study, chosen: Chosen) -> QuerySet[Comparison]:
    """Raises NoSuchSystem, NoComparisonFits."""
    rows = study.comparisons.all()
    if chosen.systems is not None:
        rows = comparisons_of(study, keys_of(study, list(chosen.systems)))
    if chosen.comparisons is not None:
        _all_there(study, "comparisons", "position", chosen.comparisons)
        rows = rows.filter(position__in=chosen.comparisons)
    if chosen.instances is not None:
        _all_there(study, "instances", "instance__external_id", chosen.instances)
        rows = rows.filter(instance__external_id__in=chosen.instances)
    if not rows.exists():
        raise NoComparisonFits(_("No comparison matches all of these filters, so nothing can be added."))
    return rows


def _all_there(study: Study, name: str, column: str, wanted: Sequence[int] | Sequence[str]) -> None:
    present = set(study.comparisons.filter(**{f"{column}__in": wanted}).values_list(column, flat=True))
    missing = [value for value in wanted if value not in present]
    if missing:
        what = _("The study has no comparison {one}.") if name == "comparisons" else _("The study has no text {one}.")
        raise NoComparisonFits(
            f"{filled(what, one=missing[0])} {_('Nothing was added.')}",
            fields={name: [filled(what, one=value) for value in missing[:20]]},
        )
