"""Answer assignments in tests: through the use cases, as an expert's browser does, or many at once."""

import uuid
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotations.answering import assigning
from annotations.answering.experts import expert_of
from annotations.answering.progress import ExpertWorkload
from annotations.answering.turns import GIVEN
from annotations.models import Assignment, LabelResponse, Phase, PreferenceResponse, SideRule, Study, User
from tests.worlds import storing
from tests.worlds.history import Past


def taken(user: User, slug: str = "study") -> Assignment:
    """The assignment that the study gives next to the expert; there must be one."""
    assignment = assigning.next_assignment(user=user, slug=slug).assignment
    assert assignment is not None
    return assignment


@transaction.atomic
def ahead_of(user: User, token: uuid.UUID) -> assigning.Handed:
    """What an answer to this assignment is told to come next."""
    expert = expert_of(user, lock=True, assignments__token=token)
    return assigning.hand(ExpertWorkload(expert), after=token)


def complete_all(user: User, slug: str = "study") -> list[Assignment]:
    """Answer until nothing more is given, not even to who asks for more."""
    got = []
    while assignment := (
        assigning.next_assignment(user=user, slug=slug).assignment
        or assigning.ask_for_more(user=user, slug=slug).assignment
    ):
        complete(assignment)
        got.append(assignment)
    return got


def answer(assignment: Assignment, *, labels: tuple[int, ...] = (0,), ms: int = 1000) -> LabelResponse:
    """Step 1."""
    assert assignment.expert is not None
    return storing.store_labels(
        user=assignment.expert.user, token=assignment.token, key=uuid.uuid4(), labels=labels, active_ms=ms
    )


def complete(assignment: Assignment, *, labels_ms: int = 1000, preference_ms: int = 1000) -> PreferenceResponse:
    """Both steps."""
    assert assignment.expert is not None
    if assignment.comparison_shown_at is None:
        answer(assignment, ms=labels_ms)
    return storing.store_preference(
        user=assignment.expert.user,
        token=assignment.token,
        key=uuid.uuid4(),
        a_chosen=True,
        b_chosen=bool(assignment.comparison.identical),  # where both sides are the same, there is no other answer
        certainty=0.7,
        active_ms=preference_ms,
    )


def store_completed(
    study: Study,
    assignments: Sequence[Assignment],
    chosen: Sequence[tuple[bool, bool]],
    certainties: Sequence[float] | None = None,
) -> list[Assignment]:
    """Store all assignments of a study with both steps answered: the first label, and which of the sides A and B.

    They come with the side orders on which step 2 is then shown.
    """
    now = timezone.now()
    orders = [assignment.side_order for assignment in assignments]
    for assignment in assignments:
        assignment.side_order = ""
    made = list(Assignment.objects.bulk_create(assignments))
    LabelResponse.objects.bulk_create(
        LabelResponse(assignment=assignment, labels=[0], key=uuid.uuid4(), created_at=now) for assignment in made
    )
    for assignment, order in zip(made, orders, strict=True):
        assignment.completed_at = now
        put_on_sides(assignment, order, at=now)
        if assignment.comparison.identical:
            assignment.turn, assignment.phase, assignment.side_rule = None, "", None  # it uses up none
    Assignment.objects.bulk_update(made, ["completed_at", "comparison_shown_at", *GIVEN], batch_size=500)
    PreferenceResponse.objects.bulk_create(
        unsaved_preference(assignment, *sides, certainty=certainty)
        for assignment, sides, certainty in zip(made, chosen, certainties or [None] * len(made), strict=True)
    )
    return made


def put_on_sides(assignment: Assignment, order: str, *, at: datetime | None = None) -> Assignment:
    """Step 2 is shown on sides that a test chose (in memory): no key tells them."""
    assignment.comparison_shown_at = at or timezone.now()
    assignment.side_order = order
    assignment.turn, assignment.phase, assignment.side_rule = assignment.position, Phase.MAIN, SideRule.EARLIER
    return assignment


def unsaved_preference(
    assignment: Assignment, a: bool, b: bool, *, revision: int = 0, certainty: float | None = None
) -> PreferenceResponse:
    """An unsaved preference response."""
    return PreferenceResponse(
        assignment=assignment,
        a_chosen=a,
        b_chosen=b,
        certainty=certainty,
        revision=revision,
        key=uuid.uuid4(),
        created_at=timezone.now(),
    )


def past_of(position: int, **changes: Any) -> Past:
    """An assignment that was answered in a second, or what the changes say, as a history tells it."""
    now = timezone.now()
    told = dict.fromkeys(field.name for field in fields(Past)) | {
        "pk": position,
        "token": uuid.uuid4(),
        "position": position,
        "claimed_at": now,
        "completed_at": now,
        "is_released": False,
        "is_withdrawn": False,
        "labels_ms": 1000,
        "preference_ms": 0,
    }
    return Past(**told | changes)


class Page:
    """An expert's browser."""

    def __init__(self, user: User, slug: str = "study") -> None:
        self.client = Client()
        self.client.force_login(user)
        self.slug = slug

    def post(self, address: str, body: dict[str, Any] | None = None) -> Any:
        return self.client.post(f"/api/{address}", body or {}, content_type="application/json")

    def next(self) -> Any:
        return self.post(f"studies/{self.slug}/next/")

    def labels(self, token: str, **changes: Any) -> Any:
        body = {"key": str(uuid.uuid4()), "labels": [0], "active_ms": 5500}
        return self.post(f"assignments/{token}/labels/", {**body, **changes})

    def preference(self, token: str, **changes: Any) -> Any:
        body = {"key": str(uuid.uuid4()), "a_chosen": True, "b_chosen": False, "certainty": 0.8, "active_ms": 2450}
        return self.post(f"assignments/{token}/preference/", {**body, **changes})

    def report(self, token: str, **changes: Any) -> Any:
        body = {"key": str(uuid.uuid4()), "reason": "other", "text": "", "skip": False}
        return self.post(f"assignments/{token}/report/", {**body, **changes})


def in_hand(*, user: User, token: uuid.UUID) -> assigning.Handed:
    """One of the expert's own assignments as a page shows it, without claiming anything."""
    assignment = Assignment.objects.get(token=token, released_at=None)
    return assigning.shown(ExpertWorkload(expert_of(user, assignments__token=token)), assignment.pk)
