"""Signing in and out."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotations.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "a long password"
REST = {"sends_mail": False, "is_demo": False, "provider": "", "second_step": ""}


def sign_in(client: Client, email: str = "person@example.org", password: str = PASSWORD):
    return client.post("/api/session/", {"email": email, "password": password}, content_type="application/json")


def test_a_stranger_is_nobody(client: Client) -> None:
    answer = client.get("/api/session/")
    assert answer.json() == {"user": None, **REST}
    assert "csrftoken" in answer.cookies


def test_a_person_signs_in_with_any_case_of_their_address_and_out_again(
    client: Client, make_user: Callable[..., User]
) -> None:
    person = make_user(name="Person")
    expected = {
        "id": person.pk,
        "email": "person@example.org",
        "name": "Person",
        "language": "",
        "can_import": False,
        "can_create_studies": False,
        "is_admin": False,
    }
    assert sign_in(client, "Person@Example.org").json() == {"user": expected, **REST}
    assert client.get("/api/session/").json() == {"user": expected, **REST}
    assert client.delete("/api/session/").status_code == 204
    assert client.get("/api/session/").json() == {"user": None, **REST}


def test_a_wrong_password_does_not_tell_whether_the_address_exists(
    client: Client, make_user: Callable[..., User]
) -> None:
    make_user()
    wrong_password, wrong_address = sign_in(client, password="wrong"), sign_in(client, "nobody@example.org")
    assert wrong_password.status_code == wrong_address.status_code == 400
    assert wrong_password.content == wrong_address.content
    assert wrong_password.json()["code"] == "bad_login"


def test_guessing_is_locked_out(client: Client, make_user: Callable[..., User]) -> None:
    make_user()
    codes = [sign_in(client, password=f"wrong {n}").json()["code"] for n in range(11)]
    assert codes[0] == "bad_login"
    assert codes[-1] == "locked_out"
    assert sign_in(client).json()["code"] == "locked_out"


def test_signing_in_needs_the_csrf_token(make_user: Callable[..., User]) -> None:
    make_user()
    strict = Client(enforce_csrf_checks=True)
    assert sign_in(strict).status_code == 403
    strict.get("/api/session/")
    token = strict.cookies["csrftoken"].value
    answer = strict.post(
        "/api/session/",
        {"email": "person@example.org", "password": PASSWORD},
        content_type="application/json",
        headers={"X-CSRFToken": token},
    )
    assert answer.status_code == 200


def test_the_api_is_closed_to_strangers_and_kept_by_no_cache(client: Client) -> None:
    answer = client.get("/api/schema/")
    assert answer.status_code == 401
    assert answer["Cache-Control"] == "no-store"
    assert set(answer.json()) == {"code", "detail", "data", "fields"}


def test_an_unknown_address_of_the_api_is_not_the_page(client: Client) -> None:
    answer = client.get("/api/nothing-here/")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
