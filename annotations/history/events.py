"""Write the event log: `events.record(EventKind.PLANNED, actor=user, study=study, comparisons=728)`."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.history import security_log
from annotations.history.looks import look
from annotations.models import Dataset, Event, EventKind, Invitation, Study, StudyState, User

ONE_LOOK = timedelta(hours=1)


def record(
    kind: EventKind,
    *,
    actor: User | None = None,
    study: Study | None = None,
    dataset: Dataset | None = None,
    **data: Any,
) -> Event:
    """Store one event. `data` must be plain JSON and must not hold texts, answers, secrets, or people's
    names or addresses: an id is enough, and the name is looked up when the log is read.
    """
    made = _made(kind, actor, study, dataset, data)
    made.save(force_insert=True)
    return made


def record_each(kind: EventKind, about: Sequence[tuple[Study | None, dict[str, Any]]], *, actor: User | None) -> None:
    """Store an event for each of several studies (or none) and their data, in one query; studies with their dataset."""
    Event.objects.bulk_create([_made(kind, actor, study, None, data) for study, data in about])


def _made(
    kind: EventKind, actor: User | None, study: Study | None, dataset: Dataset | None, data: dict[str, Any]
) -> Event:
    """Not yet stored; noted in the security log once what it belongs to is."""
    subject = study or dataset
    if kind in security_log.EVENTS:
        transaction.on_commit(lambda: _note(kind, actor, study, data))
    return Event(
        kind=kind,
        actor=actor,
        study=study,
        dataset=dataset or (study.dataset if study else None),
        subject=subject.slug if subject else "",
        data=data,
    )


def _note(kind: EventKind, actor: User | None, study: Study | None, data: dict[str, Any]) -> None:
    """In the security log: numbers and plain words of ours only, because others may hold names and addresses."""
    person = data.get("person")
    security_log.note(
        kind.value,
        account=actor.pk if actor else None,
        study=study.pk if study else None,
        person=person if isinstance(person, int) else None,
        known_device=data.get("known_device") if isinstance(data.get("known_device"), bool) else None,
    )


def unblinded_view(*, actor: User | None, study: Study, what: str) -> None:
    """Record that somebody looked at unblinded data while answers could still come in. Without an actor: the operator.

    An open page asks repeatedly, so looking at the same thing again within an hour is the same event. Whatever the
    study's state, the person has then looked at its texts' distributions (annotations/history/looks.py).
    """
    look(user=actor, datasets=[study.dataset_id], what=what)
    if study.state == StudyState.CLOSED:
        return
    lately = Event.objects.filter(
        kind=EventKind.UNBLINDED_VIEW, actor=actor, study=study, data__what=what, at__gt=timezone.now() - ONE_LOOK
    )
    if not lately.exists():
        record(EventKind.UNBLINDED_VIEW, actor=actor, study=study, what=what)


def with_invited(events: Sequence[Event]) -> Sequence[Event]:
    """The same events, each with the address of the invitation that it is about (`data["email"]`), in one query.

    The log holds the invitation's id only. The rows are for reading; the database refuses to store the change.
    """
    keys = {str(event.data["invitation"]) for event in _about_invited(events) if event.data.get("invitation")}
    if keys:
        pairs = Invitation.objects.filter(pk__in=keys).values_list("pk", "email")
        addresses = {str(pk): email for pk, email in pairs}
        for event in _about_invited(events):
            address = addresses.get(str(event.data.get("invitation")))
            if address:
                event.data = {**event.data, "email": address}
    return events


def _about_invited(events: Sequence[Event]) -> Iterator[Event]:
    """Those about an invited person; others name an invitation that its own event already tells of."""
    kinds = (EventKind.INVITED, EventKind.INVITATION_REVOKED)
    return (event for event in events if event.kind in kinds and isinstance(event.data, dict))
