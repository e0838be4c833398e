"""The three people of a demo, one for each role, for visitors to step into."""

from __future__ import annotations

from annotations.models import Membership, Role, User
from annotations.people.access.roles import Roles, change_roles
from annotations.storing.mail_addresses import OF_DEMO

EMAILS = {Role(role): email for role, email in OF_DEMO.items()}


def make_people() -> dict[Role, User]:
    """The demo's people, created if missing, without a password (`logins` gives them one)."""
    return {role: _person(role, email) for role, email in EMAILS.items()}


def memberships() -> dict[Role, Membership]:
    """Who has which role in the first study of the demo loaded here; empty if there is none."""
    found = Membership.objects.filter(user__email__in=EMAILS.values(), user__is_active=True, is_active=True)
    first: dict[Role, Membership] = {}
    for member in found.select_related("user", "study__dataset").order_by("study_id"):
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
