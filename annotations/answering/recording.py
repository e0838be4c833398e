"""Store step 1, step 2 and reports: idempotent by the browser's key, append-only, one lock first.

Sending twice changes nothing: the same key with the same content gets the same response as the first time,
whatever has happened since. The same key with different content is a bug in the sender and is refused, and so is
a different answer from a second tab: nothing is overwritten silently.
"""

import math
import uuid
from collections.abc import Iterable
from typing import TypeVar

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations import events
from annotations.answering.labelling import check_labels
from annotations.answering.seeing import NOT_SAID, PageSeen, answered_under, with_instrument
from annotations.answering.turns import GIVEN, Turns
from annotations.errors import Conflict, HLVError, NotFound, Withdrawn
from annotations.models import (
    Assignment,
    EventKind,
    Guess,
    Instance,
    Label,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    ReportReason,
    Role,
    Study,
    StudyState,
    User,
)

Stored = TypeVar("Stored", LabelResponse, PreferenceResponse, Report)


class KeyReused(Conflict):
    """The key was already used to store something else."""

    code = "key_reused"


class NotAccepting(Conflict):
    """The study is not accepting answers at the moment."""

    code = "not_accepting"


class StepLocked(Conflict):
    """Step 2 has been shown, so step 1 can no longer change."""

    code = "step_locked"


class Step1Missing(Conflict):
    """Step 2 cannot be answered before step 1."""

    code = "step_1_missing"


class AlreadyAnswered(Conflict):
    """The assignment already has a different answer."""

    code = "already_answered"


class CorrectionClosed(Conflict):
    """The expert has guessed which side was the human one, so the answer can no longer change."""

    code = "correction_closed"

    def __init__(self) -> None:
        super().__init__(_("You have since guessed about this text, so your answer stays as it is."))


class IdenticalSides(HLVError):
    """Both sides look the same, but the answer prefers one."""

    code = "identical_sides"


class InvalidCertainty(HLVError):
    """Not a number from 0 to 1."""

    code = "invalid_certainty"


@transaction.atomic
def store_labels(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    labels: Iterable[int],
    active_ms: int | None = None,
    seen: PageSeen = NOT_SAID,
) -> LabelResponse:
    """Store step 1 and, in the same transaction, mark step 2 as shown, on the sides of the expert's next turn.

    From then on step 1 is locked and the turn is used up, whatever happens to the text.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, StepLocked, and what `check_labels` raises.
    """
    _lock_expert(user, token)  # turns are given one at a time
    assignment = lock_own(user, token)
    chosen = sorted(set(labels))
    stored = LabelResponse.objects.filter(key=key).first()
    if stored is not None:
        return _same(stored, assignment, stored.labels == chosen)
    _must_accept(assignment)
    if assignment.comparison_shown_at is not None:
        before = assignment.labelresponses.latest("revision")
        if before.labels == chosen:
            return before
        raise StepLocked(_("Your labels were saved before, and you have since seen the comparison."))
    dataset = assignment.study.dataset_id
    check_labels(chosen, list(Label.objects.filter(dataset=dataset)), task=assignment.study.dataset.task)
    now = timezone.now()
    response = LabelResponse.objects.create(
        assignment=assignment,
        key=key,
        labels=chosen,
        active_ms=active_ms,
        created_at=now,
        **answered_under(assignment, seen),
    )
    assignment.comparison_shown_at = now
    assignment.is_pilot = assignment.study.state == StudyState.PILOT
    _give_turn(assignment)
    assignment.save(update_fields=["comparison_shown_at", "is_pilot", *GIVEN])
    return response


@transaction.atomic
def store_preference(
    *,
    user: User,
    token: uuid.UUID,
    key: uuid.UUID,
    a_chosen: bool,
    b_chosen: bool,
    certainty: float | None,
    active_ms: int | None = None,
    correction: bool = False,
    seen: PageSeen = NOT_SAID,
) -> PreferenceResponse:
    """Store step 2. With `correction`, a completed assignment gets a new revision; the newest counts.

    `annotations/answering/correcting.py` decides which assignment may be corrected.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, Step1Missing, AlreadyAnswered, CorrectionClosed,
        IdenticalSides, InvalidCertainty.
    """
    check_certainty(certainty)
    assignment = lock_own(user, token)
    answer = (a_chosen, b_chosen, certainty)
    stored = PreferenceResponse.objects.filter(key=key).first()
    if stored is not None:
        return _same(stored, assignment, _answer(stored) == answer)
    _must_accept(assignment)
    if assignment.comparison_shown_at is None:
        raise Step1Missing(_("Please choose labels for this text first."))
    if assignment.comparison.identical and a_chosen != b_chosen:
        raise IdenticalSides(_("Both sides are the same here, so the choice is “both” or “neither”."))
    before = assignment.preferenceresponses.order_by("revision").last()
    if before is not None and _answer(before) == answer:
        return before
    if before is not None and correction and Guess.objects.filter(assignment=assignment).exists():
        raise CorrectionClosed
    if before is not None and not correction:
        raise AlreadyAnswered(
            _("This text has already been answered, perhaps in another tab. Your first answer counts.")
        )
    response = PreferenceResponse.objects.create(
        assignment=assignment,
        revision=before.revision + 1 if before else 0,
        key=key,
        a_chosen=a_chosen,
        b_chosen=b_chosen,
        certainty=certainty,
        active_ms=active_ms,
        created_at=timezone.now(),
        **answered_under(assignment, seen),
    )
    if before is None:
        assignment.completed_at = response.created_at
        assignment.save(update_fields=["completed_at"])
    return response


@transaction.atomic
def store_report(
    *, user: User, token: uuid.UUID, key: uuid.UUID, reason: ReportReason, text: str = "", skip: bool = False
) -> Report:
    """Store a report. With `skip`, the expert gives the assignment back, and a fresh place is made for somebody else.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, AlreadyAnswered (a completed assignment cannot be given back).
    """
    _lock_expert(user, token)
    assignment = lock_own(user, token)
    stored = Report.objects.filter(key=key).first()
    if stored is not None:
        content = (stored.reason, stored.text, stored.skipped)
        return _same(stored, assignment, content == (reason, text, skip))
    _must_accept(assignment)
    if skip and assignment.completed_at is not None:
        raise AlreadyAnswered(_("This text has already been answered and can no longer be skipped."))
    now = timezone.now()
    report = Report.objects.create(
        assignment=assignment, key=key, reason=reason, text=text, skipped=skip, created_at=now
    )
    if skip:
        assignment.released_at = now
        assignment.save(update_fields=["released_at"])
        _make_fresh(assignment)
    number = assignment.expert.number if assignment.expert else None
    events.record(
        EventKind.REPORTED, actor=user, study=assignment.study, expert=number, reason=str(reason), skipped=skip
    )
    return report


def _make_fresh(skipped: Assignment) -> None:
    """Make a fresh place for somebody else; pilot places already have one if the study has opened.

    A deliberate repeat was never a place.
    """
    if skipped.repeat_of_id is not None:
        return
    place = {"comparison_id": skipped.comparison_id, "place": skipped.place}
    if Assignment.objects.filter(**place, is_pilot=False, released_at=None).exists():
        return
    Assignment.objects.create(**place, study=skipped.study, instance_id=skipped.instance_id, places=skipped.places)


def check_certainty(certainty: float | None) -> None:
    """Raises InvalidCertainty unless it is missing or a number in [0, 1]."""
    if certainty is not None and not (math.isfinite(certainty) and 0 <= certainty <= 1):
        raise InvalidCertainty(_("Certainty is a number from 0 to 1."))


def lock_own(user: User, token: uuid.UUID) -> Assignment:
    """The expert's own assignment, even if released: a report sent twice must find it."""
    mine = Assignment.objects.filter(token=token, expert__user=user, expert__is_active=True, expert__role=Role.EXPERT)
    assignment = (
        with_instrument(mine)
        .select_related("expert", "study__dataset", "comparison")
        .defer("study__dataset__gold")
        .select_for_update(of=("self",))
        .first()
    )
    if assignment is None:
        raise NotFound
    return assignment


def _lock_expert(user: User, token: uuid.UUID) -> None:
    """Locks are always taken in this order: the expert, then the place (assigning.py)."""
    Membership.objects.select_for_update(of=("self",)).filter(user=user, assignments__token=token).first()


def _give_turn(assignment: Assignment) -> None:
    """Set the expert's next turn (in memory)."""
    if assignment.expert is None:
        raise NotFound
    expert = assignment.expert
    expert.study = assignment.study
    Turns.of(expert).next(assignment.comparison).give(assignment)


def _same(stored: Stored, assignment: Assignment, is_same: bool) -> Stored:
    if stored.assignment_id != assignment.pk or not is_same:
        raise KeyReused(_("This answer differs from one that was sent before under the same key."))
    return stored


def _must_accept(assignment: Assignment) -> None:
    if assignment.released_at is not None:
        raise NotFound
    must_accept(assignment.study)
    # Read after locking the assignment, so that it includes what `moderating.confirm` wrote.
    if Instance.objects.filter(pk=assignment.instance_id, withdrawn_at__isnull=False).exists():
        raise Withdrawn


def must_accept(study: Study) -> None:
    """Raises NotAccepting unless the study is taking answers."""
    if not study.accepts_responses:
        raise NotAccepting(_("The study is not accepting answers at the moment."), state=study.state)


def _answer(response: PreferenceResponse) -> tuple[bool, bool, float | None]:
    return response.a_chosen, response.b_chosen, response.certainty
