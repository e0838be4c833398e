"""An admin says who answers what, by keyboard, and takes it back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.simulating.demo.texts import LABELS
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_a_comparison_is_given_by_hand_and_undone(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.admin, look=look)
    page.goto("/studies/areas/assignments")
    first = page.get_by_role("checkbox", name="Comparison 0", exact=True)
    first.focus()
    page.keyboard.press("Space")
    page.get_by_role("combobox", name="Expert to assign to", exact=True).select_option("0")
    give = page.get_by_role("button", name="Assign the comparisons", exact=True)
    give.focus()
    page.keyboard.press("Enter")
    held = page.get_by_role("button", name="Expert 0, not started", exact=True)
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
        page.get_by_role("combobox", name="Expert to assign to", exact=True).select_option("0")
        page.get_by_role("button", name="Assign the comparisons", exact=True).click()
        expect(page.get_by_role("button", name="Expert 0, not started", exact=True)).to_be_visible()
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("Comparison 0")
    expect(refused).to_contain_text("already has or had this text")


def test_the_grid_is_worked_by_keyboard(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    page = open_page(study.admin)
    page.goto("/studies/areas/assignments")
    page.get_by_text("A grid of comparisons and experts", exact=True).click()
    first = page.get_by_role("gridcell", name="Comparison 0, expert 0: place available", exact=True)
    first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("gridcell", selected=True)).to_have_count(2)
    give = page.get_by_role("button", name="Assign to the experts of these cells", exact=True)
    give.focus()
    page.keyboard.press("Enter")
    given = page.get_by_role("gridcell", name="Comparison 0, expert 0: assigned, not started", exact=True)
    expect(given).to_be_visible()
    held = study.expert.assignments.order_by("comparison__position")
    assert list(held.values_list("comparison__position", flat=True)) == [0, 1]
    given.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Unassign", exact=True).click()
    expect(first).to_be_visible()
    assert list(held.values_list("comparison__position", flat=True)) == [1]
    assert axe(page) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page) == []
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(given).to_be_visible()
    study.study.memberships.filter(pk=study.expert.pk).update(profile={"specialism": "Private law"})
    page.reload()
    page.locator("summary", has_text="Assign by specialism").click()
    field = page.get_by_role("group", name="Private law", exact=True)
    expect(page.get_by_text("1 expert. Matching labels:", exact=True)).to_be_visible()
    field.get_by_role("checkbox", name=LABELS[0], exact=True).check()
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_text("46 places would be assigned. 0 places would stay free.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Assign by specialism", exact=True).click()
    expect(page.get_by_text("0 of 48 places are free, in 24 comparisons.", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.get_by_role("checkbox", name="Comparison 0", exact=True)).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
