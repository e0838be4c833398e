"""A study is one workspace: its title, its state and its tabs stay while what is under them changes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import TITLE, BrowserStudy

# The heading that each tab opens with.
TABS = {
    "Overview": "Progress",
    "Design": "Plan",
    "People": "People",
    "Assignments": "Assignments",
    "Problems": "Reported problems",
    "Results": "All runs",
    "Export": "Exports",
    "History": "History",
}


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_every_tab_is_reached_by_keyboard_and_says_that_it_is_open(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(study.admin, look=look)
    page.goto("/studies/areas")
    tabs = page.get_by_role("navigation", name="This study", exact=True)
    for name, heading in TABS.items():
        tabs.get_by_role("link", name=name, exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()
        expect(tabs.locator("[aria-current=page]")).to_have_text(name)
        expect(tabs.locator("[aria-current=page]")).to_be_in_viewport()
        expect(page).to_have_title(f"{name}, {TITLE} · HLV Study")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.parametrize(("old", "new"), [("events", "history"), ("reports", "problems"), ("analyses", "results")])
def test_an_old_address_leads_to_its_tab(open_page: OpenPage, study: BrowserStudy, old: str, new: str) -> None:
    page = open_page(study.researcher)
    page.goto(f"/studies/areas/{old}")
    page.wait_for_url(f"**/studies/areas/{new}")
    expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()


def test_no_page_shows_a_form_that_the_person_may_not_send(open_page: OpenPage, study: BrowserStudy) -> None:
    """Who only researches in a study neither starts one, nor imports, nor administers: they find no such pages."""
    page = open_page(study.researcher)
    for address in ("/studies/new", "/imports", "/system/people"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
        expect(page.get_by_role("textbox")).to_have_count(0)
