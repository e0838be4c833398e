"""Step into a role of the demo. Whether this is a demo, and who may ask, is for the caller to know."""

from __future__ import annotations

from annotations import events
from annotations.errors import NotFound
from annotations.models import EventKind, Membership, Role
from annotations.simulating.demo.people import memberships


def step_into(*, role: Role) -> Membership:
    """The member of the demo who has this role, and an event that says so.

    Raises:
        NotFound: no demo is loaded here, or nobody has this role in it any more.
    """
    member = memberships().get(role)
    if member is None:
        raise NotFound
    events.record(EventKind.STEPPED_IN, actor=member.user, study=member.study, role=role.value)
    return member
