"""Take an answer from an expert's page, and say what comes next, in one transaction: two requests for each text.

Step 2 is sent in response to step 1, together with the text *after* this one, at its step 1. So the page can show that
text from the moment that step 2 is answered, whatever the connection does. What is stored is up to recording.py, and
what is handed up to assigning.py.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db import transaction

from annotations.answering.assigning import Handed, hand, load_sides
from annotations.answering.progress import ExpertProgress
from annotations.answering.recording import key_used_once, own_of, record_labels, record_preference, record_report
from annotations.answering.seeing import NOT_SAID, PageSeen
from annotations.ground.errors import NotFound, Withdrawn
from annotations.models import LabelResponse, PreferenceResponse, Report, ReportReason, User


@dataclass(frozen=True, slots=True)
class LabelsTaken:
    """Step 1 is stored. `step_2`: the same assignment; `next`: what comes after it, at step 1."""

    response: LabelResponse
    instrument_version: int | None
    step_2: Handed
    next: Handed


@dataclass(frozen=True, slots=True)
class Taken:
    """Step 2 or a report is stored. `next`: what comes after it, at step 1; None if the page has it."""

    response: PreferenceResponse | Report
    progress: ExpertProgress
    instrument_version: int | None
    next: Handed | None


def submit_labels(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    labels: Iterable[int],
    active_ms: int | None = None,
    seen: PageSeen = NOT_SAID,
) -> LabelsTaken:
    """Store step 1, show step 2, and hand out what comes after it: at most one assignment ahead.

    Sent again under the same key, it answers in the same way, with what comes next by then.

    Raises:
        What `recording.record_labels` raises; NotFound and Withdrawn also for labels that were stored before.
    """
    with key_used_once(LabelResponse, key):
        own = own_of(user, token)
        response = record_labels(own, key=key, labels=labels, active_ms=active_ms, seen=seen)
        assignment = own.assignment
        if assignment.released_at is not None:
            raise NotFound
        following = hand(own.standing, after=token, is_open=assignment.completed_at is None)
        if assignment.instance.withdrawn_at is not None:
            raise Withdrawn
        load_sides(assignment)
    step_2 = replace(following, assignment=assignment, finished="", labels=list(response.labels), more=0)
    return LabelsTaken(response, own.expert.instrument_version, step_2, following)


def submit_preference(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    a_chosen: bool,
    b_chosen: bool,
    certainty: float | None,
    active_ms: int | None = None,
    ahead: uuid.UUID | None = None,
    seen: PageSeen = NOT_SAID,
) -> Taken:
    """Store step 2 and hand out what comes next, unless the page says that it has something `ahead`.

    Raises:
        What `recording.record_preference` raises.
    """
    with key_used_once(PreferenceResponse, key):
        own = own_of(user, token)
        response = record_preference(
            own,
            key=key,
            a_chosen=a_chosen,
            b_chosen=b_chosen,
            certainty=certainty,
            active_ms=active_ms,
            seen=seen,
        )
        following = hand(own.standing, after=token) if ahead is None else None
        progress = own.standing.progress() if following is None else following.progress
    return Taken(response, progress, own.expert.instrument_version, following)


@transaction.atomic
def submit_report(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    reason: ReportReason,
    text: str = "",
    skip: bool = False,
    ahead: uuid.UUID | None = None,
) -> Taken:
    """Store a report; with `skip`, also hand out what comes next, unless the page says that it has something `ahead`.

    Raises:
        What `recording.record_report` raises.
    """
    own = own_of(user, token)
    report = record_report(own, user=user, key=key, reason=reason, text=text, skip=skip)
    following = hand(own.standing, after=token) if skip and ahead is None else None
    progress = own.standing.progress() if following is None else following.progress
    return Taken(report, progress, own.expert.instrument_version, following)
