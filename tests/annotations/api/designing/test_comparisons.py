"""A study's comparisons as a list: what is shown on which text, and how far each is."""

import pytest
from rest_framework.test import APIClient

from annotations.models import Event, EventKind, Instance, Role
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/studies/small-study/comparisons/"


@pytest.fixture
def study():
    return make_full_study()


@pytest.fixture
def ann(study):
    client = APIClient()
    client.force_login(make_member(study, Role.RESEARCHER, "ann@example.org").user)
    return client


def asked(client, **query):
    answer = client.get(ADDRESS, query)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_each_says_its_text_its_sources_and_how_far_it_is(study, ann):
    rows = asked(ann, limit=500)["results"]
    assert [row["position"] for row in rows] == list(
        study.comparisons.order_by("position").values_list("position", flat=True)
    )
    for row in rows:
        stored = study.comparisons.select_related("instance", "second_system").get(position=row["position"])
        places = stored.assignments.filter(released_at=None)
        assert (row["first"], row["second"]) == ("human", stored.second_system.name)
        assert (row["instance"], row["instance_position"]) == (stored.instance.external_id, stored.instance.position)
        assert row["places"] == places.count()
        assert row["answers"] == places.filter(completed_at__isnull=False).count()
        assert row["skipped"] == stored.assignments.filter(released_at__isnull=False).count()
    assert sum(row["answers"] for row in rows) == study.assignments.completed().count()
    assert Event.objects.get(kind=EventKind.UNBLINDED_VIEW).data["what"] == "comparisons"


def test_they_are_narrowed(study, ann):
    rows = asked(ann, limit=500)["results"]
    Instance.objects.filter(external_id=rows[0]["instance"]).update(withdrawn_at="2026-11-02T12:00:00Z")
    for query, wanted in (
        ({"system": rows[0]["second"]}, [row for row in rows if row["second"] == rows[0]["second"]]),
        ({"system": "no such system"}, []),
        ({"instance": rows[0]["instance"]}, [row for row in rows if row["instance"] == rows[0]["instance"]]),
        ({"identical": "true"}, [row for row in rows if row["identical"]]),
        ({"identical": "false"}, [row for row in rows if row["identical"] is False]),
        ({"withdrawn": "true"}, [row for row in rows if row["instance"] == rows[0]["instance"]]),
    ):
        found = asked(ann, limit=500, **query)["results"]
        assert [row["position"] for row in found] == [row["position"] for row in wanted], query
    assert ann.get(ADDRESS, {"identical": "perhaps"}).status_code == 400


def test_between_two_systems_both_are_named_in_the_order_of_exports(ann, study):
    study = make_full_study(study.dataset, slug="pairs", compares="system_vs_system")
    ann.force_login(make_member(study, Role.RESEARCHER, "bob@example.org").user)
    rows = ann.get("/api/v1/studies/pairs/comparisons/").json()["results"]
    assert all("human" not in (row["first"], row["second"]) and row["first"] != row["second"] for row in rows)


def test_a_longer_page_costs_no_more_queries(ann, django_assert_num_queries):
    asked(ann)  # the look is noted once
    with django_assert_num_queries(9) as short:
        asked(ann, limit=1)
    with django_assert_num_queries(len(short.captured_queries)):
        asked(ann, limit=500)
