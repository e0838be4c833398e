"""A problem, from the expert who sees it to the admin who withdraws the text, and back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Instance, Report, Role
from tests.browser.answering import begin, expect_done, label
from tests.browser.conftest import EVERY_LOOK, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy
from tests.conftest import wait_until
from tests.worlds.studies import make_member

REMARK = "In the second line <b>Jane</b> is named."


def tell(page: Page, *, skip: bool) -> None:
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    dialog.get_by_role("radio", name="The text identifies a real person", exact=True).check()
    dialog.get_by_label("Anything to add (optional)", exact=True).fill(REMARK)
    if skip:
        dialog.get_by_role("checkbox", name="Skip this text and show me the next one", exact=True).check()
    dialog.get_by_role("button", name="Send report", exact=True).click()
    if not skip:
        dialog.get_by_role("button", name="Back to the text", exact=True).click()


def text_of(page: Page) -> str:
    return page.get_by_role("region", name="Text", exact=True).inner_text().strip()


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_an_admin_reads_a_report_and_withdraws_the_text_by_keyboard(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    expert = open_page(study.expert.user)
    begin(expert)
    told = text_of(expert)
    tell(expert, skip=True)
    expect(expert.get_by_role("region", name="Text", exact=True)).not_to_have_text(told)
    wait_until(Report.objects.exists)
    assert (Report.objects.get().text, Report.objects.get().skipped) == (REMARK, True)

    page = open_page(study.admin, look=look)
    page.goto("/studies/areas")
    page.get_by_role("link", name="Problems 1 open", exact=True).focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("article", name="The text identifies a real person", exact=True)
    expect(card.get_by_text(REMARK, exact=True)).to_be_visible()  # as text, not as markup
    expect(card).to_contain_text(f"Expert {study.expert.number} about text")
    assert study.expert.user.email not in page.content()
    assert told not in page.content()
    card.get_by_text("Read the text", exact=True).focus()
    page.keyboard.press("Enter")
    expect(card.get_by_text(told.splitlines()[0], exact=True)).to_be_visible()
    card.get_by_role("button", name="Withdraw the text", exact=True).focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Withdraw the text", exact=True)
    expect(dialog).to_contain_text("Experts in all studies on this dataset will no longer get it.")
    dialog.get_by_label("Note (optional)", exact=True).fill("The name is real.")
    dialog.get_by_role("button", name="Withdraw the text", exact=True).click()
    expect(card).to_contain_text("Confirmed: the text is withdrawn")
    expect(card).to_contain_text("Ada Admin · The name is real.")
    assert Instance.objects.filter(withdrawn_at__isnull=False).count() == 1
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0

    reader = open_page(study.researcher, look=look)
    reader.goto("/studies/areas/problems")
    card = reader.get_by_role("article")
    expect(card).to_contain_text("Only admins can read what the expert wrote.")
    card.get_by_text("Read the text", exact=True).click()
    expect(card).to_contain_text("This text was withdrawn. Admins can read it.")
    expect(card.get_by_role("button")).to_have_count(0)

    page.get_by_role("button", name="Restore the text", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Restore the text", exact=True).click()
    expect(page.get_by_role("article")).to_contain_text("Restored")
    assert not Instance.objects.filter(withdrawn_at__isnull=False).exists()


def test_a_report_is_dismissed_with_a_note(open_page: OpenPage, study: BrowserStudy) -> None:
    expert = open_page(study.expert.user)
    begin(expert)
    tell(expert, skip=False)
    wait_until(Report.objects.exists)
    page = open_page(study.admin)
    page.goto("/studies/areas/problems")
    page.get_by_role("button", name="Dismiss", exact=True).click()
    dialog = page.get_by_role("dialog", name="Dismiss", exact=True)
    dialog.get_by_label("Note (optional)", exact=True).fill("An invented name.")
    dialog.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.get_by_role("article")).to_contain_text("Dismissed: the text stays")
    page.goto("/studies/areas")
    expect(page.get_by_role("link", name="Problems", exact=True)).to_be_visible()


@pytest.mark.parametrize("step", [1, 2])
def test_an_expert_with_a_withdrawn_text_in_hand_is_told_and_led_on(
    open_page: OpenPage, study: BrowserStudy, step: int
) -> None:
    expert = open_page(study.expert.user)
    begin(expert)
    told = text_of(expert)
    tell(expert, skip=False)
    wait_until(Report.objects.exists)
    if step == 2:
        label(expert, "Privacy")
    admin = open_page(study.admin)
    admin.goto("/studies/areas/problems")
    admin.get_by_role("button", name="Withdraw the text", exact=True).click()
    admin.get_by_role("dialog").get_by_role("button", name="Withdraw the text", exact=True).click()
    expect(admin.get_by_role("article")).to_contain_text("Confirmed")

    if step == 1:
        expert.get_by_role("checkbox", name="Privacy", exact=True).check()
        expert.get_by_role("button", name="Continue", exact=True).click()
    else:
        expert.keyboard.type("a4")
        expert.get_by_role("button", name="Submit", exact=True).click()
    expect(
        expert.get_by_text("This text was withdrawn. You will not be asked about it again.", exact=True)
    ).to_be_visible()
    expect(expert.get_by_role("region", name="Text", exact=True)).not_to_have_text(told)
    expert.get_by_role("button", name="I have read this", exact=True).click()
    expect(
        expert.get_by_text("This text was withdrawn. You will not be asked about it again.", exact=True)
    ).to_have_count(0)
    expect(expert.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    label(expert, "Privacy")
    expert.keyboard.type("b2")
    expert.get_by_role("button", name="Submit", exact=True).click()
    expect_done(expert, 1)


@EVERY_LOOK
def test_the_admins_new_pages_have_no_serious_barrier(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    expert = open_page(study.expert.user)
    begin(expert)
    tell(expert, skip=True)
    wait_until(Report.objects.exists)
    make_member(study.study, Role.EXPERT, "someone@example.org", PASSWORD, name="Some One")
    page = open_page(study.admin, look=look)
    found: dict[str, list[str]] = {}
    page.goto("/studies/areas/problems")
    page.get_by_text("Read the text", exact=True).click()
    expect(page.get_by_role("article")).to_be_visible()
    page.wait_for_load_state("networkidle")
    found["reports"] = axe(page)
    page.get_by_role("button", name="Withdraw the text", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    found["decision"] = axe(page)
    page.goto("/studies/areas/people")
    page.get_by_role("button", name="Invite people", exact=True).click()
    page.get_by_label("E-mail addresses", exact=True).fill("nobody")
    page.get_by_role("button", name="Create links", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.wait_for_load_state("networkidle")
    found["inviting"] = axe(page)
    page.get_by_label("E-mail addresses", exact=True).fill("a@example.org")
    page.get_by_role("button", name="Create links", exact=True).click()
    expect(page.get_by_role("region", name="The link", exact=True)).to_be_visible()
    page.wait_for_load_state("networkidle")
    found["links"] = axe(page)
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    assert {name: barriers for name, barriers in found.items() if barriers} == {}
