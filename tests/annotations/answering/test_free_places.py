"""The lowest free place comes first, whatever the expert has had, and what is given back goes to who comes next."""

import pytest

from annotations.answering.assigning import lock_place, next_assignment
from annotations.models import Assignment, Membership, Study
from tests.locks.noting import locks_noted
from tests.worlds.answering import Page, complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_open_study(dataset=make_dataset(instances=20, systems=1), experts=2, instances_per_system=20)


def answer_next(expert: Membership) -> Assignment:
    given = next_assignment(user=expert.user, slug="study").assignment
    assert given is not None
    complete(given)
    return given


def begin_many(study: Study) -> list[Membership]:
    """Two experts who have answered the first place of six comparisons together."""
    experts = list(study.memberships.experts().order_by("number"))
    Membership.objects.update(promised=20)
    for _ in range(3):
        for expert in experts:
            answer_next(expert)
    return experts


def test_the_lowest_place_comes_first_and_then_the_study_s_order(study: Study) -> None:
    expert, other = begin_many(study)
    lowest = lock_place(expert, skip_locked=True)
    assert lowest is not None
    assert (lowest.place, lowest.comparison.position) == (0, 6)
    study.assignments.free().filter(place=0).delete()
    again = [lock_place(one, skip_locked=True) for one in (expert, other)]
    assert [one and (one.place, one.comparison.position) for one in again] == [(1, 1), (1, 0)]


def test_what_is_given_back_comes_next_to_the_others_and_never_to_who_gave_it_back(study: Study) -> None:
    expert, other = begin_many(study)
    held = next_assignment(user=other.user, slug="study").assignment
    assert held is not None
    answer_next(expert)
    Page(other.user).report(str(held.token), skip=True)
    assert answer_next(expert).comparison_id == held.comparison_id
    while next_assignment(user=other.user, slug="study").assignment is not None:
        answer_next(other)
    had = other.assignments.filter(comparison=held.comparison_id)
    assert [one.released_at is not None for one in had] == [True]


def test_a_place_that_somebody_else_is_taking_is_waited_for_only_if_asked_to(study: Study) -> None:
    expert = study.memberships.experts()[0]
    with locks_noted() as locked:
        for skip_locked in (True, False):
            lock_place(expert, skip_locked=skip_locked)
    assert ["if free" in one for one in locked] == [True, False]
