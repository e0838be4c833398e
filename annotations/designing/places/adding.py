"""Adding places to comparisons in a running study: more experts answer each, and nobody loses a place.

An added place is free: an open pool assigns it after the lower ones; with assigning by name, an admin gives it to
somebody. Nobody's promised total changes; experts who have finished are offered more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from annotations.designing.drawing import TooManyPlaces
from annotations.designing.places.applying import BATCH, _lock_for_giving
from annotations.designing.places.lacking import missing_in
from annotations.designing.places.pausing import comparisons_of, keys_of, must_run
from annotations.designing.places.pilot_places import used_up
from annotations.designing.plans import active_experts
from annotations.designing.workload import Pace, in_hours, measured_pace
from annotations.ground.errors import HLVError
from annotations.history import events
from annotations.models import Assignment, Comparison, EventKind, Study, User
from annotations.shown.plurals import filled, written

MOST_PLACES = 20_000
"""The most that can be added at once, because somebody is waiting while they are stored."""


class NoComparisonFits(HLVError):
    """A named comparison or text is not in the study, or no comparison matches everything named."""

    code = "no_comparison_fits"


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
        told = [
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
            told.append(
                filled(
                    _("About {time} for each of {experts, plural, one {# expert} other {# experts}}."),
                    time=in_hours(-(-self.places * self.pace.seconds // people)),
                    experts=people,
                )
            )
        if self.missing_experts:
            told.append(
                filled(
                    _(
                        "Nobody sees a text twice, so "
                        "{number, plural, one {# more expert is} other {# more experts are}} needed."
                    ),
                    number=self.missing_experts,
                )
            )
        return " ".join(told)


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
    there = set(study.comparisons.filter(**{f"{column}__in": wanted}).values_list(column, flat=True))
    missing = [one for one in wanted if one not in there]
    if missing:
        what = _("The study has no comparison {one}.") if name == "comparisons" else _("The study has no text {one}.")
        raise NoComparisonFits(
            f"{filled(what, one=missing[0])} {_('Nothing was added.')}",
            fields={name: [filled(what, one=one) for one in missing[:20]]},
        )
