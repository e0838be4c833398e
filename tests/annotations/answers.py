"""Answer assignments in tests: through the use cases, or as an expert's browser does."""

import uuid
from typing import Any

from django.test import Client

from annotations.answering import recording
from annotations.models import Assignment, LabelResponse, PreferenceResponse, User


def answer(assignment: Assignment, *, labels: tuple[int, ...] = (0,), ms: int = 1000) -> LabelResponse:
    """Step 1."""
    assert assignment.expert is not None
    return recording.store_labels(
        user=assignment.expert.user, token=assignment.token, key=uuid.uuid4(), labels=labels, active_ms=ms
    )


def complete(assignment: Assignment, *, labels_ms: int = 1000, preference_ms: int = 1000) -> PreferenceResponse:
    """Both steps."""
    assert assignment.expert is not None
    if assignment.comparison_shown_at is None:
        answer(assignment, ms=labels_ms)
    return recording.store_preference(
        user=assignment.expert.user,
        token=assignment.token,
        key=uuid.uuid4(),
        a_chosen=True,
        b_chosen=False,
        certainty=0.7,
        active_ms=preference_ms,
    )


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
