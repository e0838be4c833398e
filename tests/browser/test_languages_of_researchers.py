"""Researchers' pages in German and in Arabic: no English sentence is left, and Arabic pages are mirrored."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, Axe, OpenPage, flaws, settled, step
from tests.browser.speaking import ARABIC, GERMAN, Speech, english_sentences_on, parts
from tests.browser.study import BrowserStudy
from tests.browser.test_every_page import SIGNS, address, superuser

IN_THE_STUDYS_LANGUAGE = {"/studies/:slug/preview/:part?"}
NAMES = {"Problems", "Health", "Table"}
"""The dataset of these tests, a label of it, and an import format (named by the server) are called so."""


@pytest.mark.long
@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_every_page_of_a_researcher_is_in_the_chosen_language(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, speech: Speech
) -> None:
    page = open_page(superuser(study), language=speech.code)
    found: dict[str, list[str]] = {}
    for route in SIGNS.keys() - IN_THE_STUDYS_LANGUAGE:
        with step(route):
            page.goto(address(route, study))
            settled(page)
            expect(page.locator("html")).to_have_attribute("lang", speech.code)
            expect(page.locator("html")).to_have_attribute("dir", speech.direction)
            found[route] = sorted(english_sentences_on(page, speech) - NAMES)
            found[route] += flaws(page, axe, PHONE, LAPTOP)
    for name in ("preference_correlation", "power"):
        with step(f"the form that the server declares: {name}"):
            page.goto(f"/studies/{study.study.slug}/results?ask={name}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            groups = page.locator("form details")
            expect(groups).to_have_count(3)
            for group in groups.all():
                group.locator("summary").click()
            expect(page.locator("form label").first).to_be_visible()
            found[name] = sorted(english_sentences_on(page, speech) - NAMES)
            found[name] += flaws(page, axe, PHONE, LAPTOP)
    assert {where: here for where, here in found.items() if here} == {}


def test_the_language_chosen_at_the_top_is_that_of_a_researchers_page_and_of_the_server(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    page.goto("/datasets")
    expect(page.get_by_role("heading", name="Datasets", exact=True)).to_be_visible()
    assert english_sentences_on(page, GERMAN) != set()
    with step("the page is in the chosen language, and mirrored"):
        page.get_by_label("Language", exact=True).select_option("ar")
        expect(page.get_by_role("heading", name=ARABIC.say("Datasets"), exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        assert english_sentences_on(page, ARABIC) - NAMES == set()
    with step("it is remembered, and the server is asked in it"):
        with page.expect_request("**/api/v1/datasets/**") as asked:
            page.reload()
        assert asked.value.header_value("accept-language") == "ar"
        expect(page.get_by_role("heading", name=ARABIC.say("Datasets"), exact=True)).to_be_visible()


def test_forms_of_a_message_are_looked_for_one_by_one() -> None:
    assert parts("{n, plural, one {# file of <0>{name}</0> is new} other {# new files}}") == [
        "# file of",
        "is new",
        "# new files",
    ]
    assert parts("Close") == ["Close"]
    assert parts("{a}: {b}") == []
