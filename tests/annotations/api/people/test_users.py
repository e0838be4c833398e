"""The people of an installation over the API: for its admins, and for nobody else."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.designing.lifecycle import add_member
from annotations.models import Invitation, Role, User
from annotations.people.access import tokens
from annotations.people.access.roles import Roles, change_roles
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db
PASSWORD = "violets and rain 17"


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("admin@example.org", PASSWORD, name="Ada")


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", PASSWORD, name="Ann")


def signed_in(user: User | None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


def post(client: Client, address: str, body: dict[str, Any] | None = None) -> Any:
    return client.post(f"/api/v1/{address}", body or {}, content_type="application/json")


def patch(client: Client, user: User, **body: Any) -> Any:
    return client.patch(f"/api/v1/users/{user.pk}/", body, content_type="application/json")


def token_of(issued: dict[str, Any]) -> str:
    return str(issued["link"].split("#")[1])


def test_for_everybody_else_there_is_no_such_address(admin, ann):
    study = make_study()
    change_roles(user=ann, roles=Roles(can_import=True, can_create_studies=True))
    add_member(study=study, user=ann, role=Role.ADMIN)
    secret = tokens.make(user=admin, name="notebook").secret
    for client, headers, status in (
        (signed_in(ann), {}, {404}),
        (signed_in(None), {}, {401}),
        (signed_in(None), {"Authorization": f"Bearer {secret}"}, {401, 403}),
    ):
        assert client.get("/api/v1/users/", headers=headers).status_code in status
        assert client.get("/api/v1/users/invitations/", headers=headers).status_code in status
        for address in ("users/invitations/",):
            body = {"addresses": "x@example.org"}
            sent = client.post(f"/api/v1/{address}", body, content_type="application/json", headers=headers)
            assert sent.status_code in status
        changed = client.patch(
            f"/api/v1/users/{ann.pk}/", {"is_admin": True}, content_type="application/json", headers=headers
        )
        assert changed.status_code in status
    assert not User.objects.get(pk=ann.pk).is_superuser


def test_the_list_finds_by_name_and_role_and_leaves_out_simulated_experts(admin, ann):
    study = make_study()
    add_member(study=study, user=User.objects.create_user("robot@example.org"), role=Role.EXPERT, is_simulated=True)
    add_member(study=study, user=ann, role=Role.RESEARCHER)
    change_roles(user=ann, roles=Roles(can_import=True))
    client = signed_in(admin)

    def found(query: str = "") -> list[str]:
        return [row["email"] for row in client.get(f"/api/v1/users/{query}").json()["results"]]

    assert found() == ["admin@example.org", "ann@example.org"]
    assert found("?search=AN") == ["ann@example.org"]
    assert found("?role=may_import") == found()
    assert found("?role=may_create") == found("?role=admin") == ["admin@example.org"]
    row = client.get("/api/v1/users/?search=ann").json()["results"][0]
    assert (row["can_import"], row["can_create_studies"], row["is_admin"], row["studies"]) == (True, False, False, 1)


def test_the_list_costs_the_same_for_few_and_many(admin):
    client = signed_in(admin)

    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert client.get("/api/v1/users/").status_code == 200
        return len(context)

    few = queries()
    study = make_study()
    for number in range(40):
        make_member(study, Role.RESEARCHER, f"person{number}@example.org")
    assert queries() == few


def test_an_admin_changes_name_roles_and_closes_an_account(admin, ann):
    client = signed_in(admin)
    row = patch(client, ann, name="Ann Lee", can_create_studies=True).json()
    assert (row["name"], row["can_create_studies"], row["can_import"]) == ("Ann Lee", True, False)
    other = signed_in(ann)
    assert other.get("/api/v1/session/").json()["user"]["can_create_studies"] is True
    assert patch(client, ann, is_active=False).json()["is_active"] is False
    assert other.get("/api/v1/session/").json()["user"] is None
    assert patch(client, ann, is_active=True).json()["is_active"] is True


def test_an_admin_cannot_lock_themselves_out(admin):
    for body in ({"is_admin": False}, {"is_active": False}):
        refused = patch(signed_in(admin), admin, **body)
        assert (refused.status_code, refused.json()["code"]) == (409, "own_administration")


def test_whoever_is_invited_gets_what_the_invitation_says(admin):
    body = {"addresses": "erin@example.org", "may_import": True, "may_create": True}
    issued = post(signed_in(admin), "users/invitations/", body).json()[0]
    guest = Client()
    shown = post(guest, "invitations/look/", {"token": token_of(issued)}).json()
    assert (shown["purpose"], shown["study"], shown["may_import"], shown["consent"]) == ("arrive", "", True, None)
    arrived = post(guest, "invitations/accept/", {"token": token_of(issued), "password": PASSWORD})
    assert arrived.status_code == 200, arrived.content
    assert (arrived.json()["slug"], arrived.json()["role"]) == ("", "")
    user = guest.get("/api/v1/session/").json()["user"]
    assert (user["can_import"], user["can_create_studies"], user["is_admin"]) == (True, True, False)


def test_an_invitation_gives_no_rights_once_its_maker_has_none(admin, ann):
    change_roles(user=ann, roles=Roles(is_admin=True))
    issued = post(signed_in(ann), "users/invitations/", {"addresses": "erin@example.org", "may_administer": True})
    change_roles(user=ann, roles=Roles(is_admin=False), actor=admin)
    guest = Client()
    post(guest, "invitations/accept/", {"token": token_of(issued.json()[0]), "password": PASSWORD})
    assert guest.get("/api/v1/session/").json()["user"]["is_admin"] is False


def test_an_address_with_an_account_or_a_waiting_link_is_named(admin, ann):
    client = signed_in(admin)
    assert post(client, "users/invitations/", {"addresses": "erin@example.org"}).status_code == 201
    refused = post(client, "users/invitations/", {"addresses": "erin@example.org\nann@example.org\nnobody"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_addresses")
    assert [line["line"] for line in refused.json()["data"]["lines"]] == [1, 2, 3]


def test_a_link_is_replaced_and_revoked(admin):
    client = signed_in(admin)
    first = post(client, "users/invitations/", {"addresses": "erin@example.org", "may_create": True}).json()[0]
    second = post(client, f"users/invitations/{first['invitation']['id']}/replace/").json()
    assert second["invitation"]["may_create"] is True
    assert post(Client(), "invitations/look/", {"token": token_of(first)}).json()["code"] == "link_revoked"
    assert post(client, f"users/invitations/{second['invitation']['id']}/revoke/").json()["state"] == "revoked"
    assert Invitation.objects.unsettled().count() == 0


def test_only_admins_of_the_installation_give_rights_with_a_study_and_never_to_experts(admin, ann):
    study = make_study()
    add_member(study=study, user=ann, role=Role.ADMIN)
    body = {"addresses": "erin@example.org", "role": "researcher", "may_import": True}
    refused = post(signed_in(ann), "studies/study/invitations/", body)
    assert (refused.status_code, refused.json()["code"]) == (403, "rights_not_yours")
    blind = post(signed_in(admin), "studies/study/invitations/", body | {"role": "expert"})
    assert (blind.status_code, blind.json()["code"]) == (403, "rights_not_yours")
    issued = post(signed_in(admin), "studies/study/invitations/", body).json()[0]
    replaced = post(signed_in(ann), f"studies/study/invitations/{issued['invitation']['id']}/replace/")
    assert replaced.json()["code"] == "rights_not_yours"
    guest = Client()
    post(guest, "invitations/accept/", {"token": token_of(issued), "password": PASSWORD})
    assert guest.get("/api/v1/session/").json()["user"]["can_import"] is True
