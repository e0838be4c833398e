"""The plan over the API stays small, however many comparisons it has; they are read a page at a time."""

import sys

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations import designing
from annotations.api.designing import plans
from annotations.designing import displays
from annotations.models import Role, Study
from tests.annotations.api.designing.test_setup import in_study, signed_in
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db

OVERVIEWS = sys.modules["annotations.designing.overview"]  # the package has a function of that name


def asked(study: Study, address: str) -> tuple[int, int]:
    """Queries and bytes of an answer."""
    client = in_study(study, Role.RESEARCHER)
    client.get(f"/api/v1/studies/{study.slug}/{address}")  # what is measured once is measured now
    with CaptureQueriesContext(connection) as context:
        answer = client.get(f"/api/v1/studies/{study.slug}/{address}")
    assert answer.status_code == 200, answer.content
    return len(context), len(answer.content)


@pytest.mark.parametrize("address", ["plan/", "plan/comparisons/?limit=20"])
@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "draft"])
def test_many_texts_and_experts_cost_no_more_queries_and_hardly_more_bytes(address, is_stored):
    found = []
    for slug, texts, experts in (("small", 30, 2), ("large", 260, 12)):
        study = make_study(
            dataset=make_dataset(slug=slug, instances=texts),
            slug=slug,
            experts=experts,
            instances_per_system=texts // 2,
            experts_per_comparison=experts,
        )
        if is_stored:
            designing.apply_plan(study=study)
        found.append(asked(study, address))
    (few_queries, few_bytes), (queries, size) = found
    assert queries <= few_queries < 30
    assert size < few_bytes + 1200  # an expert more is a row more


def test_a_large_draft_is_counted_and_not_drawn(monkeypatch):
    study = make_study(dataset=make_dataset(instances=40, systems=3), experts=2, instances_per_system=30)
    drawn = in_study(study, Role.RESEARCHER).get("/api/v1/studies/study/plan/").json()
    monkeypatch.setattr(OVERVIEWS, "MOST_DRAWN", 50)
    monkeypatch.setattr(OVERVIEWS, "propose", None)  # it would be called in vain
    counted = in_study(study, Role.RESEARCHER).get("/api/v1/studies/study/plan/").json()
    assert counted["systems"] == drawn["systems"]
    assert counted["missing_experts"] == drawn["missing_experts"]
    assert [one["name"] for one in counted["choices"]] == [one["name"] for one in drawn["choices"]]
    assert "are drawn when the plan is created" in counted["statement"]
    assert "based on 120 randomly chosen comparisons" in counted["statement"]


def test_a_draft_is_measured_on_a_part_and_its_stored_plan_on_all(monkeypatch):
    monkeypatch.setattr(OVERVIEWS, "MOST_MEASURED", 20)
    study = make_study(dataset=make_dataset(instances=40, systems=3), experts=2, instances_per_system=30)
    client = in_study(study, Role.RESEARCHER)
    draft = client.get("/api/v1/studies/study/plan/").json()
    assert {one["distortion"]["comparisons"] for one in draft["choices"]} == {20}
    assert " 20 " in draft["statement"]
    designing.apply_plan(study=study)
    stored = client.get("/api/v1/studies/study/plan/").json()
    assert {one["distortion"]["comparisons"] for one in stored["choices"]} == {90}
    assert "at random" not in stored["statement"]


def test_what_is_measured_of_a_plan_is_measured_when_it_is_made(monkeypatch):
    study = make_study(experts=2)
    client = in_study(study, Role.RESEARCHER)
    client.post("/api/v1/studies/study/plan/")
    monkeypatch.setattr(displays, "concealment", None)  # it would be called in vain
    assert client.get("/api/v1/studies/study/plan/").status_code == 200


def test_comparisons_are_read_page_by_page_with_how_far_they_are():
    study = make_open_study(experts=2)
    complete(taken(study.memberships.get(number=0).user))
    client = in_study(study, Role.RESEARCHER)
    first = client.get("/api/v1/studies/study/plan/comparisons/?limit=4").json()
    assert (first["count"], len(first["results"])) == (6, 4)
    second = client.get("/api/v1/studies/study/plan/comparisons/?limit=4&page=2").json()
    rows = first["results"] + second["results"]
    assert [row["position"] for row in rows] == list(range(6))
    assert [row["places"] for row in rows] == [2] * 6
    assert sum(row["completed"] for row in rows) == 1
    assert rows[0]["external_id"] == f"external-{rows[0]['instance']}"
    assert all(len(row["systems"]) == 1 for row in rows)


def test_comparisons_are_found_by_system_text_and_state():
    study = make_open_study(experts=2)
    complete(taken(study.memberships.get(number=0).user))
    client = in_study(study, Role.RESEARCHER)

    def found(query: str):
        answer = client.get(f"/api/v1/studies/study/plan/comparisons/?{query}")
        assert answer.status_code == 200, answer.content
        return answer.json()["results"]

    assert {tuple(row["systems"]) for row in found("system=Method1")} == {("ModelName / Method1 / 0",)}
    assert [row["completed"] for row in found("state=answered")] == [1]
    text = found("limit=1")[0]["external_id"]
    assert {row["external_id"] for row in found(f"search={text}")} == {text}
    assert found("system=nothing") == []
    assert client.get("/api/v1/studies/study/plan/comparisons/?state=odd").status_code == 400


def test_a_draft_that_was_not_planned_has_no_comparisons_and_experts_find_no_such_address():
    study = make_study(experts=1)
    address = "/api/v1/studies/study/plan/comparisons/"
    assert in_study(study, Role.RESEARCHER).get(address).json()["count"] == 0
    assert in_study(study, Role.EXPERT).get(address).status_code == 404
    assert signed_in("stranger@example.org").get(address).status_code == 404


def test_the_matrix_stays_at_the_old_address_and_ends_where_it_would_be_large(monkeypatch):
    study = make_open_study(experts=2)
    client = in_study(study, Role.RESEARCHER)
    assert "matrix" not in client.get("/api/v1/studies/study/plan/").json()
    old = client.get("/api/studies/study/plan/").json()
    assert [len(row["cells"]) for row in old["matrix"]["rows"]] == [3, 3]
    monkeypatch.setattr(plans, "MOST_CELLS", 4)
    cut = client.get("/api/studies/study/plan/").json()
    assert [len(row["cells"]) for row in cut["matrix"]["rows"]] == [3, 0]
    assert cut["systems"] == old["systems"]
