"""Step into a role in the demo. The caller checks that this is a demo, and who may do so."""

from __future__ import annotations

from annotations.ground.errors import NotFound
from annotations.history import events
from annotations.models import EventKind, Membership, Role
from annotations.simulating.demo.people import memberships


def step_into(*, role: Role) -> Membership:
    """The demo's member with this role; stepping in is recorded as an event.

    Raises:
        NotFound: no demo is loaded here, or nobody in it has this role any more.
    """
    member = memberships().get(role)
    if member is None:
        raise NotFound
    events.record(EventKind.STEPPED_IN, actor=member.user, study=member.study, role=role.value)
    return member
