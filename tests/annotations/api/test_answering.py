"""What an expert's page gets from the server, and how many queries it costs."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.api.task_serializers import LabelsTakenSerializer, TaskSerializer, WithNextSerializer
from annotations.designing.instrument import keep_version
from annotations.designing.lifecycle import change_state
from annotations.models import Assignment, Label, PreferenceResponse, Report, Role, Study, StudyState, User
from tests.worlds.answering import Page
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_member, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def expert_of(study: Study, number: int = 0) -> User:
    return study.memberships.get(number=number, role=Role.EXPERT).user


@pytest.fixture
def study() -> Study:
    return make_open_study(experts=3)


@pytest.fixture
def page(study: Study) -> Page:
    return Page(expert_of(study))


def test_a_task_has_exactly_the_agreed_shape(study, page):
    task = page.next().json()
    assert sorted(task) == ["assignment", "finished", "more", "opens_at", "practised", "progress", "saved_at", "study"]
    assert sorted(task["study"]) == [
        "asks_guess",
        "direction",
        "instructions_html",
        "instrument_version",
        "labels",
        "language",
        "layout",
        "leaving",
        "question_certainty",
        "question_labels",
        "question_preference",
        "repeats",
        "share_meaning",
        "slug",
        "task",
        "title",
    ]
    assert [label["name"] for label in task["study"]["labels"]] == ["Label x", "Label y", "Label z", "Label w"]
    assert task["study"]["labels"][-1]["exclusive"]
    assert sorted(task["assignment"]) == [
        "answered",
        "comparison",
        "direction",
        "language",
        "segments",
        "selected",
        "step",
        "token",
    ]
    assert task["assignment"]["step"] == 1
    assert task["assignment"]["comparison"] is None
    assert task["assignment"]["selected"] is None
    assert task["finished"] == ""
    assert task["saved_at"] is None


def test_the_whole_round_from_step_1_to_the_next_text(study, page):
    token = page.next().json()["assignment"]["token"]
    second = page.labels(token, labels=[1, 0]).json()
    assert second["assignment"]["token"] == token
    assert second["assignment"]["step"] == 2
    assert second["assignment"]["selected"] == [0, 1]
    for side in ("a", "b"):
        values = [bar["value"] for bar in second["assignment"]["comparison"][side]]
        assert values == sorted(values, reverse=True)
        assert all(value > 0.1 for value in values)
    resumed = page.next().json()  # leaving and coming back resumes exactly there
    assert {name: resumed[name] for name in ("assignment", "progress", "saved_at")} == {
        name: second[name] for name in ("assignment", "progress", "saved_at")
    }
    saved = page.preference(token, ahead=second["next"]["assignment"]["token"]).json()
    assert saved["progress"]["done"] == 1
    assert saved["saved_at"] >= second["saved_at"]
    after = page.next().json()
    assert after["assignment"] == second["next"]["assignment"]
    assert after["saved_at"] == saved["saved_at"]


def test_what_is_received_is_what_the_serializers_describe_and_nothing_else(study, page):
    """Responses are put together without serializers, which say in the API's description what they are."""

    def described(serializer, received):
        assert json.loads(json.dumps(serializer.to_representation(received))) == received
        return received

    task = described(TaskSerializer(), page.next().json())
    token = task["assignment"]["token"]
    labels = described(LabelsTakenSerializer(), page.labels(token, labels=[1, 0]).json())
    assert labels["assignment"]["comparison"]["a"]
    described(WithNextSerializer(), page.preference(token, ahead=labels["next"]["assignment"]["token"]).json())
    assert described(TaskSerializer(), page.post(f"studies/{study.slug}/last/").json())["assignment"]["answered"]
    Study.objects.update(state="draft", opens_at=timezone.now() + timedelta(days=1))
    assert described(TaskSerializer(), page.next().json())["opens_at"]


def test_responses_to_answers_have_exactly_the_agreed_shape(study, page):
    """And nothing that the study says to everybody: the page has that, and knows by the version if it is still so."""
    task = page.next().json()
    token = task["assignment"]["token"]
    labels = page.labels(token).json()
    assert sorted(labels) == ["assignment", "instrument_version", "next", "progress", "saved_at"]
    assert sorted(labels["next"]) == ["assignment", "finished", "more", "opens_at"]
    assert labels["instrument_version"] == task["study"]["instrument_version"]
    following = labels["next"]["assignment"]
    assert sorted(following) == sorted(labels["assignment"]) == sorted(task["assignment"])
    assert (following["step"], following["comparison"], following["selected"]) == (1, None, None)
    preference = page.preference(token, ahead=following["token"]).json()
    assert sorted(preference) == ["instrument_version", "next", "progress", "saved_at"]
    assert preference["next"] is None
    token = following["token"]
    came = page.labels(token).json()["next"]
    for nothing in ({}, {"ahead": None}):
        assert page.preference(token, key=str(uuid.UUID(int=1)), **nothing).json()["next"] == came
    assert page.preference(token, ahead="next").json()["data"].keys() == {"ahead"}


def test_a_page_hears_with_its_answer_that_the_words_have_changed(study, page):
    task = page.next().json()
    keep_version(Study.objects.get())
    Study.objects.update(question_labels="Other words?")
    newest = keep_version(Study.objects.get()).number
    assert newest != task["study"]["instrument_version"]
    labels = page.labels(task["assignment"]["token"], instrument_version=task["study"]["instrument_version"])
    assert labels.json()["instrument_version"] == newest
    assert page.preference(task["assignment"]["token"]).json()["instrument_version"] == newest
    assert page.next().json()["study"]["question_labels"] == "Other words?"


def test_step_2_never_leaves_before_step_1_is_stored(study, page):
    first = page.next().json()
    assert first["assignment"]["comparison"] is None
    token = first["assignment"]["token"]
    refused = page.preference(token)
    assert (refused.status_code, refused.json()["code"]) == (409, "step_1_missing")
    assert "comparison" not in refused.content.decode()
    unknown = page.labels(token, labels=[99])
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_label")
    assert page.next().json()["assignment"]["comparison"] is None
    assert not Assignment.objects.exclude(comparison_shown_at=None).exists()


def test_sending_again_answers_the_same(study, page):
    token = page.next().json()["assignment"]["token"]
    key = str(uuid.uuid4())
    assert page.labels(token, key=key).json() == page.labels(token, key=key).json()
    assert page.preference(token, key=key).json() == page.preference(token, key=key).json()
    assert PreferenceResponse.objects.count() == 1
    late = page.labels(token, labels=[1])
    assert (late.status_code, late.json()["code"]) == (409, "step_locked")


def test_a_skipped_text_makes_room_for_the_next(study, page):
    token = page.next().json()["assignment"]["token"]
    saved = page.report(token, skip=True, text="a name is in it", reason="identifies_person")
    assert saved.status_code == 200
    assert saved.json()["progress"]["done"] == 0
    assert page.next().json()["assignment"]["token"] != token
    assert page.preference(token).status_code == 404
    assert Report.objects.get().text == "a name is in it"


@pytest.mark.parametrize(
    "body",
    [
        {"key": "no uuid"},
        {"labels": "0"},
        {"labels": [-1]},
        {"labels": ["a"]},
        {"active_ms": -1},
        {"active_ms": 2**40},
        {"labels": None},
    ],
)
def test_nonsense_is_refused_with_its_field_and_stores_nothing(study, page, body):
    token = page.next().json()["assignment"]["token"]
    refused = page.labels(token, **body)
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid"
    assert list(refused.json()["data"]) == list(body)
    assert page.next().json()["assignment"]["step"] == 1


@pytest.mark.parametrize("certainty", [None, 1.01, -0.1, "NaN", "sure"])
def test_certainty_must_be_given_in_step_2(study, page, certainty):
    token = page.next().json()["assignment"]["token"]
    page.labels(token)
    assert page.preference(token, certainty=certainty).status_code == 400


@pytest.mark.parametrize(("state", "finished"), [("paused", "paused"), ("closed", "closed")])
def test_a_study_that_stopped_says_so_and_keeps_what_it_has(study, page, state, finished):
    token = page.next().json()["assignment"]["token"]
    change_state(study=study, to=StudyState(state))
    task = page.next().json()
    assert (task["assignment"], task["finished"]) == (None, finished)
    refused = page.labels(token)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_accepting")


def test_a_scale_keeps_its_order_and_takes_one_label():
    dataset = make_dataset(task="ordinal", labels=5)
    Label.objects.filter(dataset=dataset).update(exclusive=False)
    page = Page(expert_of(make_open_study(dataset=dataset, experts=1)))
    task = page.next().json()
    assert [label["position"] for label in task["study"]["labels"]] == [0, 1, 2, 3, 4]
    refused = page.labels(task["assignment"]["token"], labels=[1, 2])
    assert (refused.status_code, refused.json()["code"]) == (400, "one_label_only")


def test_instructions_arrive_as_harmless_html(study, page):
    Study.objects.update(
        instructions="# Read *slowly*\n\n<img src=x onerror=alert(1)> ![](https://elsewhere.example/x)"
    )
    html = page.next().json()["study"]["instructions_html"]
    assert html.startswith("<h1>Read <em>slowly</em></h1>")
    assert "<img" not in html


def test_only_the_signed_in_expert_of_the_study_reaches_anything(study, make_user):
    token = Page(expert_of(study)).next().json()["assignment"]["token"]
    researcher = make_member(study, Role.RESEARCHER, "researcher@example.org").user
    boss = User.objects.create_superuser("boss@example.org")
    for user in (expert_of(study, 1), researcher, boss, make_user("stranger@example.org")):
        page = Page(user)
        for answer in (page.labels(token), page.preference(token), page.report(token)):
            assert answer.status_code == 404
        if user != expert_of(study, 1):
            assert page.next().status_code == 404
    assert Client().post("/api/studies/study/next/").status_code == 401
    assert Client().post(f"/api/assignments/{token}/labels/").status_code == 401


def test_an_answer_that_waited_for_somebody_else_is_never_stored_as_mine(study, page):
    """In one tab the first expert's answer waits, in another the second has signed in."""
    token = page.next().json()["assignment"]["token"]
    first, second = expert_of(study), expert_of(study, 1)
    body = {"key": str(uuid.uuid4()), "labels": [0], "active_ms": 1}

    def send(user: User, asked_for: User | str) -> Any:
        asked = str(getattr(asked_for, "pk", asked_for))
        client = Client(headers={"X-HLV-User": asked})
        client.force_login(user)
        return client.post(f"/api/assignments/{token}/labels/", body, content_type="application/json")

    for answer in (send(second, first), send(first, second), send(first, "nobody")):
        assert (answer.status_code, answer.json()["code"]) == (409, "other_user")
    assert not Assignment.objects.exclude(comparison_shown_at=None).exists()
    assert send(first, first).status_code == 200


def test_a_write_needs_the_csrf_token(study):
    client = Client(enforce_csrf_checks=True)
    client.force_login(expert_of(study))
    assert client.post("/api/studies/study/next/").status_code == 403
    assert not study.assignments.taken().exists()


# -- cost


def big_study(slug: str, *, instances: int, systems: int) -> Study:
    dataset = make_dataset(instances=instances, systems=systems, labels=3, slug=f"{slug}-data")
    study = make_study(dataset=dataset, slug=slug, instances_per_system=instances, experts_per_comparison=4)
    for number in range(3):  # who answers in several studies costs one query more
        make_expert(study, f"expert{number}-of-{slug}@example.org")
    return plan_and_open(study)


def queries(call: Any) -> int:
    with CaptureQueriesContext(connection) as context:
        assert call().status_code == 200
    return len(context)


@pytest.mark.parametrize(("instances", "systems"), [(4, 2), (300, 9)])
def test_the_next_assignment_costs_so_many_queries_whatever_the_studys_size(instances, systems):
    """Everything counted: session, user, and the two statements that frame the transaction."""
    study = big_study("big", instances=instances, systems=systems)
    page = Page(expert_of(study), "big")
    assert queries(page.next) == 12  # claims, and counts what the expert is told from now on
    assert queries(page.next) == 7  # resumes step 1
    token = page.next().json()["assignment"]["token"]
    page.labels(token)
    assert queries(page.next) == 8  # resumes step 2
    for _ in range(2):
        page.preference(page.next().json()["assignment"]["token"])
        token = page.next().json()["assignment"]["token"]
        page.labels(token)
        page.preference(token)
    assert queries(page.next) == 7  # resumes, with a past


def test_an_answer_with_what_comes_next_costs_so_many_queries_whatever_the_studys_size():
    for slug, instances, systems in (("small", 6, 2), ("large", 300, 9)):
        page = Page(expert_of(big_study(slug, instances=instances, systems=systems)), slug)
        token = page.next().json()["assignment"]["token"]
        for _ in range(2):
            ahead = page.labels(token).json()["next"]["assignment"]["token"]
            page.preference(token, ahead=ahead)
            token = ahead
        assert queries(lambda: page.labels(token)) == 10  # noqa: B023 - called at once
        ahead = page.next().json()
        assert queries(lambda: page.preference(token, ahead=str(uuid.uuid4()))) == 8  # noqa: B023 - called at once
        token = page.next().json()["assignment"]["token"]
        page.labels(token)
        assert queries(lambda: page.preference(token)) == 9  # noqa: B023 - called at once
        Study.objects.filter(slug=slug).update(state="closed")


def test_every_write_costs_the_same_in_a_small_and_a_large_study():
    costs = []
    for slug, instances, systems in (("small", 4, 2), ("large", 200, 6)):
        page = Page(expert_of(big_study(slug, instances=instances, systems=systems)), slug)
        token = page.next().json()["assignment"]["token"]
        costs.append(
            [
                queries(lambda page=page, token=token: page.labels(token)),
                queries(lambda page=page, token=token: page.preference(token)),
                queries(lambda page=page, token=token: page.report(token)),
            ]
        )
        Study.objects.filter(slug=slug).update(state="closed")
    assert costs[0] == costs[1]
