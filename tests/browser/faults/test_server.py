"""The server dies in the middle of a submit, as a machine does, and comes back on the same address."""

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.models import Assignment, LabelResponse, PreferenceResponse
from tests.browser.answering import (
    CUT,
    begin,
    choose,
    expect_done,
    expect_saved,
    expect_waiting,
    label,
    prefer,
    text_of,
)
from tests.browser.conftest import OpenPage
from tests.browser.faults.conftest import Server
from tests.browser.study import BrowserStudy


@pytest.fixture
def page(open_page: OpenPage, study: BrowserStudy, server: Server) -> Page:
    page = open_page(study.expert.user, url=server.url)
    begin(page)
    return page


def look_again(page: Page) -> None:
    """Somebody comes back to the page; without that it tries by itself, only later."""
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")


def test_killed_while_it_takes_an_answer_and_started_again(page: Page, server: Server) -> None:
    label(page, "Privacy")
    second = Assignment.objects.get(position=1)
    server.hang()
    with page.expect_request("**/preference/"):
        prefer(page)
    expect(
        page.get_by_role("button", name="Continue", exact=True)
    ).to_be_visible()  # the next text does not wait for it
    server.kill()
    expect_waiting(page, 1)
    expect(page.get_by_text(CUT, exact=True)).to_be_visible()
    assert not PreferenceResponse.objects.exists()
    page.get_by_role("checkbox", name="Tax", exact=True).check()  # and can be worked on

    server.start()
    look_again(page)
    expect_done(page, 1)
    stored = PreferenceResponse.objects.get()
    expect_saved(page, stored.created_at)
    assert stored.assignment.completed_at == stored.created_at
    expect(page.get_by_text(CUT, exact=True)).to_have_count(0)
    expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert LabelResponse.objects.filter(assignment=second).count() == 1


def test_killed_after_it_stored_and_before_it_said_so(page: Page, server: Server) -> None:
    text = text_of(page)

    def store_and_die(route: Route) -> None:
        assert route.fetch().status == 200
        server.kill()
        route.abort("connectionreset")

    page.route("**/labels/", store_and_die, times=1)
    choose(page, "Privacy")
    expect(page.get_by_role("heading", name="Step 2 of text 1 waits for the connection", exact=True)).to_be_visible()
    expect_waiting(page, 1)
    stored = LabelResponse.objects.get()

    server.start()
    look_again(page)
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    assert text_of(page) == text
    expect_saved(page, stored.created_at)
    assert LabelResponse.objects.get() == stored


def test_down_for_a_while_the_page_comes_back_by_itself(page: Page, server: Server) -> None:
    server.kill()
    choose(page, "Privacy")
    expect_waiting(page, 1)
    server.start()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()  # nobody touched the page
    assert LabelResponse.objects.count() == 1
