"""Every list is paged in one way, can be narrowed, and at its old address is the plain list that scripts know."""

import pytest
from django.test import Client
from django.urls import resolve

from annotations.designing.lifecycle import add_member
from annotations.models import Event, EventKind, Role, User
from tests.annotations.api.addresses import every_address
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    """Somebody who administers three studies, the last of which is open."""
    person = User.objects.create_superuser("ann@example.org", "a long password")
    for slug in ("a", "b", "c"):
        study = make_study(dataset=make_dataset(slug=f"data-{slug}"), slug=slug)
        add_member(study=study, user=person, role=Role.ADMIN)
    type(study).objects.filter(slug="c").update(state="open")
    client = Client()
    client.force_login(person)
    return client


def asked(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return answer.json()


LISTS = [
    "studies/",
    "studies/a/invitations/",
    "studies/a/exports/",
    "studies/a/analyses/",
    "studies/a/runs/",
    "studies/a/documents/",
    "datasets/",
    "datasets/data-a/analyses/",
    "datasets/data-a/runs/",
    "imports/",
    "import-formats/",
    "analyses/",
    "analyses/free/",
    "runs/",
    "tokens/",
]


@pytest.mark.parametrize("place", LISTS)
def test_a_list_comes_in_pages_and_at_its_old_address_whole(ann, place):
    plain = asked(ann, f"/api/{place}")
    page = asked(ann, f"/api/v1/{place}?limit=500")
    assert isinstance(plain, list)
    assert page == {"count": len(plain), "next": None, "previous": None, "results": plain}
    assert asked(ann, f"/api/v1/{place}?limit=1")["results"] == plain[:1]


def test_the_pages_together_are_the_list(ann):
    found, address = [], "/api/v1/studies/?limit=2"
    while address:
        page = asked(ann, address)
        found += [study["slug"] for study in page["results"]]
        address = page["next"]
    assert sorted(found) == ["a", "b", "c"]


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "limit=-1", "page=0", "page=x", "limit=%C2%B2"])
def test_a_page_that_cannot_be_given_is_refused_by_name(ann, query):
    answer = ann.get(f"/api/v1/studies/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert list(answer.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.parametrize("query", ["page=2", "page=99999999999999999999"])
def test_a_page_after_the_last_is_not_there(ann, query):
    assert ann.get(f"/api/v1/studies/?{query}").status_code in {400, 404}


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("studies/?state=open", ["c"]),
        ("studies/?role=expert", []),
        ("datasets/?search=DATA-B", ["data-b"]),
        ("datasets/?task=ordinal", []),
    ],
)
def test_a_list_can_be_narrowed(ann, address, found):
    assert [row["slug"] for row in asked(ann, f"/api/v1/{address}")["results"]] == found


def test_the_history_can_be_narrowed_to_an_act_a_person_and_days(ann):
    ann.get("/api/v1/studies/a/exports/csv/")
    day = Event.objects.order_by("at").last().at.date().isoformat()
    for query in ("action=exported", "action=exported&actor=ann@", f"action=exported&from={day}&to={day}"):
        rows = asked(ann, f"/api/v1/studies/a/events/?{query}")["results"]
        assert [row["action"] for row in rows] == [EventKind.EXPORTED], query
    for query in ("actor=nobody", "to=2001-01-01", "from=2999-01-01"):
        assert asked(ann, f"/api/v1/studies/a/events/?{query}")["results"] == [], query
    assert ann.get("/api/v1/studies/a/events/?from=yesterday").json()["fields"].keys() == {"from"}
    assert ann.get("/api/v1/studies/a/events/?action=nothing").json()["fields"].keys() == {"action"}


def test_the_history_says_by_whom_and_by_what_it_can_be_narrowed_at_a_constant_cost(ann, django_assert_num_queries):
    for _ in range(3):
        ann.get("/api/v1/studies/a/exports/csv/")
    found = asked(ann, "/api/v1/studies/a/events/summary/")
    exported = next(one for one in found["acts"] if one["action"] == "exported")
    assert exported == {"action": "exported", "title": "Exported", "count": 3}
    assert {"actor": "ann@example.org", "person": "ann@example.org"}.items() <= found["people"][-1].items()
    with django_assert_num_queries(5):  # one of them: whether ann may see addresses
        rows = asked(ann, "/api/v1/studies/a/events/?action=exported")["results"]
    assert [row["sentence"] for row in rows] == ["ann@example.org exported answers: CSV."] * 3


def test_an_experts_list_of_studies_costs_the_same_however_many_there_are(ann, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        asked(ann, "/api/v1/studies/?limit=500")


def test_an_address_without_a_version_is_answered_by_the_very_same_view():
    for address in every_address():
        if address.startswith("/api/v1/"):
            now, before = resolve(address), resolve(address.replace("/api/v1/", "/api/"))
            assert (now.func, now.kwargs) == (before.func, before.kwargs), address
