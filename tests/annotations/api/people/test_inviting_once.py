"""The same request twice: one set of links, told both times. And tables of people, over the API."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotations.models import Event, EventKind, Invitation, IssuingRequest, Role, Study, User
from annotations.people.invitations.links import digest_of
from annotations.shown.consent import consent_text, version_of
from tests.worlds.studies import make_member, make_study

PASSWORD = "violets and rain 17"
KEY = "0b0c0f53-5f0d-4c9c-9a38-8bd3b6f9a7c1"


def ready(*, study: bool = True) -> Client:
    """The browser of an admin of a study and of the installation."""
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    if study:
        make_study(experts=1)
    client = Client()
    client.force_login(root)
    return client


def post(client: Client, address: str, body: dict[str, Any], key: str | None = KEY) -> Any:
    headers = {"Idempotency-Key": key} if key is not None else {}
    return client.post(f"/api/v1/{address}", body, content_type="application/json", headers=headers)


PLACES = ["studies/study/invitations/", "users/invitations/"]


@pytest.mark.django_db
@pytest.mark.parametrize("place", PLACES)
def test_a_repeated_request_is_answered_with_the_same_links(place):
    client = ready()
    body = {"addresses": "a@example.org, b@example.org"}
    first, again = post(client, place, body), post(client, place, body)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert Invitation.objects.count() == 2
    assert Event.objects.filter(kind=EventKind.INVITED).count() == 2
    found = Client().post(
        "/api/v1/invitations/look/",
        {"token": again.json()[1]["link"].split("#")[1]},
        content_type="application/json",
    )
    assert found.json()["email"] == "b@example.org"


@pytest.mark.django_db
def test_the_same_key_with_something_else_is_refused():
    client = ready()
    post(client, PLACES[0], {"addresses": "a@example.org"})
    refused = post(client, PLACES[0], {"addresses": "b@example.org"})
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_key_used")
    # Another person's, or at another address, it is another key.
    assert post(client, PLACES[1], {"addresses": "b@example.org"}).status_code == 201
    other = Client()
    other.force_login(make_member(Study.objects.get(slug="study"), Role.ADMIN, "admin@example.org").user)
    assert post(other, PLACES[0], {"addresses": "b@example.org"}).status_code == 201
    assert Invitation.objects.count() == 3


@pytest.mark.django_db
def test_a_refused_request_does_not_use_its_key_up():
    client = ready()
    assert post(client, PLACES[0], {"addresses": "nobody"}).json()["code"] == "bad_addresses"
    assert post(client, PLACES[0], {"addresses": "a@example.org"}).status_code == 201


@pytest.mark.django_db
def test_after_a_day_a_key_is_as_good_as_new():
    client = ready()
    body = {"addresses": "a@example.org"}
    first = post(client, PLACES[0], body).json()
    IssuingRequest.objects.update(expires_at=timezone.now())
    assert post(client, PLACES[0], body).json()["code"] == "bad_addresses"  # it waits already
    client.post(f"/api/v1/{PLACES[0]}{first[0]['invitation']['id']}/revoke/", content_type="application/json")
    second = post(client, PLACES[0], body)
    assert (second.status_code, second.json()[0]["link"] == first[0]["link"]) == (201, False)
    assert IssuingRequest.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "x" * 201, "ü", "a\tb"])
def test_what_is_no_key_is_refused(key):
    refused = post(ready(), PLACES[0], {"addresses": "a@example.org"}, key)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_idempotency_key")
    assert not Invitation.objects.exists()


@pytest.mark.django_db
def test_a_link_made_anew_is_told_again_too():
    client = ready()
    made = post(client, PLACES[0], {"addresses": "a@example.org"}).json()[0]["invitation"]["id"]
    anew = [post(client, f"{PLACES[0]}{made}/replace/", {}).json() for _ in range(2)]
    assert anew[0]["link"] == anew[1]["link"]
    number = Study.objects.get(slug="study").memberships.get().number
    access = [post(client, f"studies/study/members/{number}/access/", {}).json() for _ in range(2)]
    assert access[0]["link"] == access[1]["link"]
    here = post(client, PLACES[1], {"addresses": "a@example.org"}).json()[0]["invitation"]["id"]
    there = [post(client, f"{PLACES[1]}{here}/replace/", {}, "k").json() for _ in range(2)]
    assert there[0]["link"] == there[1]["link"]
    assert Invitation.objects.unsettled().count() == 3


@pytest.mark.django_db
def test_neither_link_nor_key_is_stored():
    client = ready()
    link = post(client, PLACES[0], {"addresses": "a@example.org"}).json()[0]["link"]
    token = link.split("#")[1]
    assert Invitation.objects.get().digest == digest_of(token)
    stored = repr([*IssuingRequest.objects.values(), *Invitation.objects.values(), *Event.objects.values()])
    assert token not in stored
    assert KEY not in stored


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("place", "keys"), [(PLACES[0], [KEY, KEY]), (PLACES[1], [KEY, KEY]), (PLACES[1], ["1", "2"])])
def test_two_requests_at_once_make_one_link_for_an_address(place, keys):
    """A double click is told the same twice; two people who invite one address at once do not both succeed."""
    clients, start = [ready(), Client()], threading.Barrier(2)
    answers: dict[int, Any] = {}
    clients[1].force_login(User.objects.get(email="root@example.org"))

    def ask(number: int) -> None:
        start.wait()
        try:
            answers[number] = post(clients[number], place, {"addresses": "a@example.org"}, keys[number])
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=[number]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Invitation.objects.unsettled().count() == 1
    if keys[0] == keys[1]:
        assert answers[0].json() == answers[1].json()
        assert answers[0].status_code == 201
    else:
        assert sorted(answer.status_code for answer in answers.values()) == [201, 400]


# -- tables


@pytest.mark.django_db
def test_a_table_invites_each_in_their_role_and_their_name_is_the_accounts():
    client = ready()
    table = "E-mail;Name;Role\nerin@example.org;Erin Expert;\nann@example.org;Ann;Researcher\n"
    made = post(client, PLACES[0], {"table": table, "role": "expert"}).json()
    assert [(one["invitation"]["name"], one["invitation"]["role"]) for one in made] == [
        ("Erin Expert", "expert"),
        ("Ann", "researcher"),
    ]
    agreed = version_of(consent_text(Study.objects.get(slug="study")))
    for one in made:
        body = {"token": one["link"].split("#")[1], "password": PASSWORD, "consent": agreed}
        assert Client().post("/api/v1/invitations/accept/", body, content_type="application/json").status_code == 200
    assert set(User.objects.filter(memberships__role="researcher").values_list("name", flat=True)) == {"Ann"}
    assert User.objects.get(email="erin@example.org").name == "Erin Expert"


@pytest.mark.django_db
def test_one_bad_line_of_a_table_and_nobody_is_invited():
    client = ready()
    refused = post(client, PLACES[0], {"table": "email,role\na@example.org,expert\nb@example.org,boss"})
    assert refused.status_code == 400
    assert refused.json()["data"]["lines"] == [
        {
            "line": 3,
            "value": "b@example.org",
            "reason": "has the unknown role “boss”; choose from expert, researcher, admin",
        }
    ]
    assert not Invitation.objects.exists()


@pytest.mark.django_db
def test_an_expert_in_a_table_gets_no_rights_on_the_installation():
    client = ready()
    body = {"table": "a@example.org,,expert\nb@example.org", "role": "researcher", "may_import": True}
    refused = post(client, PLACES[0], body)
    assert (refused.status_code, refused.json()["code"]) == (403, "rights_not_yours")


@pytest.mark.django_db
def test_to_the_installation_nobody_is_invited_in_a_role_of_a_study():
    refused = post(ready(), PLACES[1], {"table": "a@example.org,A,expert"})
    assert refused.json()["data"]["lines"][0]["reason"] == "has a role, but this invitation is not for a study"


@pytest.mark.django_db
@pytest.mark.parametrize("body", [{}, {"addresses": "a@example.org", "table": "a@example.org"}])
def test_a_list_or_a_table_is_given_not_both(body):
    refused = post(ready(), PLACES[0], body)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["addresses"])
