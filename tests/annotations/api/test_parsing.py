"""What a request may contain: no key that its operation does not know, except in an answer."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from annotations.api.schema import Schema, api_schema
from annotations.models import Guess, LabelResponse, PreferenceResponse, Report, Role, StudyState
from tests.permissions import YES, expected
from tests.worlds.answering import Page, complete_all
from tests.worlds.everybody import make_everybody
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db
UNKNOWN = "an_unknown_key"
ANSWERS = ("labels", "preference", "correction", "report", "guess")
"""What the pages keep until it is stored (frontend/src/outbox/kinds.ts)."""


def is_answer(address: str) -> bool:
    return address.startswith("assignments/") and address.split("/")[2] in ANSWERS


def operations() -> Iterator[tuple[str, str, Schema | None]]:
    """Every operation that may be sent a body, with the schema of the JSON that it takes; None: it takes none."""
    for address, item in api_schema()["paths"].items():
        for method, operation in item.items():
            if method in {"post", "put", "patch", "delete"}:
                content = operation.get("requestBody", {}).get("content", {})
                assert not content or set(content) <= {"application/json", "multipart/form-data"}
                yield (
                    method.upper(),
                    address.removeprefix("/api/v1/"),
                    content.get("application/json", {}).get("schema"),
                )


def resolved(schema: Schema) -> Schema:
    schema = next((one for one in schema.get("allOf", schema.get("oneOf", ())) if one.get("type") != "null"), schema)
    named = schema.get("$ref", "").rpartition("/")[2]
    return api_schema()["components"]["schemas"][named] if named else schema


def objects_in(schema: Schema) -> Iterator[tuple[str, Any, Schema]]:
    """Every object with named keys in a body: its place in an error, a body with nothing but an unknown key there, and
    the object's schema."""
    schema = resolved(schema)
    if "properties" in schema:
        yield UNKNOWN, {UNKNOWN: 1}, schema
        for name, inner in schema["properties"].items():
            for place, body, found in objects_in(inner):
                yield f"{name}.{place}", {name: body}, found
    elif schema.get("type") == "array":
        for place, body, found in objects_in(schema["items"]):
            yield f"0.{place}", [body], found


def sent(client: Client, method: str, address: str, body: object) -> Any:
    with transaction.atomic():
        answer = client.generic(method, address, json.dumps(body), content_type="application/json")
        transaction.set_rollback(True)
    return answer


def test_no_operation_takes_an_unknown_key_except_those_that_store_answers(tried: Any) -> None:
    world = make_everybody()
    wrong, count = [], 0
    for method, address, schema in operations():
        if address == "imports/" or is_answer(address) or address.startswith("demo/"):
            continue  # a form, below; an answer, below; only there in a demo
        may = [who for who, answer in expected(method, address).items() if answer == YES and who != "nobody"]
        client: Any = Client()
        client.force_login(world.people[may[-1]])
        cookies = client.cookies.copy()
        for place, body, _ in objects_in(schema or {"properties": {}}):
            client.cookies = cookies.copy()
            answer = sent(client, method, world.filled(address), body)
            count += 1
            said = answer.json() if answer.status_code == 400 else {}
            if said.get("code") != "unknown_key" or UNKNOWN not in said["detail"] or list(said["fields"]) != [place]:
                wrong.append(f"{method} {address} with {json.dumps(body)}: {answer.status_code} {said}")
    tried(count, "bodies with an unknown key")
    assert not wrong, "\n".join(wrong)


def test_the_schema_says_which_bodies_take_no_other_keys() -> None:
    for method, address, schema in operations():
        for place, _, found in objects_in(schema or {}):
            assert (found.get("additionalProperties") is False) != is_answer(address), f"{method} {address}: {place}"


def test_the_error_names_the_key_its_place_and_what_was_probably_meant() -> None:
    world = make_everybody()
    client = Client()
    client.force_login(world.people["admin"])
    body = {"planned": [{"analysis": "overview", "paramters": {}}]}
    answer = sent(client, "PUT", "/api/v1/studies/small-study/analysis-plan/", body)
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == ["planned.0.paramters"]
    (sentence,) = answer.json()["fields"]["planned.0.paramters"]
    assert "parameters" in sentence
    assert answer.json()["data"]["allowed"] == {"planned.0": ["analysis", "parameters", "seed", "note"]}


@pytest.mark.parametrize(
    ("address", "body", "field"),
    [
        ("/api/v1/studies/small-study/runs/", {"analysis": "study_quality", "parameters": {UNKNOWN: 1}}, UNKNOWN),
        ("/api/v1/datasets/small/trainings/", {"parameters": {UNKNOWN: 1}}, UNKNOWN),
        ("/api/v1/datasets/small/trainings/", {"encoder": "/etc/passwd"}, "encoder"),
    ],
)
def test_parameters_are_refused_by_their_own_declaration(address: str, body: object, field: str) -> None:
    world = make_everybody()
    client = Client()
    client.force_login(world.people["root"])
    answer = sent(client, "POST", address, body)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]


def test_a_form_takes_no_unknown_field() -> None:
    world = make_everybody()
    client = Client()
    client.force_login(world.people["importer"])
    answer = client.post("/api/v1/imports/", {"kind": "dataset", "dry_runs": "true"})
    assert answer.status_code == 400
    assert answer.json()["code"] == "unknown_key"
    assert list(answer.json()["fields"]) == ["dry_runs"]


def test_an_answer_of_an_earlier_page_is_stored_whatever_else_it_says() -> None:
    """It has waited in a browser, perhaps for days, and the person has long gone on."""
    study = make_open_study(experts=1, asks_guess=True)
    expert = study.memberships.get(role=Role.EXPERT).user
    page = Page(expert)
    earlier = {UNKNOWN: {"of": ["an", "earlier", "page"]}}
    token = page.next().json()["assignment"]["token"]
    assert page.labels(token, labels=[0], **earlier).status_code == 200
    assert page.preference(token, **earlier).status_code == 200
    given = {"a_chosen": True, "b_chosen": False, "certainty": 0.25, "active_ms": 10}
    for kind, body in (
        ("correction", given),
        ("report", {"reason": "other", "text": "", "skip": False}),
    ):
        answer = page.post(f"assignments/{token}/{kind}/", {"key": str(uuid.uuid4())} | body | earlier)
        assert answer.status_code == 200, answer.content
    complete_all(expert)
    token = page.client.get("/api/v1/studies/study/guesses/").json()["assignments"][0]["token"]
    body = {"key": str(uuid.uuid4()), "side": "a"} | earlier
    assert page.post(f"assignments/{token}/guess/", body).status_code == 200
    assert study.state == StudyState.OPEN
    stored = [
        kind.objects.filter(assignment__study=study) for kind in (LabelResponse, PreferenceResponse, Report, Guess)
    ]
    assert all(rows.exists() for rows in stored)
