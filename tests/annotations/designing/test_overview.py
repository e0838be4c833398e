"""How a plan stands, and who is missing for the places that are free."""

import pytest

from annotations import designing
from annotations.models import Assignment, Membership, Study
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """One comparison with two places for two experts; the first has taken one."""
    dataset = make_dataset(instances=1, systems=1)
    study = make_study(dataset=dataset, experts=2, instances_per_system=1, experts_per_comparison=2)
    designing.apply_plan(study=study)
    first = study.memberships.experts().get(number=0)
    designing.assign_named(study=study, expert=first, comparisons=list(study.comparisons.all()))
    return study


def deactivate(study: Study, number: int) -> None:
    Membership.objects.filter(study=study, number=number).update(is_active=False)


def test_the_active_experts_are_enough_as_long_as_one_has_not_seen_the_text(study):
    found = designing.overview(study=study)
    assert found.missing_experts == 0
    assert "1 in progress, 1 free." in found.statement
    assert "The active experts are enough for the places that are still free." in found.statement
    deactivate(study, 0)  # had the text, and is neither missing nor in the way
    assert designing.overview(study=study).missing_experts == 0


def test_who_has_seen_the_text_cannot_take_the_place_that_is_free(study):
    deactivate(study, 1)
    found = designing.overview(study=study)
    assert found.missing_experts == 1
    assert "1 more expert" in found.statement
    assert "are enough" not in found.statement


def test_a_text_that_an_expert_sees_again_on_purpose_was_seen_by_one_expert(study):
    given = study.assignments.taken().get()
    Assignment.objects.create(
        study=study,
        comparison=given.comparison,
        instance=given.instance,
        place=2,
        places=3,
        expert=given.expert,
        position=1,
        repeat_of=given,
    )
    assert designing.overview(study=study).missing_experts == 0


def test_what_is_free_in_another_study_on_the_same_texts_is_missing_there_only(study):
    neighbour = make_open_study(
        dataset=study.dataset, slug="neighbour", experts=1, instances_per_system=1, experts_per_comparison=4
    )
    assert designing.overview(study=study).missing_experts == 0
    assert designing.overview(study=neighbour).missing_experts == 3


def test_a_draft_that_cannot_be_planned_has_no_plan_and_says_why():
    study = make_study(dataset=make_dataset(instances=4), instances_per_system=5)
    found = designing.overview(study=study)
    assert (found.is_applied, found.systems, found.experts, found.instances) == (False, (), (), 4)
    assert found.statement.startswith("There is no plan yet. Each system should get 5 different texts")


def test_a_statement_names_the_questions_and_one_expert_is_one() -> None:
    study = make_study(
        experts=1, experts_per_comparison=1, question_labels="What is it about?", question_preference="Which is better?"
    )
    for is_applied in (False, True):
        found = designing.overview(study=study)
        assert found.is_applied is is_applied
        assert "Step 1 asks: “What is it about?” Step 2 asks: “Which is better?”" in found.statement
        assert "t least 1 expert is needed" in found.statement
        designing.apply_plan(study=study)
    assert "The study has 1 active expert. Texts per expert: 6." in designing.propose(study=study).statement


def test_more_than_a_thousand_comparisons_are_counted_and_not_drawn_while_a_study_is_set_up() -> None:
    study = make_study(dataset=make_dataset(instances=77, systems=13, labels=2), instances_per_system=77)
    found = designing.overview(study=study, quickly=True)
    assert [(row.cells, row.instances, row.places) for row in found.systems] == [((), 77, 154)] * 13
