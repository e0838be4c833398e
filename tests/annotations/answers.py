"""Answer assignments in tests, through the use cases."""

import uuid

from annotations import recording
from annotations.models import Assignment, LabelResponse, PreferenceResponse


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
