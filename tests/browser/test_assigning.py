"""An admin says who answers what, by keyboard, and takes it back."""

import re

from playwright.sync_api import expect

from annotations.simulating.demo.texts import LABELS
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Axe, OpenPage, step, too_wide, wear
from tests.browser.study import BrowserStudy

ASSIGNMENTS = "/studies/areas/assignments"


def test_a_comparison_is_given_by_hand_refused_and_undone(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.admin)
    mine = study.expert.assignments.order_by("comparison__position").values_list("comparison__position", flat=True)
    give = page.get_by_role("button", name=re.compile("^Assign the "))
    held = page.get_by_role("button", name="Expert 0, not started", exact=True)
    page.goto(ASSIGNMENTS)
    for look in (LAPTOP, PHONE):
        wear(page, look)
        with step(f"a comparison is given by keyboard, and undone, {look.width} pixels wide"):
            page.get_by_role("checkbox", name="Comparison 0", exact=True).press("Space")
            page.get_by_role("combobox", name=re.compile("^Expert ")).select_option("0")
            expect(give).to_be_enabled()  # once what was done before is over
            give.press("Enter")
            expect(held).to_be_visible()
            assert list(mine.all()) == [0]
            page.get_by_role("button", name="Undo", exact=True).click()
            expect(held).to_have_count(0)
            assert not mine.all().exists()
            assert too_wide(page) == 0
    with step("what may not be given is refused with the comparison and the reason"):
        for _ in range(2):
            page.get_by_role("checkbox", name="Comparison 0", exact=True).check()
            page.get_by_role("combobox", name=re.compile("^Expert ")).select_option("0")
            give.click()
            expect(held).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Comparison 0\W+\w+ \w+"))
        assert list(mine.all()) == [0]


def test_the_grid_is_worked_by_keyboard_and_places_are_given_by_specialism(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    study.study.memberships.filter(pk=study.expert.pk).update(profile={"specialism": "Private law"})
    page = open_page(study.admin)
    held = study.expert.assignments.order_by("comparison__position").values_list("comparison__position", flat=True)
    first = page.get_by_role("gridcell", name="Comparison 0, expert 0: place available", exact=True)
    given = page.get_by_role("gridcell", name="Comparison 0, expert 0: assigned, not started", exact=True)
    with step("cells are chosen with the arrows, and their comparisons given"):
        page.goto(ASSIGNMENTS)
        page.get_by_text("A grid of comparisons and experts", exact=True).click()
        first.press("Space")
        page.keyboard.press("Shift+ArrowDown")
        expect(page.get_by_role("gridcell", selected=True)).to_have_count(2)
        page.get_by_role("button", name="Assign to the experts of these cells", exact=True).press("Enter")
        expect(given).to_be_visible()
        assert list(held.all()) == [0, 1]
    with step("one is taken back, and that is undone"):
        given.press("Enter")
        page.get_by_role("button", name="Unassign", exact=True).click()
        expect(first).to_be_visible()
        assert list(held.all()) == [1]
        assert axe(page) == []
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(given).to_be_visible()
    with step("places are given by specialism, after a preview of how many"):
        page.locator("summary", has_text="Assign by specialism").click()
        field = page.get_by_role("group", name="Private law", exact=True)
        expect(page.get_by_text(re.compile(r"^1 expert\b"))).to_be_visible()
        field.get_by_role("checkbox", name=LABELS[0], exact=True).check()
        page.get_by_role("button", name="Preview", exact=True).click()
        expect(page.get_by_text(re.compile(r"^46\b.*\b0\b"))).to_be_visible()
        page.get_by_role("button", name="Assign by specialism", exact=True).click()
        expect(page.get_by_text(re.compile(r"^0 of 48\b.*\b24\b"))).to_be_visible()
    with step("all of it fits a dark phone"):
        wear(page, DARK_PHONE)
        expect(page.get_by_role("checkbox", name="Comparison 0", exact=True)).to_be_visible()
        assert too_wide(page) == 0
        assert axe(page) == []
