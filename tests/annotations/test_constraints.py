"""What the database itself refuses, whatever the code does."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations.models import (
    Assignment,
    Comparison,
    Event,
    EventKind,
    Instance,
    LabelResponse,
    PreferenceResponse,
    SideOrder,
)
from tests.worlds.answering import put_on_sides
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    """One taken place of one comparison; nothing answered yet."""
    study = make_study(dataset=make_dataset(instances=1))
    instance, system = study.dataset.instances.get(), study.dataset.systems.first()
    expert = make_expert(study, "expert@example.org")
    comparison = Comparison.objects.create(study=study, instance=instance, second_system=system, position=0)
    return Assignment.objects.create(
        study=study,
        comparison=comparison,
        instance=instance,
        place=0,
        places=1,
        expert=expert,
        position=0,
    )


def answer_step_1(assignment: Assignment, revision: int = 0) -> LabelResponse:
    return LabelResponse.objects.create(
        assignment=assignment, key=uuid.uuid4(), labels=[0], revision=revision, created_at=timezone.now()
    )


def answer_step_2(assignment: Assignment) -> PreferenceResponse:
    return PreferenceResponse.objects.create(
        assignment=assignment, key=uuid.uuid4(), a_chosen=True, b_chosen=False, created_at=timezone.now()
    )


def show_step_2(assignment: Assignment) -> None:
    put_on_sides(assignment, SideOrder.FIRST_IS_A).save()


def refused() -> pytest.RaisesExc:
    return pytest.raises(IntegrityError)


def test_step_2_cannot_be_shown_before_step_1_is_stored(assignment: Assignment) -> None:
    with refused(), transaction.atomic():
        show_step_2(assignment)
    answer_step_1(assignment)
    show_step_2(assignment)


def test_step_1_cannot_change_after_step_2_was_shown(assignment: Assignment) -> None:
    answer_step_1(assignment)
    show_step_2(assignment)
    with refused(), transaction.atomic():
        answer_step_1(assignment, revision=1)


def test_step_2_cannot_be_answered_before_it_was_shown(assignment: Assignment) -> None:
    answer_step_1(assignment)
    with refused(), transaction.atomic():
        answer_step_2(assignment)
    show_step_2(assignment)
    answer_step_2(assignment)


def test_an_answer_is_never_overwritten(assignment: Assignment) -> None:
    response = answer_step_1(assignment)
    with refused(), transaction.atomic():
        LabelResponse.objects.filter(pk=response.pk).update(labels=[1])
    show_step_2(assignment)
    preference = answer_step_2(assignment)
    with refused(), transaction.atomic():
        PreferenceResponse.objects.filter(pk=preference.pk).update(a_chosen=False)


def test_the_log_is_never_rewritten() -> None:
    event = Event.objects.create(kind=EventKind.PLANNED)
    with refused(), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(kind=EventKind.EXPORTED)


def test_a_comparison_has_no_more_places_than_planned(assignment: Assignment) -> None:
    with refused(), transaction.atomic():
        Assignment.objects.create(
            study=assignment.study, comparison=assignment.comparison, instance=assignment.instance, place=1, places=1
        )
    with refused(), transaction.atomic():
        Assignment.objects.create(
            study=assignment.study, comparison=assignment.comparison, instance=assignment.instance, place=0, places=1
        )


def test_an_expert_never_gets_the_same_instance_twice(assignment: Assignment) -> None:
    other = assignment.study.dataset.systems.last()
    assert other != assignment.comparison.second_system
    comparison = Comparison.objects.create(
        study=assignment.study, instance=assignment.instance, second_system=other, position=1
    )
    place = Assignment.objects.create(
        study=assignment.study, comparison=comparison, instance=assignment.instance, place=0, places=1
    )
    with refused(), transaction.atomic():
        Assignment.objects.filter(pk=place.pk).update(expert=assignment.expert, position=1)


def test_an_assignment_belongs_to_its_comparisons_study_and_instance(assignment: Assignment) -> None:
    stranger = Instance.objects.create(dataset=assignment.study.dataset, position=1, external_id="j", segments=[])
    with refused(), transaction.atomic():
        Assignment.objects.create(
            study=assignment.study, comparison=assignment.comparison, instance=stranger, place=0, places=2
        )
