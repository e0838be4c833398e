"""More places while a study runs: what is added, what it takes, and what is refused."""

import pytest
from django.db import IntegrityError, transaction

from annotations import designing
from annotations.designing.adjusting import Chosen, NoComparisonFits, NoSuchSystem, NotBegun, add_places, cost_of
from annotations.designing.applying import StudyClosed
from annotations.designing.drawing import TooManyPlaces
from annotations.designing.lifecycle import change_state
from annotations.models import Assignment, Event, EventKind, StudyState
from tests.worlds.answering import complete_all
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study, make_study

pytestmark = pytest.mark.django_db
ALL = Chosen()


@pytest.fixture
def study():
    """Six comparisons of two systems on six texts for two experts each, and three experts."""
    return make_open_study(dataset=make_dataset(instances=6), experts=3)


def places(study):
    return sorted(study.assignments.filter(comparison__position=0).values_list("place", flat=True))


def test_every_comparison_gets_as_many_places_more_and_the_study_says_so(study):
    assert add_places(study=study, more=2, chosen=ALL) == 12
    study.refresh_from_db()
    assert study.experts_per_comparison == 4
    assert places(study) == [0, 1, 2, 3]
    event = Event.objects.get(kind=EventKind.PLACES_ADDED)
    assert (event.data["places"], event.data["comparisons"], event.data["more"]) == (12, 6, 2)


def test_only_what_is_named_gets_more_and_the_number_of_the_study_stays(study):
    system = study.comparisons.get(position=0).second_system
    assert add_places(study=study, more=1, chosen=Chosen(systems=[system.name])) == 3
    text = study.comparisons.get(position=0).instance.external_id
    assert add_places(study=study, more=1, chosen=Chosen(instances=[text])) == 1
    assert add_places(study=study, more=1, chosen=Chosen(comparisons=[0, 1], systems=[system.name])) >= 1
    study.refresh_from_db()
    assert study.experts_per_comparison == 2
    assert places(study) == [0, 1, 2, 3, 4]


def test_nobody_s_total_changes_and_who_has_finished_is_offered_more(study):
    expert = study.memberships.get(number=0)
    complete_all(expert.user)
    before = expert.assignments.count()
    make_expert(study, "late@example.org")
    add_places(study=study, more=1, chosen=ALL)
    assert expert.assignments.count() == before == 6  # each text once: nothing more may come
    other = study.memberships.get(number=1)
    assert len(complete_all(other.user)) == 6


def test_a_place_that_is_there_cannot_be_made_twice(study):
    add_places(study=study, more=1, chosen=ALL)
    last = study.assignments.filter(comparison__position=0).order_by("-place").first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            study=study, comparison=last.comparison, instance=last.instance, place=last.place, places=9
        )


def test_places_that_are_added_to_named_assigning_are_free_and_can_be_given():
    study = make_open_study(dataset=make_dataset(instances=6), experts=4, assigning="named")
    assert not Assignment.objects.free().filter(study=study).exists()
    add_places(study=study, more=1, chosen=ALL)
    assert Assignment.objects.free().filter(study=study).count() == 6
    designing.share_places(study=study)
    assert not Assignment.objects.free().filter(study=study).exists()


def test_what_it_takes_is_told_before(study):
    cost = cost_of(study=study, more=1, chosen=ALL)
    assert (cost.comparisons, cost.places, cost.experts, cost.missing_experts) == (6, 6, 3, 0)
    assert cost.sentence == (
        "6 more places in 6 comparisons, about 15 min of experts' time. About 5 min for each of 3 experts."
    )
    cost = cost_of(study=study, more=2, chosen=ALL)
    assert cost.missing_experts == 1
    assert cost.sentence.endswith("Nobody sees a text twice, so 1 more expert is needed.")
    assert not Event.objects.filter(kind=EventKind.PLACES_ADDED).exists()


def test_what_cannot_be_is_refused_and_nothing_is_added(study):
    for chosen, error in (
        (Chosen(systems=["Nobody"]), NoSuchSystem),
        (Chosen(comparisons=[99]), NoComparisonFits),
        (Chosen(instances=["nowhere"]), NoComparisonFits),
    ):
        with pytest.raises(error) as refused:
            add_places(study=study, more=1, chosen=chosen)
        assert refused.value.data["fields"]
    with pytest.raises(TooManyPlaces):
        add_places(study=study, more=10_000, chosen=ALL)
    change_state(study=study, to=StudyState.CLOSED)
    with pytest.raises(StudyClosed):
        add_places(study=study, more=1, chosen=ALL)
    draft = make_study(dataset=study.dataset, slug="draft")
    designing.apply_plan(study=draft)
    with pytest.raises(NotBegun):
        add_places(study=draft, more=1, chosen=ALL)
    assert study.assignments.count() == 12
