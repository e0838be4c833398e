"""From Submit to the next text at once; drafts that outlive a reload; the last answer changed, and back again."""

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.models import LabelResponse, PreferenceResponse
from tests.browser.answering import ANNOTATE, begin, chart, expect_done, expect_saved, label, prefer, text_of
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.worlds.answering import complete_all


def test_from_submit_to_the_next_text_nothing_is_waited_for(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    first = text_of(page)
    with page.expect_response("**/labels/") as answered:
        label(page, "Privacy")
    following = answered.value.json()["next"]["assignment"]
    assert following["comparison"] is None
    held: list[Route] = []

    def hold(route: Route) -> None:  # the server takes its time
        held.append(route)

    page.route("**/preference/", hold)
    page.route("**/next/", lambda route: route.abort())  # and nothing else is needed
    with page.expect_request("**/preference/") as sent:
        prefer(page)
    assert sent.value.post_data_json["ahead"] == following["token"]
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    assert text_of(page) == following["segments"][0]["text"].strip() != first
    expect(page.locator("header").get_by_role("status")).to_have_text("Saving…")
    expect_done(page, 0)  # what is not stored is not done
    with page.expect_response("**/preference/") as stored:
        held[0].continue_()
    assert stored.value.json()["next"] is None
    expect_done(page, 1)
    expect_saved(page, PreferenceResponse.objects.get().created_at)


def test_what_was_entered_outlives_a_reload_with_the_time_it_took(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    page.clock.install()
    begin(page)
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    page.clock.run_for(20_000)
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    page.reload()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.clock.run_for(8_000)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert 28_000 <= (LabelResponse.objects.get().active_ms or 0) < 33_000

    page.keyboard.type("n2")
    page.clock.run_for(10_000)
    page.reload()
    expect(page.get_by_role("radio", name="Neither is accurate", exact=True)).to_be_checked()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Unsure, 25 of 100")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    stored = PreferenceResponse.objects.get()
    assert (stored.a_chosen, stored.b_chosen, stored.certainty) == (False, False, 0.25)
    assert 10_000 <= (stored.active_ms or 0) < 15_000
    assert page.evaluate("() => Object.keys(localStorage).filter((name) => name.startsWith('hlv:draft:'))") == []


def tab_to(page: Page, name: str) -> None:
    """Reach a button with the keyboard alone."""
    button = page.get_by_role("button", name=name, exact=True)
    expect(button).to_be_enabled()
    for _ in range(60):
        if button.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{name} is not reached with Tab")


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_last_answer_is_changed_by_keyboard_and_the_expert_is_back_where_they_were(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    expect(page.get_by_role("button", name="Change my last answer", exact=True)).to_have_count(0)  # there is none yet
    first = text_of(page)
    label(page, "Privacy")
    sides = chart(page).inner_text()
    prefer(page, "a5")
    expect_done(page, 1)
    second = text_of(page)
    page.get_by_role("checkbox", name="Tax", exact=True).check()

    tab_to(page, "Change my last answer")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You are changing your last answer.", exact=True)).to_be_visible()
    assert text_of(page) == first
    assert chart(page).inner_text() == sides
    if look is PHONE:  # one touch away
        page.get_by_role("button", name="Show the whole text", exact=True).click()
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    if look is PHONE:
        page.get_by_role("button", name="Back to the question", exact=True).click()
    expect(page.get_by_role("radio", name="A is more accurate", exact=True)).to_be_checked()  # what is changed
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Certain, 100 of 100")
    page.keyboard.press("Escape")  # not after all
    expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()
    assert text_of(page) == second

    for revision, keys in enumerate(["b2", "o"], 1):
        tab_to(page, "Change my last answer")
        page.keyboard.press("Enter")
        expect(page.get_by_text("You are changing your last answer.", exact=True)).to_be_visible()
        page.keyboard.type(keys)
        page.keyboard.press("Enter")
        expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()
        expect(page.get_by_text("Saving…", exact=True)).to_have_count(0)
        newest = PreferenceResponse.objects.latest("pk")
        assert newest.revision == revision
        expect_saved(page, newest.created_at)
    answers = PreferenceResponse.objects.order_by("revision").values_list("a_chosen", "b_chosen", "certainty")
    assert list(answers) == [(True, False, 1.0), (False, True, 0.25), (True, True, 0.25)]
    expect_done(page, 1)


def test_the_very_last_answer_can_be_changed_from_the_last_page(open_page: OpenPage, study: BrowserStudy) -> None:
    complete_all(study.expert.user, "areas")
    page = open_page(study.expert.user)
    page.goto(ANNOTATE)
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Change my last answer", exact=True).click()
    expect(page.get_by_role("radio", name="A is more accurate", exact=True)).to_be_checked()
    page.get_by_role("radio", name="Neither is accurate", exact=True).check()
    page.get_by_role("button", name="Save the change", exact=True).click()
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    expect(page.get_by_text("Saving…", exact=True)).to_have_count(0)
    newest = PreferenceResponse.objects.latest("pk")
    assert (newest.a_chosen, newest.b_chosen, newest.revision) == (False, False, 1)


def test_a_change_comes_too_late_once_the_study_is_closed(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    prefer(page)
    expect_done(page, 1)
    study.study.state = "closed"
    study.study.save(update_fields=["state"])
    page.get_by_role("button", name="Change my last answer", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Your last answer cannot be changed now")
    expect(page.get_by_role("alert")).to_contain_text("The study is not accepting answers at the moment.")
