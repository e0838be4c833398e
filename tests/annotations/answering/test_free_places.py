"""The lowest free place comes first, also for whoever has had so many texts that not all are looked through again."""

import pytest

from annotations.answering import tally
from annotations.answering.assigning import next_assignment
from annotations.answering.free_places import lock_place
from annotations.models import Assignment, Membership, Study
from tests.worlds.answering import Page, complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(tally, "MANY", 2)
    monkeypatch.setattr(tally, "LOOKS_AGAIN", 3)
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


def test_it_begins_where_it_is_told(study):
    expert, other = begin_many(study)
    lowest = lock_place(expert, skip_locked=True)
    assert (lowest.place, lowest.comparison.position) == (0, 6)
    since = (1, study.comparisons.get(position=1).pk)
    assert [lock_place(one, skip_locked=True, since=since).comparison.position for one in (expert, other)] == [1, 2]
    assert lock_place(expert, skip_locked=True, since=(7, 0)) is None


def test_nothing_changes_as_long_as_nothing_is_given_back(study):
    expert, _ = begin_many(study)
    for _ in range(10):
        lowest = lock_place(expert, skip_locked=True)
        assert answer_next(expert).pk == lowest.pk
    expert.refresh_from_db()
    assert expert.tally["since"] is not None


def test_what_is_given_back_comes_after_a_few_texts_and_to_others_at_once(study):
    expert, other = begin_many(study)
    held = next_assignment(user=other.user, slug="study").assignment
    for _ in range(2):
        answer_next(expert)
    Page(other.user).report(str(held.token), skip=True)
    lowest = lock_place(expert, skip_locked=True)
    assert lowest.comparison_id == held.comparison_id
    taken = [answer_next(expert).pk for _ in range(tally.LOOKS_AGAIN + 1)]
    assert lowest.pk in taken


def test_it_is_found_when_there_is_nothing_above_it(study):
    expert, other = begin_many(study)
    held = next_assignment(user=other.user, slug="study").assignment
    while (place := lock_place(expert, skip_locked=True)) is not None and place.place == 0:
        answer_next(expert)
    left = [answer_next(expert) for _ in range(20 - expert.assignments.count())]
    assert expert.assignments.count() == 20
    assert held.comparison_id in {one.comparison_id for one in left}
