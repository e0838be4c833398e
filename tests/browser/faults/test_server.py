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
    prefer,
    text_of,
)
from tests.browser.conftest import OpenPage, step
from tests.browser.faults.conftest import Server
from tests.browser.study import BrowserStudy


def look_again(page: Page) -> None:
    """Somebody comes back to the page; without that it tries by itself, only later."""
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")


@pytest.mark.long
def test_the_server_dies_while_it_takes_answers_and_comes_back(
    open_page: OpenPage, study: BrowserStudy, server: Server
) -> None:
    page = open_page(study.expert.user, url=server.url)
    begin(page)
    text = text_of(page)

    with step("killed after it stored and before it said so, it stores nothing twice"):

        def store_and_die(route: Route) -> None:
            assert route.fetch().status == 200
            server.kill()
            route.abort("connectionreset")

        page.route("**/labels/", store_and_die, times=1)
        choose(page, "Privacy")
        expect(
            page.get_by_role("heading", name="Step 2 of text 1 waits for the connection", exact=True)
        ).to_be_visible()
        expect_waiting(page, 1)
        labels = LabelResponse.objects.get()
        server.start()
        look_again(page)
        expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
        assert text_of(page) == text
        expect_saved(page, labels.created_at)
        assert LabelResponse.objects.get() == labels

    second = Assignment.objects.get(position=1)
    with step("killed while it takes an answer, the next text does not wait for it and can be worked on"):
        server.hang()
        with page.expect_request("**/preference/"):
            prefer(page)
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        server.kill()
        expect_waiting(page, 1)
        expect(page.get_by_text(CUT, exact=True)).to_be_visible()
        assert not PreferenceResponse.objects.exists()
        page.get_by_role("checkbox", name="Tax", exact=True).check()
    with step("started again, it gets the answer once, and what was entered is still there"):
        server.start()
        look_again(page)
        expect_done(page, 1)
        stored = PreferenceResponse.objects.get()
        expect_saved(page, stored.created_at)
        assert stored.assignment.completed_at == stored.created_at
        expect(page.get_by_text(CUT, exact=True)).to_have_count(0)
        expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()

    with step("down for a while, the page comes back by itself"):
        server.kill()
        page.get_by_role("button", name="Continue", exact=True).click()
        expect_waiting(page, 1)
        server.start()
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()  # nobody touched the page
        assert LabelResponse.objects.filter(assignment=second).count() == 1
