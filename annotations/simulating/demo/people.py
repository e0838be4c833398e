"""The three people of a demo, one for each role, for visitors to step into; their passwords, if they need any."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from annotations.ground.errors import NotFound
from annotations.history import events
from annotations.models import EventKind, Membership, Role, User
from annotations.people.access.roles import Roles, change_roles
from annotations.storing.mail_addresses import OF_DEMO

EMAILS = {Role(role): email for role, email in OF_DEMO.items()}


def make_people() -> dict[Role, User]:
    """The demo's people, created if missing, without a password (`logins` gives them one)."""
    return {role: _person(role, email) for role, email in EMAILS.items()}


def memberships() -> dict[Role, Membership]:
    """Who has which role in the first study of the demo loaded here; empty if there is none."""
    members = Membership.objects.filter(user__email__in=EMAILS.values(), user__is_active=True, is_active=True)
    first: dict[Role, Membership] = {}
    for member in members.select_related("user", "study__dataset").order_by("study_id"):
        role = Role(member.role)
        if member.user and member.user.email == EMAILS[role]:
            first.setdefault(role, member)
    return first


def loaded_people() -> dict[Role, User]:
    """The people of a demo loaded before; empty if there is none."""
    members = memberships()
    return {role: user for role in EMAILS if role in members and (user := members[role].user) is not None}


def _person(role: Role, email: str) -> User:
    user = User.objects.at(email)
    if user is None:
        user = User.objects.create_user(email, name=f"Demo {role}")
    if role != Role.EXPERT:
        change_roles(user=user, roles=Roles(can_import=True, can_create_studies=True))
    return user


def step_into(*, role: Role) -> Membership:
    """The demo's member with this role; stepping in is recorded. The caller checks that this is a demo, and who may.

    Raises:
        NotFound: no demo is loaded here, or nobody in it has this role any more.
    """
    member = memberships().get(role)
    if member is None:
        raise NotFound
    events.record(EventKind.STEPPED_IN, actor=member.user, study=member.study, role=role.value)
    return member


@dataclass(frozen=True, slots=True)
class Login:
    """What to type to sign in."""

    role: Role
    email: str
    password: str


def logins(people: dict[Role, User], *, file: Path, password: str | None = None) -> list[Login]:
    """A working login for each person.

    Args:
        file: where the passwords are kept between runs; readable only by its owner.
        password: give everybody this one (for tests); otherwise existing ones are reused and missing ones drawn.
    """
    stored = _read(file)
    passwords = {user.email: password or stored.get(user.email) or secrets.token_urlsafe(9) for user in people.values()}
    for user in people.values():
        if not (user.has_usable_password() and user.check_password(passwords[user.email])):
            user.set_password(passwords[user.email])
            user.save(update_fields=["password"])
    if stored != passwords:
        _write(file, passwords)
    return [Login(role, user.email, passwords[user.email]) for role, user in people.items()]


def _read(file: Path) -> dict[str, str]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(file: Path, passwords: dict[str, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(passwords, out)
    unfinished.replace(file)
