"""Every operation of the API, asked as everybody, with a login and with a token (the table: tests/permissions.py)."""

import json
import re
import uuid

import pytest
from django.db import transaction
from django.test import Client

from tests.permissions import HIDDEN, PAGE, PEOPLE, YES, expected, needs_login, operations, page
from tests.worlds.everybody import make_everybody

# What is asked for by a name may be missing for whoever may ask, too: no run of the test has a result.
MAY_BE_MISSING = re.compile(
    r"runs/\{id\}/|results/\{analysis\}|documents/\{id\}/file|votes/|systems/\{name\}|users/invitations/\{id\}|"
    r"export-files/\{id\}/file|labels/|guesses/|last/|answer/|(session|account)/provider/|passkeys/\{id\}/"
)


# Whose it is is asked after what was sent.
KEY = {"key": str(uuid.UUID(int=7)), "active_ms": 1}
BODIES = {
    "labels/": KEY | {"labels": [0]},
    "preference/": KEY | {"a_chosen": True, "b_chosen": False, "certainty": 0.5},
    "correction/": KEY | {"a_chosen": True, "b_chosen": False, "certainty": 0.5},
    "erasures/preview/": {"what": "study", "study": "small-study"},
    "guess/": KEY | {"side": "a"},
    "report/": KEY | {"reason": "other", "text": "x", "skip": False},
}


@pytest.fixture
def world(db):
    return make_everybody()


def asked(client, method, address):
    cookies = client.cookies.copy()  # signing out is asked, too
    with transaction.atomic():
        kind = "multipart/form-data; boundary=x" if address == "/api/v1/imports/" else "application/json"
        body = b"--x--\r\n" if "multipart" in kind else json.dumps(body_for(method, address)).encode()
        answer = client.generic(method, address, b"" if method == "GET" else body, content_type=kind)
        transaction.set_rollback(True)
    client.cookies = cookies
    if answer.status_code in {401, 404} or (answer.status_code == 403 and answer.json()["code"] == "not_allowed"):
        return str(answer.status_code)
    return "needs_login" if answer.status_code == 403 else YES if answer.status_code < 500 else str(answer.status_code)


def body_for(method, address):
    """What is sent, so that whose it is is asked before what is wrong with it."""
    if method == "PATCH" and "/datasets/" in address:
        return {"display_name": "x"} if "/labels/" in address else {"title": "x"}
    if "/assignments/" not in address:
        return {}
    return next((body for end, body in BODIES.items() if address.endswith(end)), {})


def other_than_the_table(world, who, *, has_token):
    """What was answered otherwise to a person with a login and perhaps with a token; and how much was asked."""
    browser = Client()
    script = Client(headers={"authorization": f"Bearer {world.secrets[who]}"}) if has_token else None
    if who in world.people:
        browser.force_login(world.people[who])
    wrong, count = [], 0
    for method, address in operations():
        wanted, place = expected(method, address)[who], world.filled(address)
        allowed = {wanted} | ({HIDDEN} if wanted == YES and MAY_BE_MISSING.search(address) else set())
        count += 1
        if (found := asked(browser, method, place)) not in allowed:
            wrong.append(f"{method} {address} as {who}: {found}, not {wanted}")
        if script and address not in {"session/", "invitations/look/", "invitations/accept/"}:
            allowed = {"needs_login"} if needs_login(method, address) else allowed
            count += 1
            if (found := asked(script, method, place)) not in allowed:
                wrong.append(f"{method} {address} with a token of {who}: {found}, not {allowed}")
    return wrong, count


@pytest.mark.parametrize("who", PEOPLE)
def test_everybody_is_answered_as_the_table_says(world, who):
    """With a token, only two of them: who may do most, and who may see least."""
    wrong, _ = other_than_the_table(world, who, has_token=who in {"admin", "expert"})
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_everybody_with_a_token_is_answered_as_the_table_says(world, tried):
    asked_of_all = [other_than_the_table(world, who, has_token=who != "nobody") for who in PEOPLE]
    tried(sum(count for _, count in asked_of_all), f"requests as {len(PEOPLE)} people, with login and token")
    wrong = [line for lines, _ in asked_of_all for line in lines]
    assert not wrong, "\n".join(wrong)


def test_the_page_says_what_is_tested():
    assert PAGE.read_text() == page(), "run: make reference"


def test_an_address_that_nobody_thought_of_is_named():
    with pytest.raises(LookupError, match=r"add a line to RULES in tests/permissions\.py"):
        expected("GET", "brand-new/")
