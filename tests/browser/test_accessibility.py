"""No barrier that axe calls serious, on any page, in light and in dark, on a laptop and on a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.lifecycle import change_state
from annotations.models import StudyState
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_annotating import begin, label

Axe = Callable[[Page], list[str]]
LOOKS = pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["light-laptop", "dark-phone"])


@LOOKS
def test_the_experts_pages_have_no_serious_barrier(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    found: dict[str, list[str]] = {}
    page = open_page(look=look)
    page.goto("/login")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    found["login"] = axe(page)

    page = open_page(study.expert.user, look=look)
    page.goto("/")
    expect(page.get_by_role("list").first).to_be_visible()
    found["home"] = axe(page)
    page.goto("/studies/areas/annotate")
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    found["welcome"] = axe(page)
    begin(page)
    found["step 1"] = axe(page)
    page.keyboard.type("law")
    page.get_by_role("checkbox", name="Privacy", exact=True).wait_for(state="detached")
    found["step 1, searching"] = axe(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Continue").click()
    found["step 1, incomplete"] = axe(page)
    page.get_by_role("button", name="Report a problem").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    found["report"] = axe(page)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    label(page, "Privacy")
    found["step 2"] = axe(page)
    page.keyboard.type("a4")
    # Both keys have arrived: axe looks at colours over several frames, and must not see two states in one.
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Sure, 75 of 100")
    found["step 2, answered"] = axe(page)
    change_state(study=study.study, to=StudyState.PAUSED)
    page.reload()
    expect(page.get_by_role("heading", name="The study is paused")).to_be_visible()
    found["paused"] = axe(page)
    assert {name: barriers for name, barriers in found.items() if barriers} == {}


@LOOKS
def test_the_researchers_pages_have_no_serious_barrier(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin, look=look)
    found: dict[str, list[str]] = {}
    for address, sign in {
        "/": "My studies",
        "/studies/areas": "Exports",
        "/studies/areas/events": "Event log",
        "/studies/areas/analyses": "Start an analysis",
        "/imports": "Datasets",
        "/nowhere": "Page not found",
    }.items():
        page.goto(address)
        expect(page.get_by_role("heading", name=sign, exact=True)).to_be_visible()
        page.wait_for_load_state("networkidle")
        found[address] = axe(page)
    assert {address: barriers for address, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_no_page_scrolls_sideways(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    label(page, "Litigation and dispute resolution")
    assert page.evaluate(overflow) == 0
    page = open_page(study.researcher, look=look)
    for address in ("/", "/studies/areas", "/studies/areas/events", "/studies/areas/analyses"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(overflow) == 0


def test_the_skip_link_leads_past_the_header(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the main content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_colours_follow_the_system_and_the_choice_is_kept(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user, look=DARK_PHONE)
    page.goto("/")
    root = page.locator("html")
    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    page.get_by_role("button", name="Switch to light colours").click()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
    page.reload()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
