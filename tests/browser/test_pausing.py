"""A break: the confidential text is out of sight, nothing entered is lost, and the time does not count."""

from playwright.sync_api import expect

from annotations.models import LabelResponse
from tests.browser.answering import begin, label
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy


def test_a_pause_hides_the_text_stops_the_clock_and_loses_nothing(
    open_page: OpenPage, study: BrowserStudy, axe
) -> None:
    page = open_page(study.expert.user)
    page.clock.install()
    begin(page)
    text = page.get_by_role("region", name="Text", exact=True)
    expect(text).to_be_visible()
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("heading", name="Pause", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_focused()
    expect(text).to_be_hidden()
    expect(page.locator("#root")).to_have_css("visibility", "hidden")
    assert axe(page) == []
    page.keyboard.press("h")  # no search behind the curtain
    page.clock.fast_forward("20:00")
    page.keyboard.press("Enter")
    expect(text).to_be_visible()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    label(page, "Privacy")
    stored = LabelResponse.objects.get()
    assert stored.active_ms is not None
    assert 0 < stored.active_ms < 10 * 60_000


def test_the_clock_that_is_not_paused_counts_thirty_seconds_of_a_long_absence(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    page.clock.install()
    begin(page)
    page.clock.fast_forward("08:00:00")
    label(page, "Privacy")
    stored = LabelResponse.objects.get()
    assert stored.active_ms is not None
    assert 30_000 <= stored.active_ms < 30_000 + 5 * 60_000
