"""Store step 1, step 2 and reports: idempotent by the browser's key, append-only, one lock first.

Sending twice changes nothing: the same key with the same content gets the same response as the first time,
whatever has happened since. The same key with different content is a bug in the sender and is refused, and so is
a different answer from a second tab: nothing is overwritten silently.
"""

import math
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.answering.assigning import expert_of
from annotations.answering.labelling import check_labels, label_set
from annotations.answering.refusals import (
    AlreadyAnswered,
    CorrectionClosed,
    IdenticalSides,
    InvalidCertainty,
    KeyReused,
    NotAccepting,
    Step1Missing,
    StepLocked,
)
from annotations.answering.seeing import NOT_SAID, PageSeen, answered_under
from annotations.answering.standing import ExpertStanding
from annotations.answering.turns import GIVEN, Turns
from annotations.ground.errors import NotFound, Withdrawn
from annotations.history import events
from annotations.models import (
    Assignment,
    EventKind,
    Guess,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    ReportReason,
    Study,
    StudyState,
    User,
)

Stored = TypeVar("Stored", LabelResponse, PreferenceResponse, Report)


SHOWN = Assignment.objects.filter(
    Exists(Instance.objects.filter(pk=OuterRef("instance"), withdrawn_at=None))
).order_by()
OWN = Assignment.objects.select_related("instance", "comparison").order_by()


@dataclass(frozen=True, slots=True)
class Own:
    """An expert's assignment and where the expert stands; their transaction holds both."""

    assignment: Any
    standing: ExpertStanding

    @property
    def expert(self) -> Any:
        return self.standing.expert

    @property
    def is_welcome(self) -> bool:
        """Whether a first answer would be stored. Only if not is it looked up whether it was stored before: the
        database itself refuses a key that is taken (`key_used_once`).
        """
        assignment = self.assignment
        is_there = assignment.released_at is None and assignment.instance.withdrawn_at is None
        return is_there and self.expert.study.accepts_responses


@contextmanager
def key_used_once(model: type[LabelResponse | PreferenceResponse], key: uuid.UUID) -> Iterator[None]:
    """A transaction that stores a response under this key; KeyReused if another one, perhaps somebody else's, has it.

    Nothing asks for the key beforehand: that would cost every answer a query, and could still come too early.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        if model._default_manager.filter(key=key).exists():
            raise _reused() from None
        raise


def record_labels(
    own: Own, *, key: uuid.UUID, labels: Iterable[int], active_ms: int | None = None, seen: PageSeen = NOT_SAID
) -> LabelResponse:
    """Store step 1 and mark step 2 as shown, on the sides of the expert's next turn. The caller's transaction,
    `key_used_once`, holds the assignment.

    From then on step 1 is locked and the turn is used up, whatever happens to the text.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, StepLocked, and what `check_labels` raises.
    """
    assignment, expert = own.assignment, own.expert
    chosen = sorted(set(labels))
    if assignment.comparison_shown_at is not None or not own.is_welcome:
        stored = LabelResponse.objects.filter(key=key).first()
        if stored is not None:
            return _same(stored, assignment, stored.labels == chosen)
        _must_accept(own)
        before: LabelResponse = assignment.labelresponses.latest("revision")
        if before.labels == chosen:
            return before
        raise StepLocked(_("Your labels were saved before, and you have since seen the comparison."))
    check_labels(chosen, label_set(expert), task=expert.study.dataset.task)
    now = timezone.now()
    response = LabelResponse(
        assignment=assignment,
        key=key,
        labels=chosen,
        active_ms=active_ms,
        created_at=now,
        **answered_under(expert, seen),
    )
    response.save(force_insert=True)
    assignment.comparison_shown_at = now
    assignment.is_pilot = expert.study.state == StudyState.PILOT
    Turns.counted(expert, own.standing.tally).next(assignment.comparison).give(assignment)
    _change(assignment, "comparison_shown_at", "is_pilot", *GIVEN)
    return response


def record_preference(
    own: Own,
    *,
    key: uuid.UUID,
    a_chosen: bool,
    b_chosen: bool,
    certainty: float | None,
    active_ms: int | None = None,
    correction: bool = False,
    seen: PageSeen = NOT_SAID,
) -> PreferenceResponse:
    """Store step 2. The caller's transaction, `key_used_once`, holds the assignment.

    With `correction`, a completed assignment gets a new revision; the newest counts. Which one may be corrected is up
    to annotations/answering/correcting.py.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, Step1Missing, AlreadyAnswered, CorrectionClosed,
        IdenticalSides, InvalidCertainty.
    """
    check_certainty(certainty)
    assignment = own.assignment
    answer = (a_chosen, b_chosen, certainty)
    if assignment.completed_at is not None or assignment.comparison_shown_at is None or not own.is_welcome:
        stored = PreferenceResponse.objects.filter(key=key).first()
        if stored is not None:
            return _same(stored, assignment, _answer(stored) == answer)
    _must_accept(own)
    if assignment.comparison_shown_at is None:
        raise Step1Missing(_("Please choose labels for this text first."))
    if assignment.comparison.identical and a_chosen != b_chosen:
        raise IdenticalSides(_("Both sides are the same here, so the choice is “both” or “neither”."))
    before: PreferenceResponse | None = None
    if assignment.completed_at is not None:
        before = assignment.preferenceresponses.order_by("revision").last()
    if before is not None and _answer(before) == answer:
        return before
    if before is not None and correction and Guess.objects.filter(assignment=assignment).exists():
        raise CorrectionClosed
    if before is not None and not correction:
        raise AlreadyAnswered(
            _("This text has already been answered, perhaps in another tab. Your first answer counts.")
        )
    response = PreferenceResponse(
        assignment=assignment,
        revision=before.revision + 1 if before else 0,
        key=key,
        a_chosen=a_chosen,
        b_chosen=b_chosen,
        certainty=certainty,
        active_ms=active_ms,
        created_at=timezone.now(),
        **answered_under(own.expert, seen),
    )
    response.save(force_insert=True)
    if before is None:
        assignment.completed_at = response.created_at
        _change(assignment, "completed_at")
    else:
        _must_be_shown(assignment)
    return response


def record_report(
    own: Own, *, user: User, key: uuid.UUID, reason: ReportReason, text: str = "", skip: bool = False
) -> Report:
    """Store a report. With `skip`, the expert gives the assignment back, and a fresh place is made for somebody else.

    The caller's transaction holds the assignment, and counts where the expert stands afterwards.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, AlreadyAnswered (a completed assignment cannot be given back).
    """
    assignment = own.assignment
    stored = Report.objects.filter(key=key).first()
    if stored is not None:
        content = (stored.reason, stored.text, stored.skipped)
        return _same(stored, assignment, content == (reason, text, skip))
    _must_accept(own)
    _must_be_shown(assignment)
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
    told = {"expert": own.expert.number, "reason": str(reason), "skipped": skip}
    events.record(EventKind.REPORTED, actor=user, study=assignment.study, **told)
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


def own_of(user: User, token: uuid.UUID) -> Own:
    """The expert's own assignment, even if released: a report sent twice must find it. Both are locked, the expert
    first (assigning.py), so that turns are given and answers stored one at a time.
    """
    expert = expert_of(user, lock=True, assignments__token=token)
    return Own(lock_own(expert, token), ExpertStanding(expert))


def lock_own(expert: Membership, token: uuid.UUID) -> Any:
    """The assignment, loaded with all that an answer needs; the caller holds the expert's lock."""
    try:
        assignment = OWN.select_for_update(of=("self",)).get(token=token, expert=expert)
    except Assignment.DoesNotExist:
        raise NotFound from None
    assignment.expert, assignment.study = expert, expert.study
    return assignment


def _change(assignment: Assignment, *fields: str) -> None:
    """Store these fields of the assignment, if its text is still shown: read after the assignment was locked, so
    that it includes what `moderating.confirm` wrote.
    """
    if not SHOWN.filter(pk=assignment.pk).update(**{name: getattr(assignment, name) for name in fields}):
        raise Withdrawn


def _same(stored: Stored, assignment: Assignment, is_same: bool) -> Stored:
    if stored.assignment_id != assignment.pk or not is_same:
        raise _reused()
    return stored


def _reused() -> KeyReused:
    return KeyReused(_("This answer differs from one that was sent before under the same key."))


def _must_accept(own: Own) -> None:
    if own.assignment.released_at is not None:
        raise NotFound
    must_accept(own.expert.study)
    if own.assignment.instance.withdrawn_at is not None:
        raise Withdrawn


def _must_be_shown(assignment: Assignment) -> None:
    """The same as in `_change`, where the assignment does not change."""
    if Instance.objects.filter(pk=assignment.instance_id, withdrawn_at__isnull=False).exists():
        raise Withdrawn


def must_accept(study: Study) -> None:
    """Raises NotAccepting unless the study is taking answers."""
    if not study.accepts_responses:
        raise NotAccepting(_("The study is not accepting answers at the moment."), state=study.state)


def _answer(response: PreferenceResponse) -> tuple[bool, bool, float | None]:
    return response.a_chosen, response.b_chosen, response.certainty
