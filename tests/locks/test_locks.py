"""Every lock is one: while somebody else holds its row, the use case waits for it before it looks at anything else.

SQLite has one lock for everything, so that no test there can see one removed: these run on PostgreSQL.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from annotations.answering.assigning import next_assignment
from tests.locks.cases import CASES, Case
from tests.locks.erasing import ERASING
from tests.locks.holding import held, locks_in_the_code, waits_at
from tests.locks.training import TRAINING
from tests.locks.world import World, make_world

EVERY = [*CASES, *ERASING, *TRAINING]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Stored once for all, where another connection sees it: every test takes back what it did."""
    with django_db_blocker.unblock():
        made = make_world()
    yield made
    with django_db_blocker.unblock():
        call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=False)


@pytest.mark.postgresql
@pytest.mark.django_db
@pytest.mark.parametrize("case", EVERY, ids=lambda case: f"{case.function}-{case.model.__name__}")
def test_who_finds_it_held_waits(world: World, case: Case) -> None:
    rows = case.rows(world)
    with held(rows, firmly=case.firmly):
        statement = waits_at(lambda: case.act(world))
    assert statement, "it did not wait for anybody"
    assert f'FROM "{case.model._meta.db_table}"' in statement
    assert " FOR NO KEY UPDATE" in statement if case.firmly else " FOR UPDATE" in statement


@pytest.mark.postgresql
@pytest.mark.django_db
def test_a_place_that_somebody_is_just_taking_is_passed_over(world: World) -> None:
    first, second, *_ = world.free
    with held([first]):
        handed = next_assignment(user=world.experts[3].user, slug=world.study.slug)
    assert handed.assignment == second


def test_every_lock_of_the_code_is_tried_here() -> None:
    assert Counter(function for function, _ in {(case.function, case.model) for case in EVERY}) == locks_in_the_code()
