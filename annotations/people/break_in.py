"""Somebody else was in an account: everything that opens it, or was given away in its name, ends at once."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.history import events
from annotations.models import (
    ApiToken,
    Event,
    EventKind,
    Identity,
    Invitation,
    LinkPurpose,
    Passkey,
    SecondFactor,
    Session,
    Study,
    User,
)
from annotations.people.access import roles, tokens
from annotations.people.invitations import inviting
from annotations.people.invitations.arrivals import WeakPassword, must_do
from annotations.people.sign_in import provider_sign_in, second_factor

MOST_SIGN_INS = 20


@dataclass(frozen=True, slots=True)
class Openings:
    """How many of each there are that open an account, or that were given away in its person's name."""

    sessions: int
    tokens: int
    links: int
    """Open links for a new password, and open invitations that the person sent."""
    passkeys: int
    apps: int
    providers: int


def openings(user: User) -> Openings:
    """What `end` would end."""
    return Openings(
        sessions=Session.objects.of(user).count(),
        tokens=ApiToken.objects.visible_to(user).working(timezone.now()).count(),
        links=_links(user).count(),
        passkeys=Passkey.objects.filter(user=user).count(),
        apps=SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).count(),
        providers=Identity.objects.filter(user=user).count(),
    )


def sign_ins(user: User) -> QuerySet[Event]:
    """The person's latest sign-ins, the newest first."""
    return Event.objects.filter(kind=EventKind.SIGNED_IN, actor=user).order_by("-at", "-pk")[:MOST_SIGN_INS]


@transaction.atomic
def end(*, user: User, password: str) -> Openings:
    """End all of them, and let the person in again with a new password only; returns what ended.

    Whoever had a second factor has to set up a new one when they sign in. Their role, their studies and their answers
    stay as they are.

    Raises:
        WeakPassword: the new password is weak, or the old one.
    """
    must_do(password, user)
    if user.check_password(password):
        reason = _("This is your current password. Please choose another one.")
        raise WeakPassword(_("Please choose another password."), password=[reason])
    links = _end_links(user)  # which lock studies, so they are first
    user = roles.locked(user)
    ended = openings(user)
    if second_factor.has_one(user):
        second_factor.turn_off(user=user, actor=user, end_tokens=False)
        user.second_factor_due = True
    if ended.providers:
        provider_sign_in.disconnect(user=user)
    tokens.revoke_all(user=user, actor=user)
    user.set_password(password)
    user.save(update_fields=["password", "second_factor_due"])
    events.record(EventKind.PASSWORD_CHANGED, actor=user, person=user.pk)
    roles.end_sessions(user=user)
    found = Openings(**{**asdict(ended), "links": links})
    events.record(EventKind.BREAK_IN, actor=user, person=user.pk, **asdict(found))
    return found


def _links(user: User) -> QuerySet[Invitation]:
    theirs = Q(created_by=user) | Q(user=user, purpose=LinkPurpose.ACCESS)
    return Invitation.objects.unsettled().filter(theirs, expires_at__gt=timezone.now())


def _end_links(user: User) -> int:
    """Revoke them, in a number of queries that does not grow with theirs."""
    studies = Study.objects.filter(pk__in=_links(user).values("study"))
    list(studies.select_for_update().order_by("pk").values_list("pk"))
    found = _links(user).select_related("study__dataset").defer("study__dataset__gold").order_by("pk")
    ended = list(found.select_for_update(of=("self",)))
    inviting.end_several(ended, actor=user)
    return len(ended)
