"""A problem, from the expert who sees it to the admin who withdraws the text, and back."""

import re

from playwright.sync_api import Page, expect

from annotations.models import Instance, Report
from tests.browser.answering import begin, expect_done, label
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Axe, OpenPage, settled, step, too_wide, wear
from tests.browser.study import BrowserStudy
from tests.conftest import wait_until

REMARK = "In the second line <b>Jane</b> is named."
PROBLEMS = "/studies/areas/problems"
READ, WITHDRAW, RESTORE = "Read the text", "Withdraw the text", "Restore the text"
NOTES = ("The name is real.", "An invented name.")


def tell(page: Page, *, skip: bool) -> None:
    before = Report.objects.count()
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    dialog.get_by_role("radio", name="The text identifies a real person", exact=True).check()
    dialog.get_by_label("Anything to add (optional)", exact=True).fill(REMARK)
    if skip:
        dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Send report", exact=True).click()
    if not skip:
        dialog.get_by_role("button", name="Back to the text", exact=True).click()
    wait_until(lambda: Report.objects.count() > before)


def text_of(page: Page) -> str:
    return page.get_by_role("region", name="Text", exact=True).inner_text().strip()


def test_a_report_is_read_and_the_text_withdrawn_restored_or_kept(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    expert = open_page(study.expert.user)
    with step("an expert reports a text and skips it"):
        begin(expert)
        told = text_of(expert)
        tell(expert, skip=True)
        expect(expert.get_by_role("region", name="Text", exact=True)).not_to_have_text(told)
        report = Report.objects.get()
        assert (report.text, report.skipped) == (REMARK, True)

    page = open_page(study.admin, look=PHONE)
    card = page.get_by_role("article")
    dialog = page.get_by_role("dialog")
    with step("an admin is led to it, and learns neither who it was nor the text before they ask for it"):
        page.goto("/studies/areas")
        page.get_by_role("link", name="Problems 1 open", exact=True).press("Enter")
        expect(card.get_by_text(REMARK, exact=True)).to_be_visible()  # as text, not as markup
        expect(card).to_contain_text(f"Expert {study.expert.number} about text")
        assert study.expert.user.email not in page.content()
        assert told not in page.content()
        card.get_by_text(READ, exact=True).press("Enter")
        expect(card.get_by_text(told.splitlines()[0], exact=True)).to_be_visible()
    for look in (LAPTOP, DARK_PHONE):
        with step(f"the page and its question have no barrier, {look.width} pixels wide"):
            wear(page, look)
            assert axe(page) == []
            card.get_by_role("button", name=WITHDRAW, exact=True).press("Enter")
            expect(dialog).to_contain_text("all studies")
            assert axe(page) == []
            assert too_wide(page) == 0
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
    with step("the text is withdrawn by keyboard, with a note"):
        card.get_by_role("button", name=WITHDRAW, exact=True).press("Enter")
        dialog.get_by_label("Note (optional)", exact=True).fill(NOTES[0])
        dialog.get_by_role("button", name=WITHDRAW, exact=True).press("Enter")
        expect(card).to_contain_text("Confirmed")
        expect(card).to_contain_text(f"Ada Admin · {NOTES[0]}")
        assert Instance.objects.filter(withdrawn_at__isnull=False).count() == 1

    reader = open_page(study.researcher, look=PHONE)
    with step("a researcher reads neither the remark nor the withdrawn text, and decides nothing"):
        reader.goto(PROBLEMS)
        seen = reader.get_by_role("article")
        seen.get_by_text(READ, exact=True).click()
        expect(seen).to_contain_text("withdrawn")
        settled(reader)
        expect(seen.get_by_role("button")).to_have_count(0)
        assert "Jane" not in reader.content()
        assert told.splitlines()[0] not in reader.content()
    with step("the text is restored"):
        page.get_by_role("button", name=RESTORE, exact=True).click()
        dialog.get_by_role("button", name=RESTORE, exact=True).click()
        expect(card).to_contain_text("Restored")
        assert not Instance.objects.filter(withdrawn_at__isnull=False).exists()
    with step("another report is dismissed with a note, and none is open"):
        tell(expert, skip=False)
        page.goto(PROBLEMS)
        page.get_by_role("button", name="Dismiss", exact=True).click()
        dialog.get_by_label("Note (optional)", exact=True).fill(NOTES[1])
        dialog.get_by_role("button", name="Dismiss", exact=True).click()
        expect(card.filter(has_text="Dismissed")).to_contain_text(NOTES[1])
        assert not Instance.objects.filter(withdrawn_at__isnull=False).exists()
        page.goto("/studies/areas")
        expect(page.get_by_role("link", name="Problems", exact=True)).to_be_visible()


def test_an_expert_with_a_withdrawn_text_in_hand_is_told_and_led_on(open_page: OpenPage, study: BrowserStudy) -> None:
    expert, admin = open_page(study.expert.user), open_page(study.admin)
    read = expert.get_by_role("button", name=re.compile("have read"))
    begin(expert)
    for at in (1, 2):
        with step(f"a text is withdrawn while somebody is at its step {at}"):
            told = text_of(expert)
            tell(expert, skip=False)
            if at == 2:
                label(expert, "Privacy")
            admin.goto(PROBLEMS)
            admin.get_by_role("button", name=WITHDRAW, exact=True).click()
            dialog = admin.get_by_role("dialog")
            dialog.get_by_role("button", name=WITHDRAW, exact=True).click()
            expect(admin.get_by_role("article").filter(has_text="Confirmed")).to_have_count(at)
            assert Instance.objects.filter(withdrawn_at__isnull=False).count() == at
        with step(f"who goes on with step {at} is told, and led to another text"):
            if at == 1:
                expert.get_by_role("checkbox", name="Privacy", exact=True).check()
                expert.get_by_role("button", name="Continue", exact=True).click()
            else:
                expert.keyboard.type("a4")
                expert.get_by_role("button", name="Submit", exact=True).click()
            expect(read).to_be_visible()
            expect(expert.get_by_role("region", name="Text", exact=True)).not_to_have_text(told)
            read.click()
            expect(read).to_have_count(0)
            expect(expert.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    with step("and goes on answering"):
        label(expert, "Privacy")
        expert.keyboard.type("b2")
        expert.get_by_role("button", name="Submit", exact=True).click()
        expect_done(expert, 1)
