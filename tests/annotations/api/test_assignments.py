"""The addresses of assigning: researchers look, admins change, and what is refused is named."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.models import Event, EventKind, Role, Study, StudyState
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_open_study, make_study

pytestmark = pytest.mark.django_db
WRITES = ("give", "take-back", "move", "share", "upload", "undo")


@pytest.fixture
def study() -> Study:
    return make_open_study(dataset=make_dataset(instances=6), experts=3)


def browser(study: Study, role: Role) -> Client:
    client = Client()
    client.force_login(make_member(study, role, f"{role}@example.org").user)
    return client


@pytest.fixture
def admin(study: Study) -> Client:
    return browser(study, Role.ADMIN)


def listed(client: Client, query: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(f"/api/v1/studies/study/assignments/{query}").json()["results"]
    return rows


def send(client: Client, what: str, **body: object):
    path = f"/api/v1/studies/study/assignments/{what}/"
    return client.post(path, body, content_type="application/json")


def test_every_comparison_is_listed_with_its_places_and_how_far_they_are(study, admin):
    complete(taken(study.memberships.get(number=0).user))
    taken(study.memberships.get(number=1).user)
    first = listed(admin)[0]
    assert (first["position"], first["systems"]) == (0, [study.comparisons.get(position=0).second_system.name])
    assert [(one["expert"], one["state"]) for one in first["places"]] == [(0, "answered"), (None, "free")]
    assert [one["position"] for one in listed(admin, "?expert=1&state=in_hand")] == [1]
    assert len(listed(admin, "?state=free")) == 6
    assert listed(admin, "?state=skipped") == []
    assert len(listed(admin, "?search=%20&system=")) == len(listed(admin))  # a space that somebody typed finds all
    for wrong in ("state=lost", "expert=none", "expert=-1"):
        assert admin.get(f"/api/v1/studies/study/assignments/?{wrong}").status_code == 400
    assert len(listed(admin, "?system=Method0")) == 3
    text = first["external_id"]
    assert text in [one["external_id"] for one in listed(admin, f"?search={text}")]
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, data__what="assignments").count() == 1


def test_giving_moving_taking_back_and_undoing_over_the_api(study, admin):
    given = send(admin, "give", expert=0, comparisons=[0, 1]).json()
    assert given["changed"] == 2
    places = [one["id"] for row in listed(admin, "?expert=0") for one in row["places"] if one["expert"] == 0]
    assert send(admin, "move", places=places[:1], to=1).json()["changed"] == 1
    summary = admin.get("/api/v1/studies/study/assignments/summary/").json()
    assert [(one["number"], one["given"]) for one in summary["experts"]] == [(0, 1), (1, 1), (2, 0)]
    assert (summary["places"], summary["free"]) == (12, 10)
    assert summary["last"]["sentence"] == "admin@example.org moved 1 place."
    assert send(admin, "undo", event=summary["last"]["event"]).status_code == 200
    assert send(admin, "take-back", places=places).json()["changed"] == 2
    refused = send(admin, "take-back", places=places)
    assert (refused.status_code, refused.json()["code"]) == (409, "assignments_refused")
    assert refused.json()["data"]["refusals"][0]["reason"] == "no expert has this place"


def test_sharing_says_how_many_places_nobody_could_take(study, admin):
    assert send(admin, "share", experts=[0], count=2).json()["left"] == 10
    assert send(admin, "share").json()["left"] == 0


def test_a_list_is_tried_first_and_every_bad_row_is_named(study, admin):
    bad = "comparison,expert\n0,0\n0,0\n99,0\n1,7\nx,1\n"
    told = send(admin, "upload", csv=bad, dry_run=False).json()
    assert told["event"] is None
    assert [one.split(":")[0] for one in told["problems"]] == ["Line 3", "Line 4", "Line 5", "Line 6"]
    assert not study.assignments.taken().exists()
    good = "comparison,expert\n0,0\n1,1\n"
    assert send(admin, "upload", csv=good).json() == {"event": None, "changed": 2, "left": 0, "problems": []}
    assert not study.assignments.taken().exists()
    assert send(admin, "upload", csv=good, dry_run=False).json()["changed"] == 2
    assert study.assignments.taken().count() == 2


def test_researchers_look_and_do_not_change_and_for_experts_there_is_nothing(study):
    researcher = browser(study, Role.RESEARCHER)
    assert len(listed(researcher)) == 6
    expert = Client()
    expert.force_login(study.memberships.get(number=0).user)
    for what in WRITES:
        assert send(researcher, what).status_code == 403
        assert send(expert, what).status_code == 404
    assert expert.get("/api/v1/studies/study/assignments/").status_code == 404


def test_an_expert_of_another_study_cannot_be_given_anything(study, admin):
    other = make_study(dataset=study.dataset, slug="other", experts=5)
    assert other.memberships.filter(number=4).exists()
    assert send(admin, "give", expert=4, comparisons=[0]).status_code == 404


def test_a_closed_study_changes_no_more(study, admin):
    change_state(study=study, to=StudyState.CLOSED)
    assert send(admin, "give", expert=0, comparisons=[0]).status_code == 409


def test_looking_costs_the_same_however_many_there_are(study, admin):
    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            listed(admin)
            grid(admin)
            admin.get("/api/v1/studies/study/assignments/summary/")
        return len(context)

    listed(admin)
    before = queries()
    send(admin, "share")
    assert queries() == before
    assert designing.overview(study=study).is_applied


def grid(client: Client, query: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(f"/api/v1/studies/study/assignments/grid/{query}").json()["results"]
    return rows


def test_the_grid_says_who_has_what_and_who_has_seen_a_text_elsewhere(study, admin):
    complete(taken(study.memberships.get(number=0).user))
    taken(study.memberships.get(number=1).user)
    first, second = grid(admin)[:2]
    assert [(one["expert"], one["state"]) for one in first["cells"]] == [(0, "answered")]
    assert [(one["expert"], one["state"]) for one in second["cells"]] == [(1, "in_hand")]
    assert (first["free"], first["seen"]) == (1, [])
    assert set(first) == {"position", "external_id", "systems", "is_withdrawn", "free", "cells", "seen"}
    assert [row["position"] for row in grid(admin, "?state=held")] == [1]
    assert [row["position"] for row in grid(admin, "?state=answered&expert=0")] == [0]
    assert len(grid(admin, "?state=free&system=Method0")) == 3
    send(admin, "give", expert=2, comparisons=[0])
    assert [row["position"] for row in grid(admin, "?state=full")] == [0]
    assert admin.get("/api/v1/studies/study/assignments/grid/?state=lost").status_code == 400
    assert admin.get("/api/v1/studies/study/assignments/grid/?limit=2").json()["count"] == 6


def test_a_text_of_two_comparisons_is_marked_as_seen_in_the_other():
    study = make_open_study(dataset=make_dataset(instances=3), experts=4)
    client = browser(study, Role.ADMIN)
    pairs = {}
    for one in study.comparisons.all():
        pairs.setdefault(one.instance_id, []).append(one.position)
    here, there = next(positions for positions in pairs.values() if len(positions) > 1)
    send(client, "give", expert=3, comparisons=[here])
    rows = {row["position"]: row for row in grid(client)}
    assert (rows[here]["seen"], rows[there]["seen"]) == ([], [3])


def say_specialism(study: Study, number: int, said: object) -> None:
    study.memberships.filter(number=number).update(profile={"specialism": said})


def test_texts_go_first_to_those_whose_field_they_are_in_and_a_trial_changes_nothing(study, admin):
    top = study.dataset.gold.argmax(axis=1)
    name = study.dataset.labels.get(position=int(top[0])).name
    say_specialism(study, 1, name.upper())
    tried = send(admin, "share", rule="specialism", dry_run=True).json()
    assert (tried["event"], tried["changed"], tried["left"]) == (None, 12, 0)
    assert not study.assignments.taken().exists()
    of_field = int((top == top[0]).sum())
    assert {one["number"]: one["in_field"] for one in tried["experts"]} == {0: 0, 1: of_field, 2: 0}
    given = send(admin, "share", rule="specialism").json()
    assert [one["places"] for one in given["experts"]] == [one["places"] for one in tried["experts"]]
    held = study.assignments.filter(expert__number=1).values_list("instance__position", flat=True)
    assert set((top == top[0]).nonzero()[0].tolist()) <= set(held)
    assert send(admin, "undo", event=given["event"]).json()["changed"] == 12
    assert not study.assignments.taken().exists()


def test_a_specialism_may_be_of_several_labels_and_one_of_none_is_refused(study, admin):
    names = [label.name for label in study.dataset.labels.order_by("position")]
    say_specialism(study, 2, "Everything")
    refused = send(admin, "share", rule="specialism")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_specialism")
    shared = send(admin, "share", rule="specialism", labels={"Everything": names}, count=3, dry_run=True).json()
    assert {one["number"]: one["in_field"] for one in shared["experts"]}[2] == 3


def test_what_specialisms_can_be_matched_with_is_told_as_experts_read_it(study, admin):
    first, second = study.dataset.labels.order_by("position")[:2]
    study.dataset.labels.filter(pk=second.pk).update(display_name="The second one")
    say_specialism(study, 0, "the SECOND one")
    say_specialism(study, 1, "Everything")
    say_specialism(study, 2, "Everything")
    told = admin.get("/api/v1/studies/study/assignments/share/").json()
    assert told["labels"][:2] == [first.name, "The second one"]
    assert told["specialisms"] == [
        {"name": "Everything", "experts": 2, "labels": []},
        {"name": "the SECOND one", "experts": 1, "labels": ["The second one"]},
    ]
    for labels in ({}, {"the SECOND one": ["The second one"]}):
        shared = send(admin, "share", rule="specialism", labels=labels, dry_run=True).json()
        assert shared["experts"][0]["in_field"] > 0
