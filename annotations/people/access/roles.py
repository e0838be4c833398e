"""Who has an account, and what a person may do on the installation (import datasets, create studies, administer)."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.models import EventKind, Invitation, Membership, Session, User, with_second_factor
from annotations.people.access import tokens

PERMISSIONS = {"can_import": "add_dataset", "can_create_studies": "add_study"}
"""Each of these roles is a Django permission on one of our models."""
ROLES = {
    "admin": Q(is_superuser=True),
    "may_import": Q(imports=True),
    "may_create": Q(creates=True),
    "closed": Q(is_active=False),
}


class OwnAdministration(Conflict):
    """Admins cannot take administration or the account from themselves: a mistake would lock them out."""


class PersonErased(Conflict):
    """Nothing names the person any more, so nobody can be let in as them."""


class LastAdmin(Conflict):
    """Without an admin nobody could grant a role any more."""


@dataclass(frozen=True, slots=True)
class Roles:
    """What to change; None leaves a role as it is."""

    can_import: bool | None = None
    can_create_studies: bool | None = None
    is_admin: bool | None = None

    @property
    def asked(self) -> dict[str, bool]:
        named = {name: getattr(self, name) for name in ("can_import", "can_create_studies", "is_admin")}
        return {name: value for name, value in named.items() if value is not None}


@transaction.atomic
def change_roles(*, user: User, roles: Roles, actor: User | None = None) -> User:
    """Grant or revoke a person's roles on the installation. What is already so changes nothing.

    Raises:
        OwnAdministration: the actor would stop administering.
        LastAdmin: nobody would be left to administer.
    """
    user = locked(user, admins=roles.is_admin is not None)
    changed = {name: value for name, value in roles.asked.items() if value != _own(user)[name]}
    if changed.get("is_admin") is False:
        _may_stop(user, actor)
    for name, value in changed.items():
        if name == "is_admin":
            user.is_superuser = user.is_staff = value
            user.save(update_fields=["is_superuser", "is_staff"])
        else:
            _permit(user, PERMISSIONS[name], value)
    if changed:
        events.record(EventKind.ROLES_CHANGED, actor=actor, person=user.pk, roles=changed)
    return User.objects.get(pk=user.pk)  # Django caches permissions on the object


@transaction.atomic
def change_person(
    *, user: User, actor: User | None = None, name: str | None = None, is_active: bool | None = None, **wanted: bool
) -> User:
    """Change what an admin may change about a person, all of it or nothing. Raises what the single changes raise."""
    if name is not None:
        User.objects.filter(pk=user.pk).update(name=name.strip())
    user = change_roles(user=user, roles=Roles(**wanted), actor=actor)
    if is_active is False:
        return close_account(user=user, actor=actor)
    return reopen_account(user=user, actor=actor) if is_active else user


@transaction.atomic
def close_account(*, user: User, actor: User | None = None, themselves: bool = False) -> User:
    """From now on nobody can sign in as this person: sessions and tokens end. Their answers stay.

    Args:
        themselves: the person closes their own account, and was asked for the password.

    Raises:
        OwnAdministration, LastAdmin: an admin would close their own account, or the last admin's.
    """
    user = locked(user, admins=True)
    if not user.is_active:
        return user
    if user.is_superuser:
        _may_stop(user, None if themselves else actor)
    user.is_active = False
    user.save(update_fields=["is_active"])
    end_sessions(user=user)
    tokens.revoke_all(user=user, actor=actor)
    events.record(EventKind.ACCOUNT_CLOSED, actor=actor, person=user.pk)
    return user


@transaction.atomic
def reopen_account(*, user: User, actor: User | None = None) -> User:
    """Let the person sign in again with their old password. Ended sessions and tokens stay ended."""
    user = locked(user)
    if user.erased_at is not None:
        raise PersonErased(_("This person was erased. Invite them again; they will get a new account."))
    if not user.is_active:
        user.is_active = True
        user.save(update_fields=["is_active"])
        events.record(EventKind.ACCOUNT_REOPENED, actor=actor, person=user.pk)
    return user


def end_sessions(*, user: User) -> None:
    """End all sessions of a person, wherever they are signed in."""
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    Session.objects.filter(user=user).delete()
    user.refresh_from_db(fields=["sessions_ended"])


def give_invited(*, invitation: Invitation, user: User) -> None:
    """Grant what an accepted invitation promises, if its maker may still grant it. It takes nothing away."""
    roles = Roles(
        can_import=invitation.may_import or None,
        can_create_studies=invitation.may_create or None,
        is_admin=invitation.may_administer or None,
    )
    maker = invitation.created_by
    if roles.asked and (maker is None or (maker.is_superuser and maker.is_active)):
        change_roles(user=user, roles=roles, actor=maker)


def _own(user: User) -> dict[str, bool]:
    """The person's own roles, excluding what admins may do merely by being admins."""
    held = set(user.user_permissions.filter(content_type__app_label="annotations").values_list("codename", flat=True))
    return {name: codename in held for name, codename in PERMISSIONS.items()} | {"is_admin": user.is_superuser}


def locked(user: User, *, admins: bool = False) -> User:
    """Lock the person and, with `admins`, all admins, so that two cannot remove each other at once.

    All of them at once, in one order: who holds one of them already would wait for somebody who waits for that one.
    """
    people_to_lock = Q(pk=user.pk) | Q(is_superuser=True) if admins else Q(pk=user.pk)
    held = {person.pk: person for person in User.objects.select_for_update().filter(people_to_lock).order_by("pk")}
    return held[user.pk]


def _may_stop(user: User, actor: User | None) -> None:
    if user == actor:
        raise OwnAdministration(_("You cannot remove your own admin role. Ask another admin to do it."))
    if not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise LastAdmin(_("This is the only admin. Make somebody else an admin first."))


def _permit(user: User, codename: str, granted: bool) -> None:
    permission = Permission.objects.get(content_type__app_label="annotations", codename=codename)
    if granted:
        user.user_permissions.add(permission)
    else:
        user.user_permissions.remove(permission)


def people(*, search: str = "", role: str = "") -> QuerySet[User]:
    """The people, by name, with `imports`, `creates`, `has_second_factor` and `studies`; filtered by part of a name or
    address, or by role.
    """
    simulated = Membership.objects.filter(user=OuterRef("pk"), is_simulated=True)
    users: QuerySet[User] = (
        User.objects.filter(~Exists(simulated))
        .annotate(
            imports=_may("add_dataset"),
            creates=_may("add_study"),
            has_second_factor=ExpressionWrapper(with_second_factor(), output_field=BooleanField()),
            studies=Count("memberships", filter=Q(memberships__is_active=True)),
        )
        .order_by(F("is_active").desc(), Coalesce("name", Value("")), "email")
    )
    if search:
        users = users.filter(Q(email__icontains=search) | Q(name__icontains=search))
    return users.filter(ROLES[role]) if role in ROLES else users


def _may(codename: str) -> "ExpressionWrapper[Any]":
    """Whether a person has a permission: as an admin, directly, or through a group."""
    held = Permission.objects.filter(content_type__app_label="annotations", codename=codename)
    own = Exists(held.filter(user=OuterRef("pk")))
    by_group = Exists(held.filter(group__user=OuterRef("pk")))
    return ExpressionWrapper(Q(is_superuser=True) | Q(own) | Q(by_group), output_field=BooleanField())
