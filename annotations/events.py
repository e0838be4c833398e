"""Write the log. One line a caller: `events.record(EventKind.PLANNED, actor=user, study=study, comparisons=728)`."""

from typing import Any

from annotations.models import Dataset, Event, EventKind, Study, StudyState, User


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


def unblinded_view(*, actor: User, study: Study, what: str) -> None:
    """Leave a trace when somebody looks at unblinded data while answers can still come in."""
    if study.state != StudyState.CLOSED:
        record(EventKind.UNBLINDED_VIEW, actor=actor, study=study, what=what)
