"""Leave a study and come back. Nothing is deleted.

People who leave stop answering, and somebody else gets what they have not answered. Their answers stay or are left out
of every export and analysis from then on, as the study says and as they agreed, without exceptions. Answers left
out count as not given, so each gets a fresh place; people who come back have them again.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.designing.pairing import BATCH
from annotations.designing.reassigning import free_places
from annotations.ground.errors import Conflict, NotFound
from annotations.history import events
from annotations.history.looks import admit
from annotations.models import (
    Assignment,
    Consent,
    Event,
    EventKind,
    Invitation,
    LabelResponse,
    Leaving,
    Membership,
    Report,
    Role,
    Study,
    User,
)
from annotations.people.access.roles import PersonErased


class LastStudyAdmin(Conflict):
    """Without an admin, nobody could manage the study any more."""


@transaction.atomic
def leave(*, member: Membership, actor: User | None = None) -> Membership:
    """Remove a person from the study. A person who has already left stays out.

    Raises:
        LastStudyAdmin: it is the study's only admin.
    """
    study, member = hold(member)
    if member.is_pending:
        return _withdraw(study, member, actor)
    if not member.is_active:
        return member
    refuse_last_admin(study, member)
    now = timezone.now()
    left_out = member.role == Role.EXPERT and study.leaving == Leaving.LEFT_OUT
    freed, given_up = 0, list[Assignment]()
    if member.role == Role.EXPERT:
        freed, others = free_untouched(member)
        given_up = [assignment for assignment in others if left_out or assignment.completed_at is None]
    member.is_active, member.left_at, member.answers_left_out = False, now, left_out
    member.save(update_fields=["is_active", "left_at", "answers_left_out"])
    release(given_up, now)
    _record_leaving(study, member, actor, freed=freed, given_up=len(given_up), answers_left_out=left_out)
    return member


@transaction.atomic
def leave_oneself(*, user: User, slug: str) -> Membership:
    """An expert leaves. Raises NotFound: the user is not an active expert in such a study."""
    mine = Membership.objects.experts().filter(user=user, study__slug=slug, is_active=True).first()
    if mine is None:
        raise NotFound
    return leave(member=mine, actor=user)


@transaction.atomic
def come_back(*, member: Membership, actor: User | None = None) -> Membership:
    """Ask a person who has left to come back, in their old role: nobody takes part by somebody else's act.

    Simulated experts cannot be asked, and people at the machine's shell need not ask; they are back at once.

    Raises:
        PersonErased; KnowsTheSides, AnswersTheseTexts: see `looks.admit`.
    """
    study, member = hold(member)
    if member.is_active or member.is_pending:
        return member
    if member.user.erased_at is not None:
        raise PersonErased(_("This person was erased. Invite them again; they will get a new account."))
    if actor is None or actor.pk == member.user_id or member.is_simulated:
        return begin_role(study=study, member=member, actor=actor)
    admit(user=member.user, study=study, role=Role(member.role))
    member.is_pending = True
    member.save(update_fields=["is_pending"])
    events.record(EventKind.MEMBER_RETURNED, actor=actor, study=study, number=member.number, pending=True)
    return member


@transaction.atomic
def accept_role(*, user: User, slug: str) -> Membership:
    """A person takes the role that somebody gave them in a study.

    Raises:
        NotFound: there is none that waits for their yes.
        KnowsTheSides, AnswersTheseTexts: see `looks.admit`.
    """
    study, member = hold(_offered(user, slug))
    return begin_role(study=study, member=member, actor=user) if member.is_pending else member


@transaction.atomic
def decline_role(*, user: User, slug: str) -> Membership:
    """A person does not take the role that somebody gave them. Raises NotFound, as `accept_role` does."""
    return leave(member=_offered(user, slug), actor=user)


def _offered(user: User, slug: str) -> Membership:
    offered = Membership.objects.filter(user=user, study__slug=slug, is_pending=True).first()
    if offered is None:
        raise NotFound
    return offered


def begin_role(*, study: Study, member: Membership, actor: User | None) -> Membership:
    """Let a member take part from now on; both are locked. Answers that were left out count again.

    Somebody else may by now have what they had not answered; they get what is free, like everyone else.
    """
    if not member.is_simulated:
        admit(user=member.user, study=study, role=Role(member.role))
    restored = _restore(member) if member.answers_left_out else 0
    was_here = member.left_at is not None
    member.is_active, member.is_pending, member.left_at, member.answers_left_out = True, False, None, False
    member.save(update_fields=["is_active", "is_pending", "left_at", "answers_left_out"])
    data = {"restored": restored} if was_here else {"accepted": True}
    events.record(EventKind.MEMBER_RETURNED, actor=actor, study=study, number=member.number, **data)
    return member


def _withdraw(study: Study, member: Membership, actor: User | None) -> Membership:
    """End an offer of a role, declined or taken back. Who had left has left as before; others were never there."""
    member.is_pending = False
    member.save(update_fields=["is_pending"])
    _record_leaving(study, member, actor, pending=True)
    return member


def _record_leaving(study: Study, member: Membership, actor: User | None, **data: Any) -> None:
    themselves = actor is not None and actor.pk == member.user_id
    events.record(EventKind.MEMBER_LEFT, actor=actor, study=study, number=member.number, themselves=themselves, **data)


def hold(member: Membership) -> tuple[Study, Membership]:
    """The study and the member, locked in the same order as for assigning places, and read again."""
    # Not the key: skipping a text creates a place, which refers to the study, while its expert is locked.
    study = Study.objects.select_for_update(no_key=True).get(pk=member.study_id)
    return study, Membership.objects.select_for_update().get(pk=member.pk)


def refuse_last_admin(study: Study, member: Membership) -> None:
    """Raises LastStudyAdmin if nobody would administer the study without this member; the study is locked."""
    others = study.memberships.filter(role=Role.ADMIN, is_active=True, user__is_active=True).exclude(pk=member.pk)
    if member.role == Role.ADMIN and not others.exists():
        raise LastStudyAdmin(_("This is the study's only admin. Make somebody else an admin first."))


def free_untouched(member: Membership) -> tuple[int, list[Assignment]]:
    """Give back what the member has not begun; returns how many places, and the places they have begun or answered."""
    rows = list(
        member.assignments.filter(released_at=None)
        .select_related("expert", "comparison")
        .order_by("pk")
        .select_for_update(of=("self",))
    )
    touched = _touched(rows)
    untouched = [assignment for assignment in rows if assignment.pk not in touched and assignment.repeat_of_id is None]
    free_places(untouched)
    freed = {assignment.pk for assignment in untouched}
    return len(untouched), [assignment for assignment in rows if assignment.pk not in freed]


def _touched(rows: Sequence[Assignment]) -> set[int]:
    """Places that were begun: shown, answered in step 1, or reported."""
    keys = [assignment.pk for assignment in rows]
    # Whatever is completed was shown.
    touched = {assignment.pk for assignment in rows if assignment.comparison_shown_at is not None}
    for model in (LabelResponse, Report):
        touched |= set(model._default_manager.filter(assignment__in=keys).values_list("assignment", flat=True))
    return touched


def release(places: Sequence[Assignment], now: datetime) -> None:
    """Give places up, and make a fresh one for each that needs it, as for a skipped text."""
    Assignment.objects.filter(pk__in=[assignment.pk for assignment in places]).update(released_at=now)
    same = Assignment.objects.filter(
        comparison=OuterRef("comparison"), place=OuterRef("place"), released_at=None, is_pilot=False
    )
    gone = Assignment.objects.filter(~Exists(same), pk__in=[assignment.pk for assignment in places], repeat_of=None)
    fresh = {
        (assignment.comparison_id, assignment.place): Assignment(
            study_id=assignment.study_id,
            comparison_id=assignment.comparison_id,
            instance_id=assignment.instance_id,
            place=assignment.place,
            places=assignment.places,
        )
        for assignment in gone
    }
    Assignment.objects.bulk_create(fresh.values(), batch_size=BATCH)


def _restore(member: Membership) -> int:
    """Count answers again that were left out when the member left: in their old place or, if that is taken, a new
    one.
    """
    answered = list(
        member.assignments.filter(released_at=member.left_at, completed_at__isnull=False)
        .order_by("pk")
        .select_for_update(of=("self",))
    )
    here = Q(comparison__in=[answer.comparison_id for answer in answered])
    fresh = _fresh_places(here)
    main_needs_it = member.study.opened_at is not None
    given_back = [
        fresh[key]
        for answer in answered
        if (key := (answer.comparison_id, answer.place)) in fresh and not (answer.is_pilot and main_needs_it)
    ]
    Assignment.objects.filter(pk__in=given_back).delete()
    taken = set(Assignment.objects.filter(here, released_at=None).values_list("comparison", "place", "is_pilot"))
    last = dict(Assignment.objects.filter(here).order_by().values_list("comparison").annotate(Max("place")))
    for answer in answered:
        answer.released_at = None
        if (answer.comparison_id, answer.place, answer.is_pilot) in taken:
            last[answer.comparison_id] += 1
            answer.place = last[answer.comparison_id]
            answer.places = max(answer.places, answer.place + 1)
    Assignment.objects.bulk_update(answered, ["released_at", "place", "places"], batch_size=BATCH)
    return len(answered)


def _fresh_places(here: Q) -> dict[tuple[int, int], int]:
    """Places not taken yet, by comparison and place."""
    free = Assignment.objects.filter(here, expert=None, released_at=None, is_pilot=False).order_by("pk")
    return {
        (assignment.comparison_id, assignment.place): assignment.pk
        for assignment in free.select_for_update(of=("self",))
    }


def former_studies(user: User) -> list[Any]:
    """The memberships of this person that have ended, the latest first. Three queries, however many there are.

    `by_themselves`: whether they left; otherwise somebody removed them. `answers`: how many of their answers are
    stored, counted or left out. `agreed_to`, `agreed_at`: their last consent; None if they never gave one. `contact`:
    who invited them, or else the first admin; None if the study has none.
    """
    own_leaving = Event.objects.filter(
        kind=EventKind.MEMBER_LEFT,
        study=OuterRef("study"),
        actor=OuterRef("user"),
        data__themselves=True,
        # Leaving stores the time first; an earlier event is of an earlier time that they left and came back.
        at__gte=OuterRef("left_at"),
    )
    answers = Assignment.objects.answered().filter(expert=OuterRef("pk")).order_by().values("expert")
    consents = Consent.objects.filter(study=OuterRef("study"), user=OuterRef("user")).order_by("-at", "-pk")
    rows: list[Any] = list(
        Membership.objects.ended()
        .filter(user=user)
        .select_related("study")
        .annotate(
            by_themselves=Exists(own_leaving),
            answers=Coalesce(Subquery(answers.values(count=Count("pk"))), 0),
            agreed_to=Subquery(consents.values("text")[:1]),
            agreed_at=Subquery(consents.values("at")[:1]),
        )
        .order_by("-left_at", "pk")
    )
    _add_contacts(rows, user)
    return rows


def _add_contacts(rows: list[Any], user: User) -> None:
    studies = [row.study_id for row in rows]
    admins = Membership.objects.filter(study__in=studies, role=Role.ADMIN, is_active=True, user__is_active=True)
    contacts: dict[int, dict[int, User]] = {}
    for admin in admins.select_related("user").order_by("number"):
        contacts.setdefault(admin.study_id, {})[admin.user_id] = admin.user
    used = Invitation.objects.filter(study__in=studies, user=user, used_at__isnull=False).order_by("used_at")
    inviters = {study: inviter for study, inviter in used.values_list("study", "created_by") if inviter is not None}
    for row in rows:
        admins_here = contacts.get(row.study_id, {})
        inviter = inviters.get(row.study_id, 0)
        row.contact = admins_here.get(inviter) or next(iter(admins_here.values()), None)
