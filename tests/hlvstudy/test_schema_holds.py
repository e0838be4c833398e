"""The API keeps to its own schema, whatever is sent, and whoever asks: no fault of the server, nothing undocumented."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from annotations.api.schema import api_schema
from annotations.designing.lifecycle import add_member
from annotations.models import Role, User
from hlvstudy.wsgi import application
from tests.worlds.full import make_full_study

pytestmark = pytest.mark.django_db
EXAMPLES = 4
"""How many requests are made for each operation and person; of these, half with names of what there is."""
PEOPLE = ("admin", "researcher", "expert", "stranger")


SECRETS = {"POST /api/v1/session/", "POST /api/v1/invitations/accept/"}
"""Where no schema says what is accepted: which password is right, which link is there."""

HELD: dict[str, str] = {}
"""The cookies of whoever asks now."""


class SignedIn:
    """Gives each request the login that `ignored_auth` takes away again, to see whether it was needed."""

    def get(self, case: Any, context: Any) -> dict[str, str]:
        return HELD

    def set(self, case: Any, data: dict[str, str], context: Any) -> None:
        case.cookies = {**(case.cookies or {}), **data}


@pytest.fixture(scope="module")
def api() -> Any:
    found = schemathesis.openapi.from_dict(api_schema())
    found.app = application
    found.auth(refresh_interval=None)(SignedIn)
    return found


@pytest.fixture
def world(request: pytest.FixtureRequest) -> dict[str, str]:
    """A study with answers, and the cookies of a person in it."""
    study = make_full_study()
    who = request.param
    person = User.objects.create_user(f"{who}@example.org", "a long password")
    if who != "stranger":
        add_member(study=study, user=person, role=Role(who))
    client = Client()
    client.force_login(person)
    client.get("/api/v1/session/")
    return {name: cookie.value for name, cookie in client.cookies.items()}


@pytest.fixture
def cookies(world: dict[str, str]) -> Iterator[dict[str, str]]:
    """The requests see what the test has not committed, as those of Django's own client do (whose use ends it)."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    HELD.update(world)
    yield world
    HELD.clear()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def _failures(api: Any, cookies: dict[str, str], *, theres: tuple[bool, ...]) -> str:
    operations = [result.ok() for result in api.get_all_operations()]
    failures: list[str] = []
    for operation in operations:
        for there in theres:
            failures += _tried(operation, cookies, there=there)
    return "\n\n".join(failures)


@pytest.mark.parametrize("world", ["researcher"], indirect=True)
def test_whatever_is_sent_about_what_is_there_the_answer_is_as_documented(api: Any, cookies: dict[str, str]) -> None:
    assert not _failures(api, cookies, theres=(True,))


@pytest.mark.long
@pytest.mark.postgresql  # which refuses more: characters, numbers
@pytest.mark.parametrize("world", PEOPLE, indirect=True)
def test_whatever_is_sent_the_answer_is_as_documented(api: Any, cookies: dict[str, str]) -> None:
    assert not _failures(api, cookies, theres=(False, True))


def _tried(operation: Any, cookies: dict[str, str], *, there: bool) -> list[str]:
    failures: dict[str, str] = {}
    headers = {"X-CSRFToken": cookies["csrftoken"]}
    cases = st.one_of(operation.as_strategy(generation_mode=mode) for mode in _modes(operation))

    @settings(
        max_examples=EXAMPLES // 2,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        if there:
            _name_what_there_is(case)
        unsayable = [positive_data_acceptance] if operation.label in SECRETS or _has_nul(case.body) else []
        try:
            with transaction.atomic():
                case.call_and_validate(headers=headers, excluded_checks=unsayable)
                transaction.set_rollback(True)
        except (Exception, BaseExceptionGroup) as error:
            failures.setdefault(type(error).__name__, f"{operation.label}: {error}")

    ask()
    return list(failures.values())


def _has_nul(body: Any) -> bool:
    """Whether a character is in it that no JSON may bring here (annotations/api/parsing.py): no schema says so."""
    return isinstance(body, dict) and r"\u0000" in json.dumps(body, default=str)


def _modes(operation: Any) -> list[Any]:
    """What takes nothing but a login can be sent nothing wrong but no login, which is asked elsewhere, as above."""
    takes_something = {"parameters", "requestBody"} & set(operation.definition.raw)
    return list(schemathesis.GenerationMode) if takes_something else [schemathesis.GenerationMode.POSITIVE]


def _name_what_there_is(case: Any) -> None:
    slug = "small" if case.path.startswith("/api/v1/datasets/") else "small-study"
    for name in case.path_parameters or {}:
        if name == "slug":
            case.path_parameters[name] = slug
