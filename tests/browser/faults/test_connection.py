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
from tests.browser.conftest import OpenPage, step
from tests.browser.study import BrowserStudy
from tests.conftest import wait_until

LOOK_AGAIN = "() => window.dispatchEvent(new Event('focus'))"


def test_without_a_connection_the_expert_goes_on_and_all_arrives(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    you_chose = page.get_by_role("region", name="You chose", exact=True)
    submit = page.get_by_role("button", name="Submit", exact=True)

    with step("cut between click and answer, the page says so and keeps the labels"):

        def cut_now(route: Route) -> None:
            page.context.set_offline(True)
            route.abort("internetdisconnected")

        page.route("**/labels/", cut_now, times=1)
        choose(page, "Privacy")
        expect(page.get_by_text(CUT, exact=True)).to_be_visible()
        expect_waiting(page, 1)
        expect(
            page.get_by_role("heading", name="Step 2 of text 1 waits for the connection", exact=True)
        ).to_be_visible()
        assert not LabelResponse.objects.exists()
    with step("back online it sends them by itself"):
        page.context.set_offline(False)
        expect(submit).to_be_visible()
        expect(page.get_by_text(CUT, exact=True)).to_have_count(0)
        expect(you_chose).to_contain_text("Privacy")
        expect_saved(page, LabelResponse.objects.get().created_at)

    with step("offline the expert goes on with step 1 of the next text, and no further"):
        first = text_of(page)
        cut(page)
        prefer(page)
        expect_waiting(page, 1)
        expect(page.get_by_text(CUT, exact=True)).to_be_visible()
        second = text_of(page)
        assert second != first
        choose(page, "Tax")
        expect_waiting(page, 2)
        expect(
            page.get_by_role("heading", name="Step 2 of text 2 waits for the connection", exact=True)
        ).to_be_visible()
        expect(page.get_by_text("There is nothing more to do until then.", exact=True)).to_be_visible()
        expect(chart(page)).to_have_count(0)  # it is still with the server
        assert not PreferenceResponse.objects.exists()
    with step("both arrive, and step 2 follows"):
        mend(page)
        expect(you_chose).to_contain_text("Tax")
        assert text_of(page) == second
        expect_done(page, 1)
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (2, 1)
        expect_saved(page, LabelResponse.objects.latest("pk").created_at)

    with step("a double click gives one answer, and means nothing on the next text"):
        page.keyboard.type("a5")
        submit.dblclick()
        expect_done(page, 2)
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        page.get_by_role("button", name="Continue", exact=True).dblclick()
        expect(submit).to_be_visible()
        page.keyboard.type("n5")  # both sides of this text look the same
        submit.dblclick()
        expect_done(page, 3)
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        expect(page.get_by_text(re.compile("^Choose at least one label"))).to_have_count(0)
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (3, 3)

    with step("a report that cannot be sent says so, and arrives once"):
        cut(page)
        page.get_by_role("button", name="Report a problem", exact=True).click()
        dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
        dialog.get_by_role("radio", name="Something else", exact=True).check()
        dialog.get_by_role("button", name="Send report", exact=True).click()
        expect(dialog.get_by_text(re.compile(r"^Your report has not been sent yet\."))).to_be_visible()
        mend(page)
        expect(dialog.get_by_text("Thank you. The organisers will see your report.", exact=True)).to_be_visible()
        assert Report.objects.count() == 1


def test_what_is_lost_on_the_way_is_sent_again_and_stored_once(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    keys: list[str] = []

    def key_of(route: Route) -> str:
        return str(json.loads(route.request.post_data or "{}")["key"])

    with step("labels that never arrive, and whose answer is then lost, are stored once; they bring the same again"):

        def lose_the_first_two(route: Route) -> None:
            keys.append(key_of(route))
            if len(keys) == 1:
                route.abort()  # never arrives
            elif len(keys) == 2:
                assert route.fetch().status == 200  # arrives, and the answer is lost on the way back
                route.abort()
            else:
                route.continue_()

        page.route("**/labels/", lose_the_first_two)
        with page.expect_response("**/labels/") as again:
            choose(page, "Privacy")
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert len(keys) == 3
        assert len(set(keys)) == 1
        ahead = Assignment.objects.taken().get(position=1)
        assert again.value.json()["next"]["assignment"]["token"] == str(ahead.token)
        assert (LabelResponse.objects.count(), Assignment.objects.taken().count()) == (1, 2)
        page.unroute("**/labels/")

    with step("an answer whose acknowledgement is lost waits, and is stored once"):
        keys.clear()

        def lose_the_first_answer(route: Route) -> None:
            keys.append(key_of(route))
            if len(keys) > 1:
                route.continue_()
                return
            assert route.fetch().status == 200
            route.abort()

        page.route("**/preference/", lose_the_first_answer)
        prefer(page)
        expect_waiting(page, 1)  # the page cannot know better, and claims nothing
        assert text_of(page) == ahead.instance.segments[0]["text"].strip()  # the next text was here ahead
        stored = PreferenceResponse.objects.get()
        page.evaluate(LOOK_AGAIN)
        expect_saved(page, stored.created_at)
        expect_done(page, 1)
        assert len(keys) == 2
        assert len(set(keys)) == 1
        assert PreferenceResponse.objects.get() == stored
        page.unroute("**/preference/")

    with step("after a reload nothing is here ahead, and the next text comes with the answer"):
        label(page, "Privacy")
        page.reload()
        first = text_of(page)
        page.route("**/next/", lambda route: route.abort())  # and nothing else is needed
        with page.expect_response("**/preference/") as answered:
            prefer(page)
        came = answered.value.json()["next"]["assignment"]
        expect_done(page, 2)
        assert text_of(page) == came["segments"][0]["text"].strip() != first
        page.unroute("**/next/")

    with step("when the next text cannot be fetched the page says that the answer is saved"):
        label(page, "Privacy")
        page.reload()
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()

        def without_the_next(route: Route) -> None:
            kept = route.fetch()
            route.fulfill(response=kept, json=kept.json() | {"next": None})

        page.route("**/preference/", without_the_next)
        page.route("**/next/", lambda route: route.abort())
        prefer(page, "n5")  # both sides of this text look the same
        expect(page.get_by_role("heading", name="Your answer is saved", exact=True)).to_be_visible()
        assert PreferenceResponse.objects.count() == 3
        page.unroute("**/preference/")
        page.unroute("**/next/")
        page.get_by_role("button", name="Try again", exact=True).click()
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        expect_done(page, 3)


def test_a_reload_and_a_closed_page_keep_what_waits(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    page.context.route("**/preference/", lambda route: route.abort())
    prefer(page)
    with step("what waits outlives a reload, and what was answered is not asked again"):
        expect_waiting(page, 1)
        page.reload()
        expect_waiting(page, 1)
        expect(page.get_by_role("heading", name="Your answer is not saved yet", exact=True)).to_be_visible()
    with step("a device that keeps answers is left without a question"):
        asked: list[str] = []
        page.on("dialog", lambda dialog: asked.append(dialog.type))
        with page.expect_event("close"):
            page.close(run_before_unload=True)
        assert asked == []
        assert not PreferenceResponse.objects.exists()

    with step("any page of theirs sends what waited, also while the server tells of the past"):
        page.context.unroute("**/preference/")
        home = page.context.new_page()

        def answers_with_the_past(route: Route) -> None:
            past = route.fetch()
            wait_until(PreferenceResponse.objects.exists)  # what waited arrives in between
            route.fulfill(response=past)

        home.route("**/next/", answers_with_the_past, times=1)
        home.goto("/")
        expect_done(home, 1)
        assert PreferenceResponse.objects.count() == 1
        home.goto(ANNOTATE)
        expect_saved(home, PreferenceResponse.objects.get().created_at)
