"""A study's plan is its own: another study on the same texts, with people of the same numbers, changes nothing."""

import pytest
from django.utils import timezone

from annotations import designing
from annotations.designing.applying import NotADraft, NotAnExpert
from annotations.designing.lifecycle import change_state
from annotations.models import Event, EventKind, Membership, StudyState
from tests.worlds.answering import complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_study, plan_and_open

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    return make_dataset(instances=6)


@pytest.fixture
def neighbour(dataset):
    """An open study with named assignments: all its experts have had all its texts."""
    study = make_study(dataset=dataset, slug="neighbour", assigning="named", experts_per_comparison=4, seed=9)
    for number in range(4):
        make_expert(study, f"neighbour{number}@example.org")
    return plan_and_open(study)


@pytest.fixture
def study(dataset, neighbour):
    """Six comparisons, two places each, and three experts."""
    study = make_study(dataset=dataset, experts=3)
    designing.apply_plan(study=study)
    return study


def places_of(study):
    return list(study.assignments.order_by("pk").values_list("pk", "expert", "position", "side_order"))


def test_planning_a_study_again_leaves_the_neighbours_plan(study, neighbour):
    before = places_of(neighbour), neighbour.comparisons.count()
    designing.change_settings(study=study, seed=77)
    assert not study.comparisons.exists()
    designing.apply_plan(study=study)
    assert (places_of(neighbour), neighbour.comparisons.count()) == before


def test_what_was_begun_next_door_keeps_no_plan_here_and_what_was_begun_here_does(study, neighbour):
    complete(neighbour.assignments.taken().order_by("position").first())
    designing.apply_plan(study=study)
    expert = study.memberships.experts().get(number=0)
    first = designing.least_covered(study=study, expert=expert, count=1)
    designing.assign_named(study=study, expert=expert, comparisons=first)
    designing.apply_plan(study=study)  # nobody has seen it
    assert not study.assignments.taken().exists()
    first = designing.least_covered(study=study, expert=expert, count=1)
    (given,) = designing.assign_named(study=study, expert=expert, comparisons=first)
    type(given).objects.filter(pk=given.pk).update(claimed_at=timezone.now())
    with pytest.raises(NotADraft):
        designing.apply_plan(study=study)


def test_what_is_taken_next_door_is_free_here(study, neighbour):
    expert = study.memberships.experts().get(number=0)
    free = designing.least_covered(study=study, expert=expert, count=10)
    assert [one.position for one in free] == list(range(6))
    given = designing.assign_named(study=study, expert=expert, comparisons=free[:2])
    assert [(one.study_id, one.place, one.position) for one in given] == [(study.pk, 0, 0), (study.pk, 0, 1)]
    event = Event.objects.get(kind=EventKind.ASSIGNED, study=study)
    assert event.data == {"expert": 0, "assignments": 2}


def test_sharing_out_fills_this_studys_places_and_counts_this_studys_loads(study, neighbour):
    before = places_of(neighbour)
    guest = make_expert(study, "guest@example.org")
    designing.assign_named(
        study=study, expert=guest, comparisons=designing.least_covered(study=study, expert=guest, count=3)
    )
    given = designing.share_places(study=study)
    assert given == {0: 3, 1: 3, 2: 3, guest.number: 0}
    assert not study.assignments.free().exists()
    assert places_of(neighbour) == before
    assert Event.objects.filter(kind=EventKind.ASSIGNED, study=study).first().data == {"experts": 4, "assignments": 9}


def test_the_overview_counts_this_studys_places_answers_and_people(study, neighbour):
    change_state(study=study, to=StudyState.OPEN)
    for place in neighbour.assignments.taken().filter(position=0):
        complete(place)
    found = designing.overview(study=study)
    assert found.is_applied
    assert [(row.number, row.assigned, row.completed) for row in found.experts] == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    assert [(row.instances, row.places, row.completed) for row in found.systems] == [(3, 6, 0), (3, 6, 0)]
    assert "6 comparisons with 12 places: 0 answered, 0 in progress, 12 free." in found.statement
    assert found.missing_experts == 0


def test_the_overview_says_what_each_has_and_who_is_missing(dataset):
    study = make_study(dataset=dataset, experts=3)
    designing.apply_plan(study=study)
    first, second, third = study.memberships.experts().order_by("number")
    designing.assign_named(
        study=study, expert=first, comparisons=designing.least_covered(study=study, expert=first, count=6)
    )
    change_state(study=study, to=StudyState.OPEN)
    complete(first.assignments.get(position=0))
    given_up = second.assignments.model.objects.free().filter(study=study).first()
    type(given_up).objects.filter(pk=given_up.pk).update(expert=second, position=0, released_at=timezone.now())
    Membership.objects.filter(pk=third.pk).update(is_active=False)
    found = designing.overview(study=study)
    assert [(row.number, row.assigned, row.completed) for row in found.experts] == [(0, 6, 1), (1, 0, 0)]
    assert sum(row.completed for row in found.systems) == 1
    assert sum(row.places for row in found.systems) == 11
    assert "1 answered, 5 in progress, 5 free." in found.statement
    assert found.missing_experts == 0  # the second expert can take all five
    Membership.objects.filter(pk=second.pk).update(is_active=False)
    found = designing.overview(study=study)
    assert found.missing_experts == 1
    assert [row.number for row in found.experts] == [0]


def test_a_place_that_was_given_up_keeps_its_position_and_nothing_that_is_given_has_a_side(study):
    expert = study.memberships.experts().get(number=0)
    first, *rest = designing.least_covered(study=study, expert=expert, count=4)
    (given,) = designing.assign_named(study=study, expert=expert, comparisons=[first])
    type(given).objects.filter(pk=given.pk).update(released_at=timezone.now())
    more = designing.assign_named(study=study, expert=expert, comparisons=rest)
    assert [one.position for one in more] == [1, 2, 3]
    assert {one.side_order for one in study.assignments.all()} == {""}


def test_an_expert_of_the_neighbour_is_none_of_this_study(study, neighbour):
    stranger = neighbour.memberships.experts().get(number=3)
    with pytest.raises(NotAnExpert):
        designing.share_places(study=study, experts=[stranger])
    with pytest.raises(NotADraft):
        designing.apply_plan(study=neighbour)
