"""Write the event log: `events.record(EventKind.PLANNED, actor=user, study=study, comparisons=728)`."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotations.models import Dataset, Event, EventKind, Study, StudyState, User

ONE_LOOK = timedelta(hours=1)


def record(
    kind: EventKind,
    *,
    actor: User | None = None,
    study: Study | None = None,
    dataset: Dataset | None = None,
    **data: Any,
) -> Event:
    """Store one event. `data` must be plain JSON and must not hold texts, answers or secrets."""
    subject = study or dataset
    return Event.objects.create(
        kind=kind,
        actor=actor,
        actor_email=actor.email if actor else "",
        study=study,
        dataset=dataset or (study.dataset if study else None),
        subject=subject.slug if subject else "",
        data=data,
    )


def unblinded_view(*, actor: User | None, study: Study, what: str) -> None:
    """Record that somebody looked at unblinded data while answers could still come in. Without an actor: the operator.

    An open page asks repeatedly, so looking at the same thing again within an hour is the same event.
    """
    if study.state == StudyState.CLOSED:
        return
    lately = Event.objects.filter(
        kind=EventKind.UNBLINDED_VIEW, actor=actor, study=study, data__what=what, at__gt=timezone.now() - ONE_LOOK
    )
    if not lately.exists():
        record(EventKind.UNBLINDED_VIEW, actor=actor, study=study, what=what)
