"""An admin says who answers what, by keyboard, and takes it back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_a_comparison_is_given_by_hand_and_undone(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.admin, look=look)
    page.goto("/studies/areas/assignments")
    first = page.get_by_role("checkbox", name="Comparison 0", exact=True)
    first.focus()
    page.keyboard.press("Space")
    page.get_by_role("combobox", name="To whom", exact=True).select_option("0")
    give = page.get_by_role("button", name="Give the comparisons", exact=True)
    give.focus()
    page.keyboard.press("Enter")
    held = page.get_by_role("button", name="Expert 0, not begun", exact=True)
    expect(held).to_be_visible()
    assert list(study.expert.assignments.values_list("comparison__position", flat=True)) == [0]
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(held).to_have_count(0)
    assert not study.expert.assignments.exists()
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_what_may_not_be_given_is_refused_with_the_comparison_and_the_reason(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.admin)
    page.goto("/studies/areas/assignments")
    for _ in range(2):
        page.get_by_role("checkbox", name="Comparison 0", exact=True).check()
        page.get_by_role("combobox", name="To whom", exact=True).select_option("0")
        page.get_by_role("button", name="Give the comparisons", exact=True).click()
        expect(page.get_by_role("button", name="Expert 0, not begun", exact=True)).to_be_visible()
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("Comparison 0")
    expect(refused).to_contain_text("has this text already")
