"""Let experts change their last answer: step 2 of the last completed assignment, while the study takes answers.

Step 1 and all earlier answers stay locked: an expert who could go back further would answer with what later texts
taught them. A correction is a new revision; the newest counts, and all are exported.
"""

import uuid
from dataclasses import replace

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotations.answering.assigning import Handed, expert_of, shown
from annotations.answering.recording import key_used_once, must_accept, own_of, record_preference
from annotations.answering.refusals import CorrectionClosed
from annotations.answering.seeing import NOT_SAID, PageSeen
from annotations.answering.standing import ExpertStanding
from annotations.ground.errors import Conflict, NotFound
from annotations.models import Assignment, Guess, PreferenceResponse, User

MOST_MS = 2**31 - 1  # the most the column can hold


class NotTheLast(Conflict):
    """Another assignment has been completed since, or this one has not been."""

    code = "not_the_last"


def last_answered(*, user: User, slug: str) -> Handed:
    """The expert's last completed assignment at step 2, with their newest answer to it.

    Raises:
        NotFound: the user is not an active expert in such a study, or has completed nothing.
        NotAccepting: the study is not taking answers.
        CorrectionClosed: they have since guessed which side was the human one.
    """
    expert = expert_of(user, study__slug=slug)
    must_accept(expert.study)
    last = _completed(expert.pk).first()
    if last is None:
        raise NotFound
    if Guess.objects.filter(assignment=last).exists():
        raise CorrectionClosed
    handed = shown(ExpertStanding(expert), last.pk)
    return replace(handed, answered=PreferenceResponse.objects.filter(assignment=last).latest("revision"))


def may_correct(*, user: User, slug: str) -> bool:
    """Whether the expert's last answer can still be changed: `last_answered` would show it.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    expert = expert_of(user, study__slug=slug)
    last = _completed(expert.pk).select_related("guess").first()
    return expert.study.accepts_responses and last is not None and not hasattr(last, "guess")


def store_correction(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    a_chosen: bool,
    b_chosen: bool,
    certainty: float | None,
    active_ms: int | None = None,
    seen: PageSeen = NOT_SAID,
) -> PreferenceResponse:
    """Store a new answer to step 2 of the expert's last completed assignment. The same answer changes nothing.

    `active_ms` is the time of the correction alone. What is stored is the total active time of step 2, so that the
    newest revision says how long the step took, corrections included; unknown stays unknown.

    Raises:
        NotTheLast, and what `recording.record_preference` raises.
    """
    with key_used_once(PreferenceResponse, key):
        own = own_of(user, token)
        assignment = own.assignment
        # An answer already stored under this key is acknowledged again, whatever has been completed since.
        if not PreferenceResponse.objects.filter(key=key).exists():
            must_accept(own.expert.study)
            if _completed(assignment.expert_id).first() != assignment:
                raise NotTheLast(_("Only your last answer can be changed, and you have given another one since then."))
            before = assignment.preferenceresponses.latest("revision").active_ms
            active_ms = None if before is None or active_ms is None else min(before + active_ms, MOST_MS)
        return record_preference(
            own,
            key=key,
            a_chosen=a_chosen,
            b_chosen=b_chosen,
            certainty=certainty,
            active_ms=active_ms,
            correction=True,
            seen=seen,
        )


def _completed(expert: int | None) -> QuerySet[Assignment]:
    """An expert's completed assignments, newest first."""
    return Assignment.objects.completed().filter(expert=expert).order_by("-completed_at", "-position")
