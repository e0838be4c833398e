"""The line is cut, or an acknowledgement is lost: one response is stored, nothing is lost, the expert is told."""

import json
import re

from playwright.sync_api import Page, Route, expect

from annotations.models import Assignment, LabelResponse, PreferenceResponse, Report
from tests.browser.answering import (
    ANNOTATE,
    CUT,
    begin,
    chart,
    choose,
    cut,
    expect_done,
    expect_saved,
    expect_waiting,
    label,
    mend,
    prefer,
    text_of,
)
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy
from tests.conftest import wait_until


def fetched_ahead(page: Page) -> None:
    """Wait until the next text is here."""
    with page.expect_response("**/following/"):
        begin(page)


def test_the_network_is_cut_between_click_and_answer(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)

    def cut_now(route: Route) -> None:
        page.context.set_offline(True)
        route.abort("internetdisconnected")

    page.route("**/labels/", cut_now, times=1)
    choose(page, "Privacy")
    expect(page.get_by_text(CUT, exact=True)).to_be_visible()
    expect_waiting(page, 1)
    expect(page.get_by_role("heading", name="Step 2 of text 1 waits for the connection", exact=True)).to_be_visible()
    assert not LabelResponse.objects.exists()

    page.context.set_offline(False)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()  # by itself
    expect(page.get_by_text(CUT, exact=True)).to_have_count(0)
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    expect_saved(page, LabelResponse.objects.get().created_at)


def test_offline_the_expert_goes_on_with_step_1_of_the_next_text(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    first = text_of(page)
    label(page, "Privacy")
    cut(page)
    prefer(page)
    expect_waiting(page, 1)
    expect(page.get_by_text(CUT, exact=True)).to_be_visible()
    second = text_of(page)
    assert second != first
    choose(page, "Tax")
    expect_waiting(page, 2)
    expect(page.get_by_role("heading", name="Step 2 of text 2 waits for the connection", exact=True)).to_be_visible()
    expect(page.get_by_text("There is nothing more to do until then.", exact=True)).to_be_visible()
    expect(chart(page)).to_have_count(0)  # it is still with the server
    assert not PreferenceResponse.objects.exists()

    mend(page)
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Tax")
    assert text_of(page) == second
    expect_done(page, 1)
    assert LabelResponse.objects.count() == 2
    expect_saved(page, LabelResponse.objects.latest("pk").created_at)
    assert PreferenceResponse.objects.count() == 1


def test_a_cut_in_step_1_lets_the_expert_read_on_and_takes_nothing_away_afterwards(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    first = text_of(page)
    cut(page)
    choose(page, "Privacy")
    page.get_by_role("button", name="Continue with the next text", exact=True).click()
    second = text_of(page)
    assert second != first
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    mend(page)
    expect_saved(page, wait_for_label().created_at)
    assert text_of(page) == second  # the connection is back, and nobody is torn away
    expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Tax")
    prefer(page, "a5")
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    assert text_of(page) == first  # step 2 of what was left
    prefer(page, "b4")
    expect_done(page, 2)
    assert PreferenceResponse.objects.count() == LabelResponse.objects.count() == 2
    assert Assignment.objects.completed().count() == 2


def wait_for_label() -> LabelResponse:
    wait_until(lambda: LabelResponse.objects.count() == 1)
    return LabelResponse.objects.get()


def test_stored_and_its_acknowledgement_lost_on_the_way_back(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    label(page, "Privacy")
    keys: list[str] = []

    def lose_the_answer(route: Route) -> None:
        keys.append(json.loads(route.request.post_data or "{}")["key"])
        assert route.fetch().status == 200  # arrives, and is stored
        route.abort()

    page.route("**/preference/", lose_the_answer, times=1)
    prefer(page)
    expect_waiting(page, 1)  # the page cannot know better, and claims nothing
    stored = PreferenceResponse.objects.get()
    page.on("request", lambda request: keys.append(request.post_data_json["key"]) if is_answer(request.url) else None)
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect_saved(page, stored.created_at)
    expect_done(page, 1)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert PreferenceResponse.objects.get() == stored


def is_answer(url: str) -> bool:
    return url.endswith("/preference/")


def test_a_double_click_gives_one_answer_and_means_nothing_on_the_next_text(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    page.get_by_role("button", name="Continue", exact=True).dblclick()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    page.keyboard.type("a5")
    page.get_by_role("button", name="Submit", exact=True).dblclick()
    expect_done(page, 1)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("^Choose at least one label"))).to_have_count(0)
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)


def test_a_reload_and_a_closed_page_keep_what_waits(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    first = text_of(page)
    label(page, "Privacy")
    page.context.route("**/preference/", lambda route: route.abort())
    prefer(page)
    expect_waiting(page, 1)
    page.reload()
    expect_waiting(page, 1)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    assert text_of(page) != first  # what was answered is not asked again
    page.close()
    assert not PreferenceResponse.objects.exists()

    page.context.unroute("**/preference/")
    home = page.context.new_page()

    def answers_with_the_past(route: Route) -> None:
        asked = route.fetch()
        wait_until(PreferenceResponse.objects.exists)  # what waited arrives in between
        route.fulfill(response=asked)

    home.route("**/next/", answers_with_the_past, times=1)
    home.goto("/")  # any page of theirs sends what waited
    expect_done(home, 1)
    assert PreferenceResponse.objects.count() == 1
    home.goto(ANNOTATE)
    expect_saved(home, PreferenceResponse.objects.get().created_at)


def test_a_report_that_cannot_be_sent_says_so_and_arrives_once(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    fetched_ahead(page)
    cut(page)
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    dialog.get_by_role("radio", name="Something else", exact=True).check()
    dialog.get_by_role("button", name="Send report", exact=True).click()
    expect(dialog.get_by_text(re.compile(r"^Your report has not been sent yet\."))).to_be_visible()
    mend(page)
    expect(dialog.get_by_text("Thank you. The organisers will see your report.", exact=True)).to_be_visible()
    assert Report.objects.count() == 1
