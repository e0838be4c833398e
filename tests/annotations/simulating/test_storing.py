"""Storing many answers at once keeps what storing them one by one keeps."""

from datetime import timedelta
from typing import Any

import pytest

from annotations.models import Assignment, LabelResponse, PreferenceResponse, StudyState
from annotations.simulating.responses import Answer, CannotAnswer, store_answers
from tests.worlds.full import NOON, make_full_dataset, make_full_study

pytestmark = pytest.mark.django_db


def answer_to(assignment, **changes):
    values: dict[str, Any] = {
        "begun_at": NOON,
        "labels": (1, 2),
        "labels_ms": 9000,
        "labels_at": NOON + timedelta(seconds=9),
        "a_chosen": True,
        "b_chosen": False,
        "certainty": 0.6,
        "preference_ms": 4000,
        "completed_at": NOON + timedelta(seconds=13),
    }
    return Answer(assignment.pk, **(values | changes))


@pytest.fixture
def study():
    return make_full_study(experts=3)


@pytest.fixture
def waiting(study):
    """Assignments that are given and have no answer at all."""
    found = study.assignments.taken().filter(completed_at=None, labelresponses=None)
    assert found
    return list(found)


def test_an_answer_is_stored_whole(study, waiting):
    assert store_answers(study=study, answers=[answer_to(waiting[0])]) == 1
    stored = Assignment.objects.get(pk=waiting[0].pk)
    assert stored.comparison_shown_at == NOON + timedelta(seconds=9)
    assert stored.completed_at == NOON + timedelta(seconds=13)
    assert stored.claimed_at is not None
    assert LabelResponse.objects.get(assignment=stored).labels == [1, 2]
    response = PreferenceResponse.objects.get(assignment=stored)
    assert (response.choice, response.certainty, response.active_ms) == ("a", 0.6, 4000)


def test_step_1_that_is_stored_already_stays(study):
    half = study.assignments.taken().filter(completed_at=None, labelresponses__isnull=False).first()
    assert half is not None
    before = list(LabelResponse.objects.filter(assignment=half).values_list("pk", "labels"))
    store_answers(study=study, answers=[answer_to(half)])
    assert list(LabelResponse.objects.filter(assignment=half).values_list("pk", "labels")) == before
    half.refresh_from_db()
    assert half.comparison_shown_at == LabelResponse.objects.filter(assignment=half).latest("created_at").created_at


def refused(study, answers):
    before = (LabelResponse.objects.count(), PreferenceResponse.objects.count())
    with pytest.raises(CannotAnswer):
        store_answers(study=study, answers=answers)
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == before


def test_what_is_answered_is_never_answered_again(study, waiting):
    refused(study, [answer_to(waiting[0]), answer_to(study.assignments.completed().first())])


def test_a_place_that_nobody_holds_is_not_answered(study, waiting):
    refused(study, [answer_to(waiting[0]), answer_to(study.assignments.free().first())])


def test_one_assignment_named_twice_is_refused(study, waiting):
    refused(study, [answer_to(waiting[0]), answer_to(waiting[0])])


def test_another_studys_assignments_are_refused(study, waiting):
    other = make_full_study(make_full_dataset("other"), slug="other", seed=4)
    refused(other, [answer_to(waiting[0])])


def test_answers_of_the_pilot_are_marked(study, waiting):
    study.state = StudyState.PILOT
    study.save()
    store_answers(study=study, answers=[answer_to(waiting[0])])
    assert Assignment.objects.get(pk=waiting[0].pk).is_pilot
