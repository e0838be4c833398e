"""What is acknowledged is stored once, in order, and never changes silently."""

import uuid
from functools import partial

import pytest
from django.db import IntegrityError
from django.utils import timezone

from annotations import designing
from annotations.answering import refusals
from annotations.answering.correcting import store_correction
from annotations.answering.guessing import store_guess
from annotations.answering.labelling import ExclusiveLabel, NothingChosen, OneLabelOnly, UnknownLabel, check_labels
from annotations.answering.recording import key_used_once, lock_own, own_of, record_labels
from annotations.designing.lifecycle import change_state
from annotations.ground.errors import HLVError, NotFound, Withdrawn
from annotations.models import (
    Assignment,
    Event,
    EventKind,
    Guess,
    GuessedSide,
    Instance,
    Label,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    ReportReason,
    Study,
    StudyState,
)
from tests.annotations.answering.test_assigning import run_at_once
from tests.worlds import storing
from tests.worlds.answering import taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db

STORED = (LabelResponse, PreferenceResponse, Report, Guess)


@pytest.fixture
def assignment() -> Assignment:
    return given(make_open_study(experts=2))


def given(study: Study, number: int = 0) -> Assignment:
    return taken(study.memberships.experts().get(number=number).user, study.slug)


def labels_of(assignment: Assignment, **changes: object) -> LabelResponse:
    assert assignment.expert is not None
    fields = {"user": assignment.expert.user, "token": assignment.token, "key": uuid.uuid4(), "labels": [0, 1]}
    return storing.store_labels(**{**fields, **changes})


def preference_of(assignment: Assignment, **changes: object) -> PreferenceResponse:
    assert assignment.expert is not None
    fields = {"user": assignment.expert.user, "token": assignment.token, "key": uuid.uuid4()}
    fields |= {"a_chosen": True, "b_chosen": False, "certainty": 0.5}
    return storing.store_preference(**{**fields, **changes})


def report_of(assignment: Assignment, **changes: object) -> Report:
    assert assignment.expert is not None
    fields = {"user": assignment.expert.user, "token": assignment.token, "key": uuid.uuid4()}
    fields |= {"reason": ReportReason.UNREADABLE, "text": "half of it is missing"}
    return storing.store_report(**{**fields, **changes})


def correction_of(assignment: Assignment) -> PreferenceResponse:
    assert assignment.expert is not None
    answer = {"a_chosen": True, "b_chosen": True, "certainty": 0.5}
    return store_correction(user=assignment.expert.user, token=assignment.token, key=uuid.uuid4(), **answer)


def guess_of(assignment: Assignment) -> Guess:
    assert assignment.expert is not None
    return store_guess(user=assignment.expert.user, token=assignment.token, key=uuid.uuid4(), side=GuessedSide.A)


def test_storing_step_1_shows_step_2_at_the_same_moment(assignment):
    response = labels_of(assignment, active_ms=5500)
    assignment.refresh_from_db()
    assert assignment.comparison_shown_at == response.created_at
    assert (response.labels, response.active_ms) == ([0, 1], 5500)


def test_step_2_before_step_1_is_refused(assignment):
    with pytest.raises(refusals.Step1Missing):
        preference_of(assignment)
    assert not PreferenceResponse.objects.exists()


def test_step_2_completes_the_assignment(assignment):
    labels_of(assignment)
    response = preference_of(assignment)
    assignment.refresh_from_db()
    assert assignment.completed_at == response.created_at


@pytest.mark.parametrize("store", [labels_of, preference_of, report_of])
def test_sending_the_same_twice_stores_once_and_answers_the_same(assignment, store):
    if store is preference_of:
        labels_of(assignment)
    key = uuid.uuid4()
    first, second = store(assignment, key=key), store(assignment, key=key)
    assert first == second
    assert first.created_at == second.created_at
    assert type(first).objects.filter(key=key).count() == 1


def test_what_was_stored_is_acknowledged_again_even_after_the_study_closed_or_the_text_was_skipped(assignment):
    keys = [uuid.uuid4() for _ in range(2)]
    labels_of(assignment, key=keys[0])
    report_of(assignment, key=keys[1], skip=True)
    change_state(study=assignment.study, to=StudyState.CLOSED)
    labels_of(assignment, key=keys[0])
    report_of(assignment, key=keys[1], skip=True)
    assert (LabelResponse.objects.count(), Report.objects.count()) == (1, 1)


def test_the_same_key_with_another_content_is_refused(assignment):
    key = uuid.uuid4()
    labels_of(assignment, key=key)
    with pytest.raises(refusals.KeyReused):
        labels_of(assignment, key=key, labels=[1])
    preference_of(assignment, key=key)
    with pytest.raises(refusals.KeyReused):
        preference_of(assignment, key=key, b_chosen=True)
    report_of(assignment, key=key)
    with pytest.raises(refusals.KeyReused):
        report_of(assignment, key=key, text="something else")


def test_a_key_of_another_assignment_is_refused():
    study = make_open_study(experts=2)
    first, second = given(study, 0), given(study, 1)
    key = uuid.uuid4()
    labels_of(first, key=key)
    with pytest.raises(refusals.KeyReused):
        labels_of(second, key=key)


def test_step_1_is_locked_once_step_2_was_shown(assignment):
    first = labels_of(assignment)
    with pytest.raises(refusals.StepLocked):
        labels_of(assignment, labels=[2])
    assert labels_of(assignment, labels=[1, 0]) == first  # the same choice from another tab contradicts nothing


def test_a_second_tab_cannot_silently_replace_an_answer(assignment):
    labels_of(assignment)
    first = preference_of(assignment)
    assert preference_of(assignment) == first
    with pytest.raises(refusals.AlreadyAnswered):
        preference_of(assignment, a_chosen=False)


def test_a_correction_is_a_new_revision_and_the_first_stays(assignment):
    labels_of(assignment)
    first = preference_of(assignment)
    second = preference_of(assignment, a_chosen=False, correction=True)
    assert (first.revision, second.revision) == (0, 1)
    assert PreferenceResponse.objects.count() == 2
    assignment.refresh_from_db()
    assert assignment.completed_at == first.created_at


def test_what_the_database_refuses_for_another_reason_is_not_taken_for_a_used_key(assignment):
    first, key = labels_of(assignment), uuid.uuid4()
    with pytest.raises(IntegrityError), key_used_once(LabelResponse, key):
        LabelResponse.objects.create(assignment=assignment, labels=[0], key=key, created_at=first.created_at)
    assert LabelResponse.objects.get() == first


def test_a_text_that_is_withdrawn_while_its_labels_are_stored_takes_none(assignment):
    own, key = own_of(assignment.expert.user, assignment.token), uuid.uuid4()
    Instance.objects.filter(pk=assignment.instance_id).update(withdrawn_at=timezone.now())
    with pytest.raises(Withdrawn), key_used_once(LabelResponse, key):
        record_labels(own, key=key, labels=[0])
    assert not LabelResponse.objects.exists()


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_a_study_that_is_not_open_takes_nothing(assignment, state):
    Study.objects.filter(pk=assignment.study_id).update(state=state)
    for store in (labels_of, preference_of, report_of):
        with pytest.raises(refusals.NotAccepting) as refusal:
            store(assignment)
        assert refusal.value.data == {"state": state}


def test_nobody_answers_for_another_expert(assignment):
    other = assignment.study.memberships.experts().get(number=1).user
    for store in (labels_of, preference_of, report_of):
        with pytest.raises(NotFound):
            store(assignment, user=other)
        with pytest.raises(NotFound):
            store(assignment, token=uuid.uuid4())


def test_a_place_that_went_to_another_expert_meanwhile_is_not_locked_for_the_first(assignment):
    first, other = assignment.study.memberships.experts().order_by("number")
    assert lock_own(first, assignment.token) == assignment
    with pytest.raises(NotFound):
        lock_own(other, assignment.token)


@pytest.mark.parametrize("store", [labels_of, preference_of, correction_of, report_of, guess_of])
def test_a_former_expert_stores_nothing_any_more(assignment, store):
    labels_of(assignment)
    preference_of(assignment)
    stored = [model.objects.count() for model in STORED]
    Membership.objects.filter(pk=assignment.expert_id).update(is_active=False)
    with pytest.raises(NotFound):
        store(assignment)
    assert [model.objects.count() for model in STORED] == stored


@pytest.mark.parametrize("certainty", [-0.01, 1.01, float("nan"), float("inf")])
def test_certainty_lies_between_0_and_1(assignment, certainty):
    labels_of(assignment)
    with pytest.raises(refusals.InvalidCertainty):
        preference_of(assignment, certainty=certainty)
    assert preference_of(assignment, certainty=None).certainty is None
    for at_the_end in (0.0, 1.0):
        assert preference_of(assignment, certainty=at_the_end, correction=True).certainty == at_the_end


def test_what_is_answered_in_the_pilot_is_marked_though_it_was_claimed_later_or_earlier():
    study = make_study(experts=4, assigning="named")
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    assignment = given(study)
    labels_of(assignment)
    preference_of(assignment)
    assignment.refresh_from_db()
    assert assignment.is_pilot


def test_a_skipped_text_makes_a_fresh_place_for_somebody_else(assignment):
    labels_of(assignment)
    report_of(assignment, skip=True)
    assignment.refresh_from_db()
    assert assignment.released_at is not None
    fresh = Assignment.objects.free().get(comparison=assignment.comparison, place=assignment.place)
    assert fresh.token != assignment.token
    assert not fresh.labelresponses.exists()
    again = given(assignment.study)
    assert again.instance_id != assignment.instance_id
    with pytest.raises(NotFound):
        preference_of(assignment)


def test_a_text_that_was_skipped_before_step_1_takes_no_labels(assignment):
    report_of(assignment, skip=True)
    with pytest.raises(NotFound):
        labels_of(assignment)
    assert not LabelResponse.objects.exists()


def test_an_answered_text_cannot_be_skipped_but_reported(assignment):
    labels_of(assignment)
    preference_of(assignment)
    with pytest.raises(refusals.AlreadyAnswered):
        report_of(assignment, skip=True)
    assert report_of(assignment).skipped is False


def test_a_report_leaves_an_event_without_its_text(assignment):
    report_of(assignment)
    event = Event.objects.get(kind=EventKind.REPORTED)
    assert event.data == {"expert": 0, "reason": "unreadable", "skipped": False}
    assert (event.actor, event.study) == (assignment.expert.user, assignment.study)


@pytest.mark.parametrize(
    ("chosen", "error"),
    [([4], UnknownLabel), ([-1], UnknownLabel), ([0, 3], ExclusiveLabel), ([], NothingChosen)],
)
def test_a_choice_that_means_nothing_is_refused(assignment, chosen, error):
    with pytest.raises(error) as refusal:
        labels_of(assignment, labels=chosen)
    assert refusal.value.data == ({"labels": chosen} if error is UnknownLabel else {})
    assignment.refresh_from_db()
    assert assignment.comparison_shown_at is None
    assert labels_of(assignment, labels=[3]).labels == [3]


def test_one_label_is_one_label():
    labels = [Label(position=k, name=str(k)) for k in range(3)]
    for task in ("multiclass", "ordinal"):
        assert check_labels([2], labels, task=task) == [2]
        with pytest.raises(OneLabelOnly):
            check_labels([0, 1], labels, task=task)
        with pytest.raises(NothingChosen):
            check_labels([], labels, task=task)


def test_where_no_label_says_none_nothing_may_be_chosen():
    labels = [Label(position=k, name=str(k)) for k in range(3)]
    assert check_labels([], labels, task="multilabel") == []
    assert check_labels([2, 0, 2], labels, task="multilabel") == [0, 2]


@pytest.mark.django_db(transaction=True)
def test_sent_at_once_from_many_tabs_it_is_stored_once():
    assignment = given(make_open_study(dataset=make_dataset(), experts=1))
    key = uuid.uuid4()
    run_at_once([partial(labels_of, assignment, key=key)] * 8)
    assert LabelResponse.objects.count() == 1
    run_at_once([partial(preference_of, assignment, key=key)] * 8)
    assert PreferenceResponse.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_say_different_things_at_once_have_one_winner():
    assignment = given(make_open_study(dataset=make_dataset(), experts=1))

    def choose(label: int) -> str:
        try:
            labels_of(assignment, labels=[label])
        except HLVError as error:
            return error.code
        return "stored"

    outcomes = run_at_once([partial(choose, label) for label in (0, 1, 2)])
    assert sorted(map(str, outcomes)) == ["step_locked", "step_locked", "stored"]
    assert LabelResponse.objects.count() == 1
