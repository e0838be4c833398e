"""Markdown is shown to who sets studies up exactly as experts will read it."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotations.ground.bounds import RENDERED
from annotations.models import Role, Study, User
from annotations.shown.instructions import as_html
from tests.worlds.answering import Page
from tests.worlds.studies import make_member, make_open_study, make_study

pytestmark = pytest.mark.django_db
BOUNDS = RENDERED["markdown"]
SMALL = 49_000
"""Characters of a text that is within the bound of what may be written, whatever it becomes."""


def repeated(part: str, *, after: str = "") -> str:
    return after + part * ((SMALL - len(after)) // len(part))


GROWING = {
    "an address": repeated("[a] ", after=f"[a]: /{'b' * 20_000}\n\n"),
    "the title of an address": repeated("[a] ", after=f'[a]: /b "{"t" * 20_000}"\n\n'),
    "signs that HTML writes longer": repeated("[a] ", after=f"[a]: /{'&' * 20_000}\n\n"),
    "the address of a picture": repeated("![a] ", after=f"[a]: /{'b' * 20_000}\n\n"),
    "many addresses": repeated("[0] [9] ", after="".join(f"[{n}]: /{'b' * 2_000}\n\n" for n in range(10))),
    "addresses in quotes in lists": repeated("> - [a]\n", after=f"[a]: /{'b' * 20_000}\n\n"),
    "addresses in a table": repeated("[a]|[a]\n", after=f"[a]: /{'b' * 20_000}\n\n-|-\n-|-\n"),
}
"""Markdown of 49,000 characters that would become up to 200 MB."""

SLOW = {
    "code in quotes that nobody closes": repeated("> ```\na\n"),
    "underlines that quotes do not have": repeated("===\n===\n> ", after="x"),
    "lists that quotes do not have": repeated("===\n|2)   [a]: b\n>", after="\n2) )"),
    "twenty quotes": repeated("b\n", after=">" * 20 + "a\n"),
    "brackets": repeated("!["),
}
"""Markdown of 49,000 characters that would take up to minutes."""

WIDE = "|a" * 6_000 + "\n" + "|-" * 6_000 + "\n"
CROWDED = {
    "cells that nobody wrote": repeated("a\n", after=WIDE),
    "links": repeated("[a](b)"),
    "quotation marks": repeated('"'),
}
"""Markdown that becomes longer without any address that is used again."""


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


@pytest.mark.parametrize("kind", GROWING)
def test_a_short_text_that_would_become_a_very_long_one_is_refused_with_what_to_do(study: Study, kind: str) -> None:
    admin = make_member(study, Role.ADMIN, "a@example.org").user
    refused = shown(admin, GROWING[kind])
    told = refused.json()
    assert (refused.status_code, told["code"], list(told["fields"])) == (400, "too_much_to_render", ["markdown"])
    assert told["data"]["most"] == BOUNDS.most_expanded
    assert "200,000" in told["detail"]


@pytest.mark.parametrize("kind", SLOW)
def test_a_short_text_that_would_take_very_long_is_refused_after_a_bounded_number_of_steps(
    study: Study, kind: str
) -> None:
    refused = shown(make_member(study, Role.ADMIN, "a@example.org").user, SLOW[kind])
    told = refused.json()
    assert (refused.status_code, told["code"], list(told["fields"])) == (400, "too_much_to_render", ["markdown"])
    assert told["data"]["most"] == BOUNDS.most_steps


@pytest.mark.parametrize("kind", [*GROWING, *CROWDED])
def test_whatever_is_written_no_answer_is_longer_than_the_bound(study: Study, kind: str) -> None:
    admin = make_member(study, Role.ADMIN, "a@example.org").user
    answer = shown(admin, (GROWING | CROWDED)[kind])
    assert answer.status_code in {200, 400}
    assert len(answer.json().get("html", "")) <= BOUNDS.most_out


@pytest.mark.parametrize("field", ["instructions", "consent"])
def test_it_is_not_stored_for_experts_either(study: Study, field: str) -> None:
    client = Client()
    client.force_login(make_member(study, Role.ADMIN, "a@example.org").user)
    for text in (GROWING["an address"], "x" * (BOUNDS.most_in + 1)):
        refused = client.patch(
            f"/api/v1/studies/{study.slug}/", {field: text, "version": study.version}, content_type="application/json"
        )
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    study.refresh_from_db()
    assert "[a]: /bbb" not in getattr(study, field)


@pytest.mark.parametrize("text", [GROWING["an address"], "x" * 60_000], ids=["growing", "long"])
def test_what_an_earlier_version_stored_opens_as_plain_text_with_a_notice(text: str) -> None:
    study = make_open_study(experts=1)
    Study.objects.update(instructions=f"<b>Read</b> slowly.\n\n{text}", consent=text)
    html = Page(study.memberships.get(role=Role.EXPERT).user).next().json()["study"]["instructions_html"]
    assert "<p>&lt;b&gt;Read&lt;/b&gt; slowly.<br>" in html
    assert html.startswith("<p><strong>")
    assert len(html) <= 2 * BOUNDS.most_in
    admin = Client()
    admin.force_login(make_member(study, Role.ADMIN, "a@example.org").user)
    preview = admin.get(f"/api/v1/studies/{study.slug}/preview/")
    assert (preview.status_code, len(preview.content) < 10 * BOUNDS.most_in) == (200, True)


def test_ordinary_instructions_are_far_from_the_bounds(study: Study) -> None:
    admin = make_member(study, Role.ADMIN, "a@example.org").user
    chapter = (
        "## How to read\n\nRead *slowly*, see [the guide][g].\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n"
    )
    text = repeated(chapter, after="[g]: https://example.org/guide 'The guide'\n\n")
    answer = shown(admin, text)
    assert answer.status_code == 200
    assert len(answer.json()["html"]) < BOUNDS.most_out / 2
