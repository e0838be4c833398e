"""What was entered outlives a reload and a break; the confidential text is out of sight; only time at work counts."""

from playwright.sync_api import expect

from annotations.models import LabelResponse, PreferenceResponse
from tests.browser.answering import begin, expect_done, label
from tests.browser.conftest import OpenPage, step
from tests.browser.study import BrowserStudy

DRAFTS = "() => Object.keys(localStorage).filter((name) => name.startsWith('hlv:draft:'))"


def test_nothing_entered_is_lost_and_only_the_time_at_work_counts(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    page.clock.install()
    begin(page)
    text = page.get_by_role("region", name="Text", exact=True)

    with step("the labels entered outlive a reload, with the time that they took"):
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        page.clock.run_for(20_000)
        page.get_by_role("checkbox", name="Tax", exact=True).check()
        page.reload()
        expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
        page.clock.run_for(8_000)
        page.get_by_role("button", name="Continue", exact=True).click()
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert 28_000 <= (LabelResponse.objects.get().active_ms or 0) < 33_000
    with step("so do the answer and the certainty"):
        page.keyboard.type("n2")
        page.clock.run_for(10_000)
        page.reload()
        expect(page.get_by_role("radio", name="Neither is accurate", exact=True)).to_be_checked()
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "25")
        page.get_by_role("button", name="Submit", exact=True).click()
        expect_done(page, 1)
        stored = PreferenceResponse.objects.get()
        assert (stored.a_chosen, stored.b_chosen, stored.certainty) == (False, False, 0.25)
        assert 10_000 <= (stored.active_ms or 0) < 15_000
        assert page.evaluate(DRAFTS) == []

    with step("a pause hides the text, takes no keys and loses nothing"):
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        page.get_by_role("button", name="Pause", exact=True).click()
        expect(page.get_by_role("heading", name="Pause", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Resume", exact=True)).to_be_focused()
        expect(text).to_be_hidden()
        expect(page.locator("#root")).to_have_css("visibility", "hidden")
        page.keyboard.press("h")  # no search behind the curtain
        page.clock.fast_forward("20:00")
        page.keyboard.press("Enter")
        expect(text).to_be_visible()
        expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    with step("its time does not count"):
        label(page, "Privacy")
        assert 0 < (LabelResponse.objects.latest("pk").active_ms or 0) < 10 * 60_000
    with step("of a long absence without a pause, thirty seconds count"):
        page.clock.fast_forward("08:00:00")
        page.keyboard.type("n3")
        page.get_by_role("button", name="Submit", exact=True).click()
        expect_done(page, 2)
        assert 30_000 <= (PreferenceResponse.objects.latest("pk").active_ms or 0) < 30_000 + 5 * 60_000
