"""An expert may change step 2 of what they completed last, and nothing else; every revision stays."""

import uuid
from typing import Any

import pytest

from annotations.answering.assigning import next_assignment
from annotations.answering.correcting import MOST_MS, NotTheLast, last_answered, store_correction
from annotations.answering.refusals import KeyReused, NotAccepting, StepLocked
from annotations.designing.lifecycle import change_state
from annotations.ground.errors import NotFound
from annotations.models import Assignment, PreferenceResponse, Study, StudyState, User
from tests.annotations.answering.test_assigning import ask, user_of
from tests.worlds.answering import Page, answer, complete
from tests.worlds.storing import store_labels
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_open_study(experts=2)


@pytest.fixture
def user(study: Study) -> User:
    return user_of(study)


def completed(study: Study) -> Assignment:
    assignment = ask(study).assignment
    assert assignment is not None
    complete(assignment)
    assignment.refresh_from_db()
    return assignment


def correct(assignment: Assignment, user: User, **changes: Any) -> PreferenceResponse:
    given = {"key": uuid.uuid4(), "a_chosen": False, "b_chosen": True, "certainty": 0.2, "active_ms": 900}
    return store_correction(user=user, token=assignment.token, **{**given, **changes})


def test_the_last_answer_comes_back_with_its_sides_and_what_was_said(study, user):
    correct(completed(study), user)
    last = completed(study)
    handed = last_answered(user=user, slug=study.slug)
    assert handed.assignment == last
    assert handed.labels == [0]
    assert handed.answered is not None
    assert (handed.answered.a_chosen, handed.answered.b_chosen, handed.answered.certainty) == (True, False, 0.7)


def test_each_correction_is_a_new_revision_and_the_newest_is_shown_again(study, user):
    last = completed(study)
    first = correct(last, user)
    second = correct(last, user, certainty=0.9)
    assert [one.revision for one in last.preferenceresponses.order_by("revision")] == [0, 1, 2]
    assert last_answered(user=user, slug=study.slug).answered == second
    assert (first.active_ms, second.active_ms) == (1000 + 900, 1000 + 900 + 900)  # of step 2 up to here
    last.refresh_from_db()
    assert last.completed_at == last.preferenceresponses.get(revision=0).created_at


def test_the_time_of_a_step_grows_up_to_what_its_column_holds_and_stays_there(study, user):
    last = completed(study)
    assert MOST_MS == 2_147_483_647
    assert correct(last, user, active_ms=MOST_MS - 1001).active_ms == MOST_MS - 1
    assert correct(last, user, certainty=0.9, active_ms=900).active_ms == MOST_MS
    assert correct(last, user, certainty=0.1, active_ms=None).active_ms is None


def test_the_same_answer_again_changes_nothing(study, user):
    last = completed(study)
    kept = correct(last, user, a_chosen=True, b_chosen=False, certainty=0.7)
    assert kept.revision == 0
    assert PreferenceResponse.objects.count() == 1


def test_only_the_last_one_can_be_changed(study, user):
    before, last = completed(study), completed(study)
    with pytest.raises(NotTheLast):
        correct(before, user)
    current = ask(study).assignment
    assert current is not None
    with pytest.raises(NotTheLast):
        correct(current, user)
    answer(current)
    with pytest.raises(NotTheLast):
        correct(current, user)
    assert correct(last, user).revision == 1


def test_a_correction_sent_twice_is_stored_once_even_when_more_was_completed_since(study, user):
    last, key = completed(study), uuid.uuid4()
    first = correct(last, user, key=key)
    completed(study)
    assert correct(last, user, key=key) == first
    with pytest.raises(KeyReused):
        correct(last, user, key=key, b_chosen=False)
    assert last.preferenceresponses.count() == 2


def test_step_1_stays_locked(study, user):
    last = completed(study)
    with pytest.raises(StepLocked):
        store_labels(user=user, token=last.token, key=uuid.uuid4(), labels=[1])


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_nothing_is_changed_while_the_study_takes_no_answers(study, user, state):
    last = completed(study)
    change_state(study=study, to=StudyState(state))
    with pytest.raises(NotAccepting):
        last_answered(user=user, slug=study.slug)
    with pytest.raises(NotAccepting):
        correct(last, user)


def test_the_last_of_all_can_be_changed_from_the_finished_page(study, user):
    while next_assignment(user=user, slug=study.slug).assignment:
        last = completed(study)
    assert ask(study).finished == "all_done"
    assert last_answered(user=user, slug=study.slug).assignment == last
    assert correct(last, user).revision == 1


def test_nobody_changes_the_answer_of_somebody_else(study, user):
    last = completed(study)
    other = user_of(study, 1)
    with pytest.raises(NotFound):
        last_answered(user=other, slug=study.slug)  # has completed nothing
    with pytest.raises(NotFound):
        correct(last, other)


def test_over_the_api_a_correction_is_acknowledged_like_every_answer(study, user):
    page = Page(user)
    assert page.post("studies/study/last/").status_code == 404
    token = page.next().json()["assignment"]["token"]
    second = page.labels(token).json()["assignment"]
    assert second["answered"] is None
    page.preference(token)
    last = page.post("studies/study/last/").json()["assignment"]
    assert last == {**second, "answered": {"a_chosen": True, "b_chosen": False, "certainty": 0.8}}
    body = {"key": str(uuid.uuid4()), "a_chosen": False, "b_chosen": False, "certainty": 0.1, "active_ms": 5}
    saved = page.post(f"assignments/{token}/correction/", body)
    assert (saved.status_code, saved.json()["progress"]["done"]) == (200, 1)
    assert page.post("studies/study/last/").json()["assignment"]["answered"]["certainty"] == 0.1
    refused = page.post(f"assignments/{page.next().json()['assignment']['token']}/correction/", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "key_reused")
