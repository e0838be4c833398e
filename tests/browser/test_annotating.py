"""An expert's whole way: sign in, read, answer both steps, leave, come back."""

import json
from http import HTTPStatus
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from annotations.models import LabelResponse, PreferenceResponse, Report
from tests.browser.answering import SAVED, begin, chart, expect_done, label, state
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_an_expert_finishes_two_assignments_with_the_keyboard_alone(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(look=look)
    keys = page.keyboard
    page.goto("/")
    expect(page.get_by_label("E-mail address", exact=True)).to_be_focused()
    keys.type(study.expert.user.email)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")

    # Who answers one study only is led straight there.
    expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_focused()
    keys.press("Tab")
    expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_focused()
    keys.press("Enter")

    # The first: find two areas by typing, Enter takes the best match, Enter on the empty field goes on.
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    keys.type("hous")
    keys.press("Enter")
    keys.type("privacy")
    keys.press("Enter")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    keys.press("Enter")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    expect(
        page.get_by_text("Still to answer: which side is more accurate and how certain you are", exact=True)
    ).to_be_visible()
    keys.press("a")
    expect(page.get_by_text("Still to answer: how certain you are", exact=True)).to_be_visible()
    keys.press("4")
    keys.press("Enter")

    # The second: arrows and Space among the areas; arrows on the answers and on the slider.
    expect_done(page, 1)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    keys.press("Tab")
    keys.press("ArrowDown")
    keys.press("ArrowRight")
    keys.press("Space")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    keys.press("Enter")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    keys.press("n")
    keys.press("Enter")  # not complete: leads to the slider and says so
    expect(page.get_by_role("slider")).to_be_focused()
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("Enter")
    expect_done(page, 2)

    preferences = PreferenceResponse.objects.order_by("pk")
    assert [(p.a_chosen, p.b_chosen, p.certainty) for p in preferences] == [(True, False, 0.75), (False, False, 0.55)]
    assert LabelResponse.objects.count() == 2


def test_leaving_and_coming_back_resumes_exactly_there(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    text = page.get_by_role("region", name="Text", exact=True).inner_text()
    label(page, "Privacy")
    shown = chart(page).inner_text()
    page.reload()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert page.get_by_role("region", name="Text", exact=True).inner_text() == text
    assert chart(page).inner_text() == shown
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    expect(state(page, SAVED)).to_be_visible()


def test_the_exclusive_label_and_the_others_rule_each_other_out(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    page.get_by_role("checkbox", name="Not a legal issue", exact=True).check()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="1 chosen")).to_be_attached()
    page.get_by_role("checkbox", name="Health", exact=True).check()
    expect(page.get_by_role("checkbox", name="Not a legal issue", exact=True)).not_to_be_checked()


def test_certainty_has_no_preset_and_submit_says_what_is_missing(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    slider = page.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "not answered")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(
        page.get_by_text("Still to answer: which side is more accurate and how certain you are", exact=True)
    ).to_be_visible()
    page.get_by_role("radio", name="Both are accurate", exact=True).check()
    page.get_by_role("button", name="Guessing", exact=True).click()
    expect(slider).to_have_attribute("aria-valuetext", "Guessing, 0 of 100")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    answer = PreferenceResponse.objects.get()
    assert (answer.a_chosen, answer.b_chosen, answer.certainty) == (True, True, 0.0)


def test_a_lost_answer_is_sent_again_and_stored_once(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    keys: list[str] = []

    def lose_the_first_two(route: Route) -> None:
        keys.append(json.loads(route.request.post_data or "{}")["key"])
        if len(keys) == 1:
            route.abort()  # never arrives
        elif len(keys) == 2:
            route.fetch()  # arrives, and the answer is lost on the way back
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/assignments/*/labels/", lose_the_first_two)
    label(page, "Privacy")
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert LabelResponse.objects.count() == 1


def test_a_problem_can_be_reported_and_the_text_skipped(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    text = page.get_by_role("region", name="Text", exact=True).inner_text()
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    dialog.get_by_role("button", name="Send report", exact=True).click()
    expect(dialog.get_by_text("Please choose what fits best.", exact=True)).to_be_visible()
    dialog.get_by_role("radio", name="The text is distressing", exact=True).check()
    dialog.get_by_role("checkbox", name="Skip this text and show me the next one", exact=True).check()
    dialog.get_by_role("button", name="Send report", exact=True).click()
    expect(page.get_by_role("region", name="Text", exact=True)).not_to_have_text(text)
    expect(state(page, SAVED)).to_be_visible()
    report = Report.objects.get()
    assert (report.reason, report.skipped) == ("distressing", True)
    told = page.get_by_role("status").filter(has_text="You have skipped a text, and your report is saved.")
    expect(told).to_contain_text("That text will not come back, and it does not count as done.")
    expect(told).to_contain_text("Here is the next text.")
    label(page, "Privacy")  # from the next answer on it is no news
    expect(told).to_have_count(0)


def test_nothing_that_reaches_the_experts_browser_names_a_source(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    received: list[str] = []

    def keep(response: Any) -> None:
        if "/api/" in response.url:
            body = "" if response.status == HTTPStatus.NO_CONTENT else response.text()
            received.extend([response.url, json.dumps(response.headers), body])

    page.on("response", keep)
    begin(page)
    label(page, "Privacy")
    received.append(page.content())
    page.keyboard.type("b3")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    received.append(page.content())
    everything = "\n".join(received).lower()
    assert '"comparison"' in everything  # step 2 was among what was looked at
    assert [word for word in sorted(study.sources) if word.lower() in everything] == []


def test_texts_are_shown_as_text_and_never_as_markup(open_page: OpenPage, study: BrowserStudy) -> None:
    nasty = "<img src=x onerror=alert(1)> & <b>bold</b>\n\n  two spaces,\U0001f600 and a line break"
    for instance in study.study.dataset.instances.all():
        instance.segments = [{"name": "", "text": nasty}]
        instance.save(update_fields=["segments"])
    page = open_page(study.expert.user)
    begin(page)
    region = page.get_by_role("region", name="Text", exact=True)
    assert region.inner_text().strip() == nasty
    assert region.locator("img, b").count() == 0


def test_when_the_next_text_cannot_be_fetched_the_page_says_that_the_answer_is_saved(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    page.reload()  # and so nothing is there ahead
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()

    def without_the_next(route: Route) -> None:
        stored = route.fetch()
        route.fulfill(response=stored, json=stored.json() | {"next": None})

    page.route("**/preference/", without_the_next)
    page.route("**/next/", lambda route: route.abort())
    page.keyboard.type("a5")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", name="Your answer is saved", exact=True)).to_be_visible()
    assert PreferenceResponse.objects.count() == 1
    page.unroute("**/next/")
    page.get_by_role("button", name="Try again", exact=True).click()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect_done(page, 1)
