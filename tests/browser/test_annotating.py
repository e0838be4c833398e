"""An expert answers texts: what each step offers, what it asks for, and that nothing is lost on the way."""

from playwright.sync_api import expect

from annotations.models import LabelResponse, PreferenceResponse, Report
from tests.browser.answering import SAVED, begin, chart, expect_done, label, state, text_of
from tests.browser.conftest import OpenPage, step
from tests.browser.study import BrowserStudy


def test_both_steps_are_answered_taken_back_and_come_back_to(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    chosen = page.get_by_role("checkbox", checked=True)
    undo = page.get_by_role("button", name="Undo", exact=True)
    slider = page.get_by_role("slider")

    with step("the label that rules out all others, and the others, rule each other out"):
        page.get_by_role("checkbox", name="Tax", exact=True).check()
        page.get_by_role("checkbox", name="Not a legal issue", exact=True).check()
        expect(chosen).to_have_count(1)
        expect(page.get_by_role("status").filter(has_text="1 chosen")).to_be_attached()
        page.get_by_role("checkbox", name="Health", exact=True).check()
        expect(page.get_by_role("checkbox", name="Not a legal issue", exact=True)).not_to_be_checked()
        page.get_by_role("checkbox", name="Health", exact=True).uncheck()
    page.reload()  # so that nothing is there to be taken back
    expect(chosen).to_have_count(0)

    with step("the last entry of step 1 is taken back"):
        expect(undo).to_be_disabled()
        for name in ("Privacy", "Tax"):
            page.get_by_role("checkbox", name=name, exact=True).check()
        undo.click()
        expect(chosen).to_have_count(1)
        page.keyboard.press("Control+z")
        expect(chosen).to_have_count(0)
        expect(undo).to_be_disabled()

    text = text_of(page)
    label(page, "Privacy")
    shown = chart(page).inner_text()
    with step("step 1 is told in step 2, and not to be changed: the sides have been shown"):
        expect(page.get_by_role("region", name="You chose", exact=True).get_by_role("listitem")).to_have_text(
            ["Privacy"]
        )
        expect(page.get_by_role("checkbox")).to_have_count(0)
        expect(undo).to_be_disabled()
    with step("who comes back finds the same text, the same sides and what was chosen, and that it is saved"):
        page.reload()
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert (text_of(page), chart(page).inner_text()) == (text, shown)
        expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
        expect(state(page, SAVED)).to_be_visible()

    with step("certainty has no preset, and Submit says what is missing"):
        expect(slider).to_have_attribute("aria-valuetext", "not answered")
        expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        page.get_by_role("button", name="Submit", exact=True).click()
        missing = "Still to answer: which side is more accurate and how certain you are"
        expect(page.get_by_text(missing, exact=True)).to_be_visible()
    with step("the last entry of step 2 is taken back, a certainty given twice at once"):
        page.keyboard.type("a")
        page.keyboard.type("24")
        expect(slider).to_have_attribute("aria-valuenow", "75")
        undo.click()
        expect(slider).to_have_attribute("aria-valuetext", "not answered")
        expect(page.get_by_role("radio", checked=True)).to_have_count(1)
        page.keyboard.press("Control+z")
        expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        expect(undo).to_be_disabled()
    with step("both may be accurate, and a guess is a certainty of 0"):
        page.get_by_role("radio", name="Both are accurate", exact=True).check()
        page.get_by_role("button", name="Guessing", exact=True).click()
        expect(slider).to_have_attribute("aria-valuenow", "0")
        page.get_by_role("button", name="Submit", exact=True).click()
        expect_done(page, 1)
        answer = PreferenceResponse.objects.get()
        assert (answer.a_chosen, answer.b_chosen, answer.certainty) == (True, True, 0.0)

    with step("a problem is reported, its text skipped, and that is said until the next answer"):
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        skipped = text_of(page)
        page.get_by_role("button", name="Report a problem", exact=True).click()
        dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
        dialog.get_by_role("button", name="Send report", exact=True).click()
        expect(dialog.get_by_text("Please choose what fits best.", exact=True)).to_be_visible()
        dialog.get_by_role("radio", name="The text is distressing", exact=True).check()
        dialog.get_by_role("checkbox", name="Skip this text and show me the next one", exact=True).check()
        dialog.get_by_role("button", name="Send report", exact=True).click()
        expect(page.get_by_role("region", name="Text", exact=True)).not_to_contain_text(skipped)
        expect(state(page, SAVED)).to_be_visible()
        report = Report.objects.get()
        assert (report.reason, report.skipped) == ("distressing", True)
        told = page.get_by_role("status").filter(
            has_text="That text will not come back, and it does not count as done."
        )
        expect(told).to_be_visible()
        label(page, "Privacy")
        expect(told).to_have_count(0)
    assert LabelResponse.objects.count() == 2
