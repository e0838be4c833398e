"""Experts can look at their own answers, as they were shown, and at nothing else: whoever tries to break it."""

import uuid

import pytest
from django.test import Client
from django.utils import timezone

from annotations import designing
from annotations.answering import moderating
from annotations.answering.assigning import next_assignment
from annotations.answering.correcting import store_correction
from annotations.api.answering.shapes import task_of
from annotations.designing.lifecycle import change_state
from annotations.models import Assignment, LabelResponse, Leaving, PreferenceResponse, ReportReason, Role, StudyState
from annotations.people.membership.leaving import leave
from tests.worlds import storing
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db
LIST = "/api/v1/studies/study/answers/"


@pytest.fixture
def study():
    study = make_study(dataset=make_dataset(instances=8), instances_per_system=8, experts_per_comparison=2)
    for name in ("one", "two"):
        make_expert(study, f"{name}@example.org")
    return plan_and_open(study)


@pytest.fixture
def user(study):
    return study.memberships.experts().order_by("number").first().user


@pytest.fixture
def client(user):
    return signed_in(user)


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def one(token):
    return f"/api/v1/assignments/{token}/answer/"


def labelled(user, slug="study"):
    assignment = next_assignment(user=user, slug=slug).assignment
    storing.store_labels(user=user, token=assignment.token, key=uuid.uuid4(), labels=[1, 0])
    return assignment


def answered(user, slug="study", *, a=True, b=False, certainty=0.75):
    """Both steps of the next text; and what its step 2 looked like."""
    assignment = labelled(user, slug)
    shown = task_of(next_assignment(user=user, slug=slug))["assignment"]
    if shown["comparison"]["identical"]:
        a = b = True
    storing.store_preference(
        user=user, token=assignment.token, key=uuid.uuid4(), a_chosen=a, b_chosen=b, certainty=certainty
    )
    return assignment, shown


def test_each_answer_is_shown_as_its_step_2_was_and_with_what_was_said(user, client):
    for _ in range(3):
        assignment, shown = answered(user)
        told = client.get(one(assignment.token)).json()
        assert told["assignment"]["comparison"] == shown["comparison"]
        assert told["assignment"]["segments"] == shown["segments"]
        assert told["assignment"]["selected"] == [0, 1]
        said = PreferenceResponse.objects.get(assignment=assignment)
        assert told["assignment"]["answered"] == {
            "a_chosen": said.a_chosen,
            "b_chosen": said.b_chosen,
            "certainty": 0.75,
        }


def test_the_list_has_the_newest_first_a_page_at_a_time_with_the_answer_that_counts(user, client):
    tokens = [str(answered(user)[0].token) for _ in range(3)]
    store_correction(
        user=user, token=uuid.UUID(tokens[-1]), key=uuid.uuid4(), a_chosen=False, b_chosen=False, certainty=0.1
    )
    first = client.get(f"{LIST}?limit=2").json()
    assert (first["count"], [row["token"] for row in first["results"]]) == (3, [tokens[2], tokens[1]])
    assert [row["token"] for row in client.get(f"{LIST}?limit=2&page=2").json()["results"]] == [tokens[0]]
    row = first["results"][0]
    assert (row["a_chosen"], row["b_chosen"], row["certainty"], row["number"]) == (False, False, 0.1, 3)
    assert len(row["labels"]) == 2
    assert row["beginning"]


def test_of_labels_in_two_revisions_the_newest_is_shown(user, client):
    assignment = next_assignment(user=user, slug="study").assignment
    LabelResponse.objects.create(
        assignment=assignment, revision=1, labels=[2], key=uuid.uuid4(), created_at=timezone.now()
    )
    answered(user)
    assert client.get(one(assignment.token)).json()["assignment"]["selected"] == [2]
    assert [len(row["labels"]) for row in client.get(LIST).json()["results"]] == [1]


def test_nothing_is_there_before_step_2_was_answered(user, client):
    assignment = next_assignment(user=user, slug="study").assignment
    assert client.get(one(assignment.token)).status_code == 404
    labelled(user)
    assert client.get(one(assignment.token)).status_code == 404
    assert client.get(LIST).json()["results"] == []


def test_what_is_skipped_after_both_sides_were_seen_is_not_there(user, client):
    assignment = labelled(user)
    storing.store_report(user=user, token=assignment.token, key=uuid.uuid4(), reason=ReportReason.OTHER, skip=True)
    assert client.get(one(assignment.token)).status_code == 404
    assert client.get(LIST).json()["count"] == 0


def test_somebody_elses_answers_are_not_there(study, user, client):
    other = study.memberships.experts().order_by("number").last().user
    assignment, _ = answered(other)
    assert client.get(one(assignment.token)).status_code == 404
    assert client.get(LIST).json()["count"] == 0
    assert signed_in(other).get(one(assignment.token)).status_code == 200
    assert Client().get(one(assignment.token)).status_code == 401


def test_another_studys_answers_are_not_in_this_ones_list(study, user, client):
    elsewhere = make_open_study(dataset=make_dataset(slug="others", instances=8), slug="elsewhere", experts=2)
    stranger = elsewhere.memberships.experts().first().user
    assignment, _ = answered(stranger, "elsewhere")
    assert client.get("/api/v1/studies/elsewhere/answers/").status_code == 404
    assert client.get(one(assignment.token)).status_code == 404
    assert signed_in(stranger).get(LIST).status_code == 404


def test_a_withdrawn_text_is_gone_from_list_and_page_and_comes_back_with_it(user, client):
    assignment, _ = answered(user)
    report = storing.store_report(
        user=user, token=assignment.token, key=uuid.uuid4(), reason=ReportReason.IDENTIFIES_A_PERSON
    )
    moderating.confirm(report=report)
    assert client.get(one(assignment.token)).status_code == 404
    assert client.get(LIST).json()["count"] == 0
    moderating.show_again(report=report)
    assert client.get(one(assignment.token)).status_code == 200


@pytest.mark.parametrize("leaving", list(Leaving))
def test_who_has_left_still_sees_their_own_answers_and_nothing_else(study, user, client, leaving):
    type(study).objects.update(leaving=leaving)
    assignment, shown = answered(user)
    begun = labelled(user)
    others, _ = answered(study.memberships.experts().order_by("number").last().user)
    leave(member=study.memberships.get(user=user))
    told = client.get(one(assignment.token)).json()
    assert told["assignment"]["comparison"] == shown["comparison"]
    assert [row["token"] for row in client.get(LIST).json()["results"]] == [str(assignment.token)]
    for token in (begun.token, others.token):
        assert client.get(one(token)).status_code == 404
    key = {"key": str(uuid.uuid4()), "active_ms": 1, "a_chosen": True, "b_chosen": False, "certainty": 0.5}
    changed = client.post(f"/api/v1/assignments/{assignment.token}/correction/", key, content_type="application/json")
    assert changed.status_code == 404


def test_who_researches_now_sees_no_list_of_answers(study, user, client):
    assignment, _ = answered(user)
    study.memberships.filter(user=user).update(role=Role.RESEARCHER)
    assert client.get(one(assignment.token)).status_code == 404
    assert client.get(LIST).status_code == 404


def test_pilot_answers_stay_as_they_were_shown_after_the_study_opens(user):
    study = make_study(dataset=make_dataset(slug="p", instances=8), slug="piloted", experts_per_comparison=2)
    expert = make_expert(study, "pilot@example.org").user
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    assignment, shown = answered(expert, "piloted")
    change_state(study=study, to=StudyState.OPEN)
    told = signed_in(expert).get(one(assignment.token)).json()
    assert told["assignment"]["comparison"] == shown["comparison"]


def test_where_texts_come_twice_nobody_looks_back_before_the_study_is_closed(user):
    study = make_study(dataset=make_dataset(slug="r", instances=8), slug="again", repeats_per_expert=2)
    expert = make_expert(study, "again@example.org").user
    plan_and_open(study)
    assignment, _ = answered(expert, "again")
    client = signed_in(expert)
    for address in (one(assignment.token), "/api/v1/studies/again/answers/"):
        refused = client.get(address)
        assert (refused.status_code, refused.json()["code"]) == (409, "answers_not_yet")
    change_state(study=study, to=StudyState.CLOSED)
    assert client.get(one(assignment.token)).status_code == 200


def test_it_can_be_read_when_the_study_is_paused_or_closed_and_changes_nothing(study, user, client):
    assignment, _ = answered(user)
    for state in (StudyState.PAUSED, StudyState.CLOSED):
        change_state(study=study, to=state)
        before = list(Assignment.objects.filter(study=study).order_by("pk").values())
        assert client.get(one(assignment.token)).status_code == 200
        assert client.get(LIST).json()["count"] == 1
        assert list(Assignment.objects.filter(study=study).order_by("pk").values()) == before
    for method in (client.post, client.put, client.patch, client.delete):
        assert method(one(assignment.token)).status_code == 405


def test_the_queries_do_not_grow_with_the_answers(user, client, django_assert_max_num_queries):
    for _ in range(5):
        assignment, _ = answered(user)
        with django_assert_max_num_queries(8):
            client.get(LIST)
        with django_assert_max_num_queries(6):
            client.get(one(assignment.token))
