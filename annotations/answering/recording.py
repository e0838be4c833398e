"""Take an answer from an expert's page, and say what comes next, in one transaction: two requests for each text.

Step 2 is sent in response to step 1, together with the text *after* this one, at its step 1. So the page can show that
text from the moment that step 2 is answered, whatever the connection does.

Answers are idempotent by the browser's key, append-only, one lock first. Sending twice changes nothing: the same key
with the same content gets the same response as the first time, whatever has happened since. The same key with different
content is a bug in the sender and is refused, and so is a different answer from a second tab: nothing is overwritten
silently.
"""

import math
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NotRequired, TypedDict, TypeVar, Unpack

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.answering.assigning import Handed, hand, load_sides
from annotations.answering.experts import NOT_SAID, PageSeen, answered_under, expert_of, label_set
from annotations.answering.progress import ExpertProgress, ExpertWorkload
from annotations.answering.turns import GIVEN, Turns
from annotations.ground.errors import Conflict, HLVError, NotFound, Withdrawn
from annotations.history import events
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
    Study,
    StudyState,
    Task,
    User,
)

Stored = TypeVar("Stored", LabelResponse, PreferenceResponse, Report)


class KeyReused(Conflict):
    """The key was already used to store something else."""

    def __init__(self) -> None:
        super().__init__(_("This answer differs from one that was sent before under the same key."))


class NotAccepting(Conflict):
    """The study is not accepting answers at the moment."""


class StepLocked(Conflict):
    """Step 2 has been shown, so step 1 can no longer change."""


class Step1Missing(Conflict):
    """Step 2 cannot be answered before step 1."""

    code = "step_1_missing"


class AlreadyAnswered(Conflict):
    """The assignment already has a different answer."""


class CorrectionClosed(Conflict):
    """The expert has guessed which side was the human one, so the answer can no longer change."""

    def __init__(self) -> None:
        super().__init__(_("You have since guessed about this text, so your answer stays as it is."))


class IdenticalSides(HLVError):
    """Both sides look the same, but the answer prefers one."""


class InvalidCertainty(HLVError):
    """Not a number from 0 to 1."""


class UnknownLabel(HLVError):
    """A label that the label set does not have."""


class ExclusiveLabel(HLVError):
    """The exclusive label was chosen together with others."""


class OneLabelOnly(HLVError):
    """More than one label was chosen where a text has exactly one."""


class NothingChosen(HLVError):
    """No label was chosen, where "none" has its own label or exactly one is required."""


SHOWN = Assignment.objects.filter(
    Exists(Instance.objects.filter(pk=OuterRef("instance"), withdrawn_at=None))
).order_by()
OWN = Assignment.objects.select_related("instance", "comparison").order_by()


@dataclass(frozen=True, slots=True)
class Own:
    """An expert's assignment and where the expert stands; their transaction holds both."""

    assignment: Any
    workload: ExpertWorkload

    @property
    def expert(self) -> Any:
        return self.workload.expert

    @property
    def is_welcome(self) -> bool:
        """Whether a first answer would be stored. Only if not is it looked up whether it was stored before: the
        database itself refuses a key that is taken (`key_used_once`).
        """
        assignment = self.assignment
        is_there = assignment.released_at is None and assignment.instance.withdrawn_at is None
        return is_there and self.expert.study.accepts_responses


class PreferenceGiven(TypedDict):
    """An answer to step 2, as a page sends it."""

    key: uuid.UUID
    a_chosen: bool
    b_chosen: bool
    certainty: float | None
    active_ms: NotRequired[int | None]
    seen: NotRequired[PageSeen]


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
            raise KeyReused from None
        raise


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
        What `record_labels` raises; NotFound and Withdrawn also for labels that were stored before.
    """
    with key_used_once(LabelResponse, key):
        own = own_of(user, token)
        response = record_labels(own, key=key, labels=labels, active_ms=active_ms, seen=seen)
        assignment = own.assignment
        if assignment.released_at is not None:
            raise NotFound
        following = hand(own.workload, after=token, is_open=assignment.completed_at is None)
        if assignment.instance.withdrawn_at is not None:
            raise Withdrawn
        load_sides(assignment)
    step_2 = replace(following, assignment=assignment, finished="", labels=list(response.labels), more=0)
    return LabelsTaken(response, own.expert.instrument_version, step_2, following)


def submit_preference(
    *, user: User, token: uuid.UUID, ahead: uuid.UUID | None = None, **answer: Unpack[PreferenceGiven]
) -> Taken:
    """Store step 2 and hand out what comes next, unless the page says that it has something `ahead`.

    Raises:
        What `record_preference` raises.
    """
    with key_used_once(PreferenceResponse, answer["key"]):
        own = own_of(user, token)
        response = record_preference(own, **answer)
        following = hand(own.workload, after=token) if ahead is None else None
        progress = own.workload.progress() if following is None else following.progress
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
    """Store a report. With `skip`, the expert gives the assignment back, a fresh place is made for somebody else, and
    what comes next is handed out, unless the page says that it has something `ahead`.

    Raises:
        NotFound, KeyReused, NotAccepting, Withdrawn, AlreadyAnswered (a completed assignment cannot be given back).
    """
    own = own_of(user, token)
    stored = Report.objects.filter(key=key).first()
    if stored is not None:
        is_same = (stored.reason, stored.text, stored.skipped) == (reason, text, skip)
        report = _same(stored, own.assignment, is_same)
    else:
        report = _new_report(own, user=user, key=key, reason=reason, text=text, skip=skip)
    following = hand(own.workload, after=token) if skip and ahead is None else None
    progress = own.workload.progress() if following is None else following.progress
    return Taken(report, progress, own.expert.instrument_version, following)


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
    Turns.counted(expert, own.workload.tally).next(assignment.comparison).give(assignment)
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
    to annotations/answering/past_answers.py.

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


def _new_report(own: Own, *, user: User, key: uuid.UUID, reason: ReportReason, text: str, skip: bool) -> Report:
    assignment = own.assignment
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


def check_labels(chosen: Iterable[int], labels: Sequence[Label], *, task: str) -> list[int]:
    """The chosen positions, ascending, if they may be chosen together.

    An empty choice is allowed only if any number of labels may be chosen and none is exclusive: an exclusive label
    ("Not a legal issue") is the way to say that none applies.

    Raises:
        UnknownLabel, ExclusiveLabel, OneLabelOnly, NothingChosen.
    """
    positions = sorted(set(chosen))
    by_position = {label.position: label for label in labels}
    unknown = [position for position in positions if position not in by_position]
    if unknown:
        raise UnknownLabel(_("One of the chosen labels does not belong to this study."), labels=unknown)
    if task != Task.MULTILABEL and len(positions) > 1:
        raise OneLabelOnly(_("Please choose exactly one label."))
    exclusive = any(by_position[position].exclusive for position in positions)
    if exclusive and len(positions) > 1:
        raise ExclusiveLabel(
            _("One of these labels cannot be combined with others. Please choose it alone, or leave it out.")
        )
    if not positions and (task != Task.MULTILABEL or any(label.exclusive for label in labels)):
        raise NothingChosen(_("Please choose at least one label."))
    return positions


def check_certainty(certainty: float | None) -> None:
    """Raises InvalidCertainty unless it is missing or a number in [0, 1]."""
    if certainty is not None and not (math.isfinite(certainty) and 0 <= certainty <= 1):
        raise InvalidCertainty(_("Certainty is a number from 0 to 1."))


def own_of(user: User, token: uuid.UUID) -> Own:
    """The expert's own assignment, even if released: a report sent twice must find it. Both are locked, the expert
    first (assigning.py), so that turns are given and answers stored one at a time.
    """
    expert = expert_of(user, lock=True, assignments__token=token)
    return Own(lock_own(expert, token), ExpertWorkload(expert))


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
        raise KeyReused
    return stored


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
