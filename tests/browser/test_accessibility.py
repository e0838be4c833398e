"""No barrier that axe calls serious, in any state of an expert's pages, in both colours, on a laptop and a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answering import begin, label
from tests.browser.conftest import DARK_PHONE, EVERY_LOOK, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.tour import ALL, tour

Axe = Callable[[Page], list[str]]


@EVERY_LOOK
def test_no_state_of_an_experts_page_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    found: dict[str, list[str]] = {}
    for name, page in tour(open_page, study, look):
        # Colours change in a moment, but not at once: axe must not see one of the last state and one of this.
        page.wait_for_function("() => document.getAnimations().length === 0")
        sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[name] = axe(page) + ([f"scrolls {sideways} pixels sideways"] if sideways > 0 else [])
    assert tuple(found) == ALL
    assert {name: barriers for name, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_no_step_scrolls_sideways(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    label(page, "Litigation and dispute resolution")
    assert page.evaluate(overflow) == 0


def test_the_skip_link_leads_past_the_header(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the main content", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_colours_follow_the_system_and_the_choice_is_kept(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user, look=DARK_PHONE)
    page.goto("/")
    root = page.locator("html")
    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    page.get_by_role("button", name="Switch to light colours", exact=True).click()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
    page.reload()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
