"""Markdown is shown to who sets studies up exactly as experts will read it."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotations.instructions import as_html
from annotations.models import Role, Study, User
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db


def shown(user: User, markdown: str) -> Any:
    client = Client()
    client.force_login(user)
    return client.post("/api/v1/markdown/", {"markdown": markdown}, content_type="application/json")


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def test_it_is_the_html_that_experts_get(study: Study) -> None:
    user = make_member(study, Role.RESEARCHER, "r@example.org").user
    for text in ("", "  - a\n  - b\n", "**b** <b onclick=x>x</b> ![i](https://x.org/i.png) [j](javascript:alert(1))"):
        answer = shown(user, text)
        assert (answer.status_code, answer.json()) == (200, {"html": as_html(text)})


def test_who_sets_no_study_up_finds_no_such_address(study: Study) -> None:
    expert = make_member(study, Role.EXPERT, "e@example.org").user
    importer = User.objects.create_user("i@example.org")
    importer.user_permissions.add(Permission.objects.get(codename="add_dataset"))
    for user in (expert, importer):
        assert shown(user, "x").status_code == 404
    founder = User.objects.create_user("f@example.org")
    founder.user_permissions.add(Permission.objects.get(codename="add_study"))
    assert shown(founder, "x").status_code == 200


def test_its_length_is_bounded(study: Study) -> None:
    admin = make_member(study, Role.ADMIN, "a@example.org").user
    assert shown(admin, "x" * 50_000).status_code == 200
    refused = shown(admin, "x" * 50_001)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["markdown"])
