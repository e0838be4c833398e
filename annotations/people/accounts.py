"""What people can do with their own account: change its name, language and password, close it, or end a break-in."""

from dataclasses import asdict, dataclass, replace

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.models import (
    ApiToken,
    Event,
    EventKind,
    Identity,
    Invitation,
    LinkPurpose,
    Membership,
    Passkey,
    Role,
    SecondFactor,
    Session,
    Study,
    User,
)
from annotations.people.access import roles, tokens
from annotations.people.invitations import inviting
from annotations.people.invitations.arrivals import WeakPassword, must_do
from annotations.people.membership import leaving
from annotations.people.sign_in import provider_sign_in, second_factor

MOST_SIGN_INS = 20


class OnlyAdmin(Conflict):
    """These studies would be left without an admin; `data["studies"]` names them."""


def change_account(*, user: User, name: str | None = None, language: str | None = None) -> User:
    """Change what is given. An empty language means the browser's."""
    if name is not None:
        user.name = name.strip()
    if language is not None:
        user.language = language
    user.save(update_fields=["name", "language"])
    return user


@transaction.atomic
def change_password(*, user: User, password: str, end_tokens: bool = True) -> User:
    """Set a new password. It ends sessions elsewhere, which depend on a hash of the old one, and API tokens.

    Args:
        end_tokens: False: tokens stay valid.

    Raises:
        WeakPassword.
    """
    must_do(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    events.record(EventKind.PASSWORD_CHANGED, actor=user, person=user.pk)
    if end_tokens:
        tokens.revoke_all(user=user, actor=user)
    return user


@transaction.atomic
def close_own_account(*, user: User) -> User:
    """Leave all studies, each by its own rule, and close the account: sessions and tokens end.

    Raises:
        OnlyAdmin: a study would have no admin; LastAdmin: the installation would have none.
    """
    refuse_orphans(user)
    for member in user.memberships.filter(is_active=True).select_related("study").order_by("study_id"):
        leaving.leave(member=member, actor=user)
    return roles.close_account(user=user, actor=user, themselves=True)


def refuse_orphans(user: User) -> None:
    """Raises OnlyAdmin with every study that only this person administers. `leave` checks again, under its lock."""
    mine = Membership.objects.filter(role=Role.ADMIN, is_active=True)
    others = mine.filter(user__is_active=True).exclude(user=user)
    studies = [
        member.study.title
        for member in mine.filter(user=user).exclude(study__in=others.values("study")).select_related("study")
    ]
    if studies:
        named = ", ".join(f"“{title}”" for title in studies)
        raise OnlyAdmin(
            _("You are the only admin of {studies}. Make somebody else an admin there first.").format(studies=named),
            studies=studies,
        )


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
    """What `end_break_in` would end."""
    return Openings(
        sessions=Session.objects.of(user).count(),
        tokens=ApiToken.objects.visible_to(user).working(timezone.now()).count(),
        links=_open_links(user).count(),
        passkeys=Passkey.objects.filter(user=user).count(),
        apps=SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).count(),
        providers=Identity.objects.filter(user=user).count(),
    )


def sign_ins(user: User) -> QuerySet[Event]:
    """The person's latest sign-ins, the newest first."""
    return Event.objects.filter(kind=EventKind.SIGNED_IN, actor=user).order_by("-at", "-pk")[:MOST_SIGN_INS]


@transaction.atomic
def end_break_in(*, user: User, password: str) -> Openings:
    """Somebody else was in the account: end all that opens it or was given away in its name; returns what ended.

    The person gets in again with the new password only.

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
    ended = replace(ended, links=links)
    events.record(EventKind.BREAK_IN, actor=user, person=user.pk, **asdict(ended))
    return ended


def _open_links(user: User) -> QuerySet[Invitation]:
    theirs = Q(created_by=user) | Q(user=user, purpose=LinkPurpose.ACCESS)
    return Invitation.objects.unsettled().filter(theirs, expires_at__gt=timezone.now())


def _end_links(user: User) -> int:
    """Revoke them, in a number of queries that does not grow with theirs."""
    studies = Study.objects.filter(pk__in=_open_links(user).values("study"))
    list(studies.select_for_update().order_by("pk").values_list("pk"))
    open_links = _open_links(user).select_related("study__dataset").defer("study__dataset__gold").order_by("pk")
    ended = list(open_links.select_for_update(of=("self",)))
    inviting.end_several(ended, actor=user)
    return len(ended)
