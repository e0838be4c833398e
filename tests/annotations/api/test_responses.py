"""The answers of a study as a list: what the exported table holds, a page at a time, for who may see them unblinded."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.designing.lifecycle import change_state
from annotations.exporting.columns import plain
from annotations.exporting.rows import ResponseSource
from annotations.models import Event, EventKind, Role, StudyState, User
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/studies/small-study/responses/"


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


def test_the_rows_are_those_of_the_table_and_come_in_pages(study, ann):
    table = [json.loads(json.dumps(plain(row))) for row in ResponseSource(study).rows()]
    whole = asked(ann, limit=500)
    assert whole["results"] == table
    assert whole["count"] == len(table) > 3
    pages = [asked(ann, limit=3, page=page + 1)["results"] for page in range(-(-len(table) // 3))]
    assert [row for page in pages for row in page] == table
    assert not any("@example.org" in str(row) for row in table)


def test_they_are_narrowed_and_sorted(study, ann):
    table = asked(ann, limit=500)["results"]
    expert, comparison = table[0]["expert"], table[0]["comparison"]
    for query, holds in (
        ({"expert": expert}, lambda row: row["expert"] == expert),
        ({"comparison": comparison}, lambda row: row["comparison"] == comparison),
        ({"pilot": "exclude"}, lambda row: not row["pilot"]),
        ({"pilot": "only"}, lambda row: row["pilot"]),
        ({"simulated": "only"}, lambda row: row["simulated"]),
    ):
        assert asked(ann, limit=500, **query)["results"] == [row for row in table if holds(row)], query
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    assert asked(ann, **{"from": str(max(tomorrow, tomorrow.replace(year=2999)))})["count"] == 0
    times = [row["completed_at"] for row in asked(ann, limit=500, ordering="-completed_at")["results"]]
    assert times == sorted(times, reverse=True)
    experts = [(row["expert"], row["position"]) for row in asked(ann, limit=500, ordering="expert")["results"]]
    assert experts == sorted(experts)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"pilot": "perhaps"}, "pilot"),
        ({"ordering": "side"}, "ordering"),
        ({"expert": -1}, "expert"),
        ({"from": "2026-11-03", "to": "2026-11-02"}, "from"),
        ({"limit": 501}, "limit"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(ann, query, field):
    answer = ann.get(ADDRESS, query)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])


def test_before_the_study_closes_it_is_a_look_at_unblinded_data(study, ann):
    asked(ann)
    asked(ann, page=1)
    assert [event.data["what"] for event in Event.objects.filter(kind=EventKind.UNBLINDED_VIEW)] == ["responses"]
    change_state(study=study, to=StudyState.CLOSED)
    Event.objects.all()
    asked(ann)
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1


def test_an_expert_and_a_stranger_see_no_such_address(study):
    for user in (study.memberships.get(number=1).user, User.objects.create_user("stranger@example.org")):
        client = APIClient()
        client.force_login(user)
        assert client.get(ADDRESS).status_code == 404


def test_a_longer_page_costs_no_more_queries(ann, django_assert_num_queries):
    asked(ann)  # the look is noted once
    with django_assert_num_queries(14) as short:
        asked(ann, limit=2)
    with django_assert_num_queries(len(short.captured_queries)):
        asked(ann, limit=500)
