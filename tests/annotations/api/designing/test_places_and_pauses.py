"""The addresses of changing a study that runs: admins change, researchers look, and experts learn nothing."""

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations import designing
from annotations.designing.adjusting import pause_system, running_systems
from annotations.models import Role
from tests.worlds.answering import Page
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_open_study, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_open_study(dataset=make_dataset(instances=6), experts=3)


def browser(study, role):
    client = Client()
    client.force_login(make_member(study, role, f"{role}@example.org").user)
    return client


@pytest.fixture
def admin(study):
    return browser(study, Role.ADMIN)


def send(client, what, **body):
    return client.post(f"/api/v1/studies/study/{what}/", body, content_type="application/json")


def listed(client):
    return client.get("/api/v1/studies/study/systems/").json()["results"]


def test_places_are_weighed_added_and_told(study, admin):
    system = listed(admin)[0]["name"]
    cost = admin.get("/api/v1/studies/study/places/", {"more": 2, "system": system}).json()
    assert (cost["comparisons"], cost["places"], cost["experts"], cost["pace"]["is_measured"]) == (3, 6, 3, False)
    assert "6 more places" in cost["sentence"]
    added = send(admin, "places", more=2, systems=[system])
    assert (added.status_code, added.json()) == (201, {"places": 6, "experts_per_comparison": 2})
    assert send(admin, "places", more=1).json() == {"places": 6, "experts_per_comparison": 3}
    assert [one["free"] for one in listed(admin)] == [15, 9]


def test_a_system_is_paused_and_resumed(study, admin):
    name = listed(admin)[0]["name"]
    assert send(admin, "systems/pause", system=name).json() == {"paused_systems": [name]}
    assert [one["is_paused"] for one in listed(admin)] == [True, False]
    assert admin.get("/api/v1/studies/study/").json()["paused_systems"] == [name]
    assert admin.get("/api/v1/studies/study/overview/").json()["waiting"] == 6
    assert send(admin, "systems/resume", system=name).json() == {"paused_systems": []}


@pytest.mark.parametrize(
    ("what", "body", "code"),
    [
        ("places", {"more": 0}, "invalid"),
        ("places", {"more": 1, "comparisons": [77]}, "no_comparison_fits"),
        ("places", {"more": 1, "systems": ["Nobody"]}, "no_such_system"),
        ("systems/pause", {"system": "Nobody"}, "no_such_system"),
        ("systems/resume", {}, "invalid"),
    ],
)
def test_what_is_wrong_is_named(admin, what, body, code):
    answer = send(admin, what, **body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["fields"]


def test_a_draft_is_planned_anew_instead(admin, study):
    draft = make_study(dataset=study.dataset, slug="draft")
    designing.apply_plan(study=draft)
    make_member(draft, Role.ADMIN, "admin@example.org")
    answer = admin.post("/api/v1/studies/draft/places/", {"more": 1}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_begun")


def test_researchers_look_and_experts_find_nothing(study):
    researcher, expert = browser(study, Role.RESEARCHER), Client()
    expert.force_login(study.memberships.get(number=0).user)
    assert len(listed(researcher)) == 2
    assert researcher.get("/api/v1/studies/study/places/").status_code == 200
    for what in ("places", "systems/pause", "systems/resume"):
        assert send(researcher, what).status_code == 403
        assert send(expert, what).status_code == 404
    for what in ("places", "systems"):
        assert expert.get(f"/api/v1/studies/study/{what}/").status_code == 404


def test_nothing_that_an_expert_gets_says_that_a_system_is_paused():
    """Of twin studies one has a paused system: what both experts are told has the same names and totals."""

    def told(slug, paused):
        study = make_open_study(dataset=make_dataset(instances=6, slug=slug), slug=slug, key_name="same", experts=3)
        if paused:
            pause_system(study=study, system=running_systems(study)[0].name)
        page = Page(study.memberships.get(number=0).user, slug)
        answers = [page.next().json()]
        while (assignment := answers[-1]["assignment"]) is not None:
            page.labels(assignment["token"])
            page.preference(assignment["token"])
            answers.append(page.next().json())
        return answers

    plain, paused = told("one", paused=False), told("other", paused=True)
    assert {one["progress"]["total"] for one in plain + paused} == {4}
    assert [shape(one) for one in paused[:3]] == [shape(one) for one in plain[:3]]
    assert shape(paused[-1]) == shape(plain[-1])
    assert paused[-1]["finished"] == "nothing_available"
    assert "paus" not in json.dumps(paused).replace('"paused"', "").lower()


def shape(answer):
    """The names of all that is told, however deep."""
    if isinstance(answer, dict):
        return {name: shape(value) for name, value in answer.items()}
    if isinstance(answer, list):
        return [shape(value) for value in answer[:1]]
    return type(answer).__name__


def test_looking_costs_the_same_however_many_there_are(study, admin):
    def queries():
        with CaptureQueriesContext(connection) as context:
            listed(admin)
            admin.get("/api/v1/studies/study/places/")
        return len(context)

    few = queries()
    send(admin, "places", more=5)
    assert queries() == few
