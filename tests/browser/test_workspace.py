"""A study is one workspace: its title, its state and its tabs stay while what is under them changes."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, OpenPage, settled, step, too_wide, wear
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
OLD = {"events": "history", "reports": "problems", "analyses": "results"}


def test_an_admin_goes_through_a_study_by_keyboard(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.admin, look=PHONE)
    page.goto("/studies/areas")
    tabs = page.get_by_role("navigation", name="This study", exact=True)
    for name, heading in TABS.items():
        with step(f"{name} is reached by keyboard, says that it is open, and fits"):
            tabs.get_by_role("link", name=name, exact=True).focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
            expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()
            expect(tabs.locator("[aria-current=page]")).to_have_text(name)
            expect(tabs.locator("[aria-current=page]")).to_be_in_viewport()
            expect(page).to_have_title(f"{name}, {TITLE} · HLV Study")
            settled(page)
            assert too_wide(page) == 0
            wear(page, LAPTOP)
            expect(tabs.locator("[aria-current=page]")).to_be_in_viewport()
            assert too_wide(page) == 0
            wear(page, PHONE)
        if name == "Overview":
            with step("the overview says how far the study is and how each expert does"):
                answers = study.study.assignments.count()
                expect(page.get_by_role("region", name="Progress", exact=True)).to_contain_text(str(answers))
                experts = page.get_by_role("region", name="Experts", exact=True)
                expect(experts.get_by_role("rowheader").first).to_have_text("Expert 0")


def test_nobody_finds_more_of_a_study_than_is_theirs(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    for old, new in OLD.items():
        with step(f"the old address of {new} leads there"):
            page.goto(f"/studies/areas/{old}")
            page.wait_for_url(f"**/studies/areas/{new}")
            expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()
    for address in ("/studies/new", "/imports", "/system/people"):
        with step(f"who only researches finds no form at {address}"):
            page.goto(address)
            expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("not found"))
            expect(page.get_by_role("textbox")).to_have_count(0)
    page = open_page(study.expert.user)
    for address in ("/studies/areas", "/studies/areas/people", "/studies/areas/history", "/studies/areas/results"):
        with step(f"an expert is refused {address}, and learns nothing there"):
            page.goto(address)
            expect(page.get_by_role("alert").first).to_be_visible()
            assert not any(word in page.content() for word in study.sources)
