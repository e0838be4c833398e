"""What the page says when something is wrong can be read by everybody: nothing that axe calls serious."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import Session, StudyState
from tests.browser.answering import ANNOTATE, CUT, begin, choose, cut, expect_done, expect_waiting, label, mend, prefer
from tests.browser.conftest import DARK_PHONE, LAPTOP, Look, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["light-laptop", "dark-phone"])
def test_no_state_of_trouble_has_a_serious_barrier(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    found: dict[str, list[str]] = {}
    page = open_page(study.expert.user, look=look)
    begin(page)
    label(page, "Privacy")
    prefer(page)
    expect_done(page, 1)
    page.get_by_role("button", name="Change my last answer", exact=True).click()
    expect(page.get_by_text("You are changing your last answer.", exact=True)).to_be_visible()
    found["changing the last answer"] = axe(page)
    page.get_by_role("button", name="Back without a change", exact=True).click()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()

    other = page.context.new_page()
    other.goto(ANNOTATE)
    expect(other.get_by_role("button", name="Continue here", exact=True)).to_be_visible()
    found["another tab"] = axe(other)
    other.close()

    cut(page)
    choose(page, "Tax")
    expect_waiting(page, 1)
    expect(page.get_by_text(CUT, exact=True)).to_be_visible()
    found["no connection"] = axe(page)
    change_state(study=study.study, to=StudyState.PAUSED)
    mend(page)
    expect(page.get_by_role("alert")).to_contain_text("One answer was not accepted")
    expect(page.get_by_role("heading", name="The study is paused", exact=True)).to_be_visible()
    found["not accepted"] = axe(page)

    Session.objects.all().delete()
    page.get_by_role("button", name="Send it again", exact=True).click()
    dialog = page.get_by_role("dialog", name="Please sign in again", exact=True)
    expect(dialog.get_by_label("Password", exact=True)).to_be_focused()
    found["signing in again"] = axe(page)
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    assert {name: barriers for name, barriers in found.items() if barriers} == {}
