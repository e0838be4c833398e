"""What goes by itself after some time: ended sessions, and experts' identities if so set.

Every worker's sweeper calls `sweep_sometimes`. Files have their own rule (`HLV_FILES_KEPT_DAYS`): their jobs apply it.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.ground.errors import HLVError
from annotations.history import events
from annotations.models import Erased, Erasure, Event, EventKind, Membership, Role, Session, Study, StudyState, User
from annotations.people.notifications import tell_identities_due

EVERY_SECONDS = 3600.0
ANNOUNCED = timedelta(days=14)
"""So long before, a mail and the study's history say that its experts' identities will go."""
FAR = datetime.max.replace(tzinfo=UTC)
MOST_MONTHS = 600
_last: list[float] = []


class InvalidMonths(HLVError):
    """The number of months is out of range."""


@transaction.atomic
def keep_identities(*, study: Study, months: int | None, actor: User | None = None) -> Study:
    """Set how long after its closing a study keeps the names of its experts. What is due is announced anew.

    Args:
        months: from 0, which means for ever, to 600; None: as the server's setting says.

    Raises:
        InvalidMonths.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if months is not None and not 0 <= months <= MOST_MONTHS:
        raise InvalidMonths(
            _("must be between 0 and 600"), fields={"identities_kept_months": [_("must be between 0 and 600")]}
        )
    if study.identities_kept_months != months:
        study.identities_kept_months = months
        study.version += 1
        study.save(update_fields=["identities_kept_months", "version"])
        changed = ["identities_kept_months"]
        events.record(
            EventKind.SETTINGS_CHANGED, actor=actor, study=study, settings=changed, version=study.version, months=months
        )
    return study


def sweep_sometimes() -> None:
    """`sweep`, at most once an hour in this process. It may run in several processes at once."""
    if _last and time.monotonic() - _last[-1] < EVERY_SECONDS:
        return
    _last[:] = [time.monotonic()]
    sweep()


def sweep(now: datetime | None = None) -> None:
    """Delete what is kept no longer, announce and start the erasures that are due. Repeating it changes nothing."""
    now = now or timezone.now()
    Session.objects.expired().delete()
    due = [study for study in _closed() if _is_due(study, now)]
    for study in due:
        _erase_identities(study, due)


def identities_go_at(study: Study) -> datetime | None:
    """When the identities of a closed study's experts are erased; None: never by themselves."""
    months = study.identities_kept_months
    months = settings.HLV_IDENTITIES_KEPT_MONTHS if months is None else months
    if not months or study.state != StudyState.CLOSED or study.closed_at is None:
        return None
    return study.closed_at + timedelta(days=365 * months / 12)


def experts_to_erase(study: Study, done: Collection[Study]) -> QuerySet[User]:
    """The study's experts who are nothing else here, except experts of studies that are done with them.

    Args:
        done: the studies that keep their experts' names no longer, this one among them.
    """
    experts = User.objects.filter(memberships__study=study, memberships__role=Role.EXPERT, erased_at=None)
    return (
        experts.exclude(Q(is_superuser=True) | Q(is_staff=True))
        .exclude(pk__in=Membership.objects.exclude(role=Role.EXPERT).values("user"))
        .exclude(pk__in=Membership.objects.exclude(study__in=done).values("user"))
        .exclude(memberships__is_simulated=True)
        .order_by("pk")
        .distinct()
    )


def _closed() -> QuerySet[Study]:
    return Study.objects.filter(state=StudyState.CLOSED, closed_at__isnull=False).order_by("pk")


def _is_due(study: Study, now: datetime) -> bool:
    day = identities_go_at(study)
    if day is None or now < day - ANNOUNCED:
        return False
    announced = _announced_at(study, now)
    return announced is not None and now >= max(day, announced + ANNOUNCED)


@transaction.atomic
def _announced_at(study: Study, now: datetime) -> datetime | None:
    """When the erasure was announced, which is done now if it was not; None: nothing is due, or nobody is to erase."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    day = identities_go_at(study)
    if day is None or now < day - ANNOUNCED:  # changed meanwhile
        return None
    day = max(day, now + ANNOUNCED)
    people = experts_to_erase(
        study, [closed for closed in _closed() if (identities_go_at(closed) or FAR) <= day]
    ).count()
    if not people:
        return None
    lately = Event.objects.filter(study=study, at__gte=study.closed_at)
    # Whoever changed the rule was told of what held before.
    changes = lately.filter(kind=EventKind.SETTINGS_CHANGED, data__has_key="months")
    changed = changes.order_by("-pk").values_list("pk", flat=True).first() or 0
    announcement = lately.filter(kind=EventKind.IDENTITIES_DUE, pk__gt=changed).first()
    if announcement is None:
        written = day.date().isoformat()
        announcement = events.record(EventKind.IDENTITIES_DUE, study=study, people=people, day=written)
        tell_identities_due(study=study, key=str(announcement.pk), experts=people, day=written)
    return announcement.at


@transaction.atomic
def _erase_identities(study: Study, due: Collection[Study]) -> None:
    """Ask a worker to erase every expert of the study; their answers stay under their numbers."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if locked.identities_kept_months != study.identities_kept_months:
        return  # changed meanwhile, so that it has to be announced anew
    for user in experts_to_erase(study, due):
        if not Erasure.objects.filter(what=Erased.PERSON, target=user.pk, erased_at=None).exists():
            erasure = Erasure.objects.create(what=Erased.PERSON, target=user.pk, reason="retention")
            jobs.enqueue(erasure)
