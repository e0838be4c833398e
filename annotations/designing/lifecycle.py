"""Move a study between its states, `draft -> pilot -> open <-> paused -> closed`, and add members."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotations.designing.instrument import keep_version
from annotations.designing.keys import key_of, phase_of
from annotations.designing.pairing import mark_identical
from annotations.designing.places.pilot_places import renew_places
from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.history.looks import admit
from annotations.models import EventKind, Membership, Role, Study, StudyState, User
from annotations.shown.plurals import filled, with_commas

# A draft may open without a pilot; a closed study stays closed, because its result may be published.
TRANSITIONS: dict[StudyState, set[StudyState]] = {
    StudyState.DRAFT: {StudyState.PILOT, StudyState.OPEN},
    StudyState.PILOT: {StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED},
    StudyState.OPEN: {StudyState.PAUSED, StudyState.CLOSED},
    StudyState.PAUSED: {StudyState.OPEN, StudyState.CLOSED},
    StudyState.CLOSED: set(),
}


study_opens = Signal()
"""Sent with `study` and `actor` in the transaction that first opens a study; an error stops the opening."""


class WrongTransition(Conflict):
    """The study cannot move from its current state to the requested one."""

    code = "wrong_transition"


class StudyArchived(Conflict):
    """The study is archived, so nothing in it can change."""

    code = "study_archived"


class AlreadyMember(Conflict):
    """The person has another role in the study: with more than one role per person the blinding would be lost."""

    code = "already_member"


def _refusal(before: StudyState, possible: Iterable[StudyState]) -> str:
    names = {
        StudyState.DRAFT: pgettext("state of a study", "Draft"),
        StudyState.PILOT: pgettext("state of a study", "Pilot"),
        StudyState.OPEN: pgettext("state of a study", "Open"),
        StudyState.PAUSED: pgettext("state of a study", "Paused"),
        StudyState.CLOSED: pgettext("state of a study", "Closed"),
    }
    then = [names[state] for state in StudyState if state in possible]
    if not then:
        return filled(_("The study's state is “{before}”, which is final."), before=names[before])
    return filled(
        _("The study's state is “{before}”. From there it can only become: {states}."),
        before=names[before],
        states=with_commas(then),
    )


@transaction.atomic
def change_state(*, study: Study, to: StudyState, actor: User | None = None) -> Study:
    """Move the study to the state `to`. A pilot or an open study needs a plan: without comparisons there is nothing to
    ask.

    When a phase begins, the key for its sides is made and its SHA-256 logged before anything is drawn with it.
    """
    # Not the key: skipping a text creates a place, which refers to the study, while its own place is locked.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    before = StudyState(study.state)
    if to == before:
        return study
    if study.archived_at is not None:
        raise StudyArchived(_("The study is archived. Restore it from the archive first."))
    if to not in TRANSITIONS[before]:
        raise WrongTransition(_refusal(before, TRANSITIONS[before]), state=before, to=to)
    if to in {StudyState.PILOT, StudyState.OPEN} and not study.comparisons.exists():
        raise WrongTransition(_("The study has no comparisons yet. Create its plan first."), state=before, to=to)
    if before == StudyState.DRAFT and study.comparisons.filter(identical=None).exists():
        mark_identical(study)  # planned before this was recorded, and not seen by anybody yet
    renewed = renew_places(study) if to == StudyState.OPEN and before != StudyState.DRAFT else 0
    study.state = to
    opens = to == StudyState.OPEN and study.opened_at is None
    if opens:
        study.opened_at = timezone.now()
    if to == StudyState.CLOSED:
        study.closed_at = timezone.now()
    study.save(update_fields=["state", "opened_at", "closed_at"])
    told: dict[str, Any] = {"before": before, "after": to} | ({"fresh_places": renewed} if renewed else {})
    events.record(EventKind.STATE_CHANGED, actor=actor, study=study, **told)
    if study.accepts_responses:
        key_of(study=study, phase=phase_of(study), actor=actor)
        keep_version(study)
    if opens:
        study_opens.send(sender=Study, study=study, actor=actor)
    return study


@transaction.atomic
def add_member(
    *,
    study: Study,
    user: User,
    role: Role,
    is_simulated: bool = False,
    is_pending: bool = False,
    actor: User | None = None,
) -> Membership:
    """Give a person a role in the study. Repeating it changes nothing; a different role is refused.

    `is_pending`: they have yet to accept it.

    Raises:
        AlreadyMember; KnowsTheSides, AnswersTheseTexts: see `looks.admit`.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    existing = Membership.objects.filter(study=study, user=user).first()
    if existing:
        if existing.role != role:
            raise AlreadyMember(
                _(
                    "{email} already has the role {role} in this study, and a person can have only one role in a study."
                ).format(email=user.email, role=existing.role),
                role=existing.role,
            )
        return existing
    if not is_simulated:
        admit(user=user, study=study, role=role)
    last = study.memberships.aggregate(last=Max("number"))["last"]
    membership = Membership.objects.create(
        study=study,
        user=user,
        role=role,
        number=0 if last is None else last + 1,
        is_simulated=is_simulated,
        is_active=not is_pending,
        is_pending=is_pending,
    )
    if is_simulated and not study.is_simulated:
        Study.objects.filter(pk=study.pk).update(is_simulated=True)
    told: dict[str, Any] = {"pending": True} if is_pending else {}
    events.record(EventKind.MEMBER_ADDED, actor=actor, study=study, number=membership.number, role=role, **told)
    return membership
