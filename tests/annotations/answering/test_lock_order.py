"""What a use case locks, and in which order: the expert before the place, the studies before the text and its places.

Whether a lock is one only PostgreSQL can say (tests/locks). Which are asked for, inside a transaction, can be read from
the statements on every database.
"""

import contextlib
import uuid
from collections.abc import Iterator

import pytest
from django.utils import timezone

from annotations.answering import assigning, moderating, past_answers, recording
from annotations.ground.errors import HLVError
from annotations.models import Assignment, Membership
from tests.locks import cases
from tests.locks.noting import locks_noted
from tests.locks.world import World, make_world
from tests.worlds.answering import in_hand

# In autocommit Django refuses to lock anything: so it is seen that every use case opens a transaction itself.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def locked(world: World) -> Iterator[list[str]]:
    with locks_noted() as tables:
        yield tables


def orders(world: World, locked: list[str], acts: dict[str, cases.Act]) -> dict[str, list[str]]:
    """What each of these acts locks, one act after the other."""
    found = {}
    for name, act in acts.items():
        locked.clear()
        with contextlib.suppress(HLVError):  # what is refused is refused after the lock
            act(world)
        found[name] = [*locked]
    return found


def test_experts_lock_themselves_before_a_place_that_they_are_given_or_shown(world, locked):
    acts = {
        "resume": cases.next_of(0),
        "claim": cases.next_of(3),
        "guess": cases.guess,
        "labels": cases.labels,
        "preference": cases.preference,
        "report": cases.report,
    }
    assert orders(world, locked, acts) == {
        "resume": ["membership alone"],
        "claim": ["membership alone", "assignment alone if free"],
        "guess": ["membership alone", "assignment alone"],
        "labels": ["membership alone", "assignment alone", "assignment alone if free"],
        "preference": ["membership alone", "assignment alone"],
        "report": ["membership alone", "assignment alone"],  # refused, since it is answered
    }


def test_admins_lock_the_studies_before_the_text_and_its_places_last(world, locked):
    acts = {
        "dismiss": lambda w: moderating.dismiss(report=w.report),
        "confirm": lambda w: moderating.confirm(report=w.report),
        "show again": lambda w: moderating.show_again(report=w.report),
    }
    assert orders(world, locked, acts) == {
        "dismiss": ["study firmly", "instance firmly"],
        "confirm": ["study firmly", "instance firmly", "assignment"],
        "show again": ["study firmly", "instance firmly"],
    }


def test_only_when_nothing_else_is_left_a_claim_waits_for_places_that_others_are_taking(world, locked):
    Membership.objects.filter(pk=world.experts[3].pk).update(promised=1)  # whom more was promised than there is now
    Assignment.objects.free().update(released_at=timezone.now())
    assert assigning.next_assignment(user=world.experts[3].user, slug="study").assignment is None
    assert locked == ["membership alone", "assignment alone if free", "assignment alone"]


def test_who_holds_a_place_waits_for_no_other(world, locked):
    """Not even for the last ones, which `next_assignment` then waits for."""
    Membership.objects.filter(pk=world.experts[0].pk).update(promised=99)
    Assignment.objects.free().update(released_at=timezone.now())
    mine = world.mine[0]
    both = {"user": world.experts[0].user, "token": mine.token}
    labels = recording.submit_labels(**both, key=uuid.uuid4(), labels=[0])
    assert (labels.next.assignment, labels.next.finished) == (None, "nothing_available")
    assert locked == ["membership alone", "assignment alone", "assignment alone if free"]


def test_who_only_looks_locks_nothing(world, locked):
    first, second = world.mine[:2]
    assert in_hand(user=world.experts[0].user, token=first.token).assignment == first
    assert past_answers.last_answered(user=world.experts[1].user, slug="study").assignment == second
    assert locked == []
