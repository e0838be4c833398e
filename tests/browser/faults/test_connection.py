"""The line is cut, or an acknowledgement is lost: one response is stored, nothing is lost, the expert is told."""

import json
import re

from playwright.sync_api import Route, expect

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
    begin(page)
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


def test_after_a_reload_the_next_text_comes_with_the_answer(open_page: OpenPage, study: BrowserStudy) -> None:
    """Nothing is here ahead then, and step 2 says so."""
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    page.reload()
    first = text_of(page)
    page.route("**/next/", lambda route: route.abort())  # and nothing else is needed
    with page.expect_response("**/preference/") as answered:
        prefer(page)
    came = answered.value.json()["next"]["assignment"]
    expect_done(page, 1)
    assert text_of(page) == came["segments"][0]["text"].strip() != first


def test_labels_stored_and_step_2_lost_on_the_way_back(open_page: OpenPage, study: BrowserStudy) -> None:
    """Sent again, they bring the same again: step 2 and the text after it."""
    page = open_page(study.expert.user)
    begin(page)

    def lose_the_answer(route: Route) -> None:
        assert route.fetch().status == 200
        route.abort()

    page.route("**/labels/", lose_the_answer, times=1)
    choose(page, "Privacy")
    expect_waiting(page, 1)
    ahead = Assignment.objects.taken().get(position=1)
    with page.expect_response("**/labels/") as again:
        page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    assert again.value.json()["next"]["assignment"]["token"] == str(ahead.token)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    cut(page)
    prefer(page)
    assert text_of(page) == ahead.instance.segments[0]["text"].strip()
    mend(page)
    expect_done(page, 1)
    assert (LabelResponse.objects.count(), Assignment.objects.taken().count()) == (1, 2)


def test_stored_and_its_acknowledgement_lost_on_the_way_back(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
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
    begin(page)
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
    begin(page)
    label(page, "Privacy")
    page.context.route("**/preference/", lambda route: route.abort())
    prefer(page)
    expect_waiting(page, 1)
    page.reload()
    expect_waiting(page, 1)
    # What was answered is not asked again.
    expect(page.get_by_role("heading", name="Your answer is not saved yet", exact=True)).to_be_visible()
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
    begin(page)
    cut(page)
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    dialog.get_by_role("radio", name="Something else", exact=True).check()
    dialog.get_by_role("button", name="Send report", exact=True).click()
    expect(dialog.get_by_text(re.compile(r"^Your report has not been sent yet\."))).to_be_visible()
    mend(page)
    expect(dialog.get_by_text("Thank you. The organisers will see your report.", exact=True)).to_be_visible()
    assert Report.objects.count() == 1
