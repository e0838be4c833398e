"""What people can do with their own account: change its name, language and password, or close it."""

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.models import EventKind, Membership, Role, User
from annotations.people.access import roles, tokens
from annotations.people.invitations.arrivals import must_do
from annotations.people.membership import leaving


class OnlyAdmin(Conflict):
    """These studies would be left without an admin; `data["studies"]` names them."""

    code = "only_admin"


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
