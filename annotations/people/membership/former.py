"""What people read of studies that they left or were removed from: when, by whom, their answers, and whom to ask."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotations.models import Assignment, Consent, Event, EventKind, Invitation, Membership, Role, User


@dataclass(frozen=True, slots=True)
class Contact:
    """An admin of the study who is still there."""

    name: str
    email: str


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
    contacts: dict[int, dict[int, Contact]] = {}
    for admin in admins.select_related("user").order_by("number"):
        contacts.setdefault(admin.study_id, {})[admin.user_id] = Contact(admin.user.name, admin.user.email)
    used = Invitation.objects.filter(study__in=studies, user=user, used_at__isnull=False).order_by("used_at")
    inviters = {study: inviter for study, inviter in used.values_list("study", "created_by") if inviter is not None}
    for row in rows:
        admins_here = contacts.get(row.study_id, {})
        inviter = inviters.get(row.study_id, 0)
        row.contact = admins_here.get(inviter) or next(iter(admins_here.values()), None)
