"""Researchers' pages in German and in Arabic: no English sentence is left, and Arabic pages are mirrored."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LAPTOP, PHONE, OpenPage
from tests.browser.speaking import ARABIC, GERMAN, Speech, english_sentences_on, parts
from tests.browser.study import BrowserStudy
from tests.browser.test_every_page import SIDEWAYS, SIGNS, address

IN_THE_STUDYS_LANGUAGE = {"/studies/:slug/preview/:part?"}
NAMES = {"Problems", "Health", "Table"}
"""The dataset of these tests, a label of it, and an import format (named by the server) are called so."""


@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_every_page_of_a_researcher_is_in_the_chosen_language(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], speech: Speech
) -> None:
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin, language=speech.code)
    found: dict[str, list[str]] = {}
    for route in SIGNS.keys() - IN_THE_STUDYS_LANGUAGE:
        slug = study.study.dataset.slug if route.startswith("/datasets") else study.study.slug
        page.goto(address(route, slug))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_text(speech.say("Loading…"), exact=True)).to_have_count(0)
        expect(page.locator("html")).to_have_attribute("lang", speech.code)
        expect(page.locator("html")).to_have_attribute("dir", speech.direction)
        found[route] = sorted(english_sentences_on(page, speech) - NAMES)
        for look in (LAPTOP, PHONE):
            page.set_viewport_size({"width": look.width, "height": look.height})
            if folder := os.environ.get("HLV_PICTURES"):
                name = f"{speech.code}-{route.strip('/').replace('/', '-').replace(':', '')}-{look.width}.png"
                page.screenshot(path=Path(folder) / name, full_page=True)
            found[route] += axe(page)
            if sideways := page.evaluate(SIDEWAYS):
                found[route] += [f"scrolls {sideways} pixels sideways at {look.width}"]

    assert {route: complaints for route, complaints in found.items() if complaints} == {}


@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_forms_that_the_server_declares_are_in_the_chosen_language(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], speech: Speech
) -> None:
    page = open_page(study.admin, language=speech.code)
    for name in ("preference_correlation", "power"):
        page.goto(f"/studies/{study.study.slug}/results?ask={name}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        groups = page.locator("form details")
        expect(groups).to_have_count(3)
        for group in groups.all():
            group.locator("summary").click()
        expect(page.locator("form label").first).to_be_visible()
        assert english_sentences_on(page, speech) - NAMES == set()
        for look in (LAPTOP, PHONE):
            page.set_viewport_size({"width": look.width, "height": look.height})
            if folder := os.environ.get("HLV_PICTURES"):
                page.screenshot(path=Path(folder) / f"{speech.code}-form-{name}-{look.width}.png", full_page=True)
            assert axe(page) == []
            assert not page.evaluate(SIDEWAYS)


def test_the_language_is_chosen_at_the_top_of_a_researchers_page(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto("/datasets")
    expect(page.get_by_role("heading", name="Datasets", exact=True)).to_be_visible()
    assert english_sentences_on(page, GERMAN) != set()
    page.get_by_label("Language", exact=True).select_option("ar")
    expect(page.get_by_role("heading", name=ARABIC.say("Datasets"), exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert english_sentences_on(page, ARABIC) - NAMES == set()
    page.reload()
    expect(page.get_by_role("heading", name=ARABIC.say("Datasets"), exact=True)).to_be_visible()


def test_what_the_server_says_comes_in_the_chosen_language(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher, language="de")
    with page.expect_request("**/api/v1/datasets/**") as asked:
        page.goto("/datasets")
    assert asked.value.header_value("accept-language") == "de"


def test_forms_of_a_message_are_looked_for_one_by_one() -> None:
    assert parts("{n, plural, one {# file of <0>{name}</0> is new} other {# new files}}") == [
        "# file of",
        "is new",
        "# new files",
    ]
    assert parts("Close") == ["Close"]
    assert parts("{a}: {b}") == []
