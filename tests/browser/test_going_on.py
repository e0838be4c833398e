"""From Submit to the next text at once; the last answer changed, and back again."""

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.designing.lifecycle import change_state
from annotations.models import PreferenceResponse, StudyState
from tests.browser.answering import ANNOTATE, begin, chart, expect_done, expect_saved, label, prefer, text_of
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, step
from tests.browser.study import BrowserStudy
from tests.worlds.answering import complete_all


def tab_to(page: Page, name: str) -> None:
    """Reach a button with the keyboard alone."""
    button = page.get_by_role("button", name=name, exact=True)
    expect(button).to_be_enabled()
    for _ in range(60):
        if button.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{name} is not reached with Tab")


@pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["laptop", "phone"])
def test_an_answer_leads_to_the_next_text_and_can_be_changed_until_the_study_is_closed(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    change = page.get_by_role("button", name="Change my last answer", exact=True)
    changing = page.get_by_role("button", name="Save the change", exact=True)
    expect(change).to_have_count(0)  # there is none yet
    first = text_of(page)

    with step("from Submit to the next text nothing is waited for, and what is not stored is not done"):
        with page.expect_response("**/labels/") as answered:
            label(page, "Privacy")
        following = answered.value.json()["next"]["assignment"]
        assert following["comparison"] is None
        sides = chart(page).inner_text()
        held: list[Route] = []

        def hold(route: Route) -> None:  # the server takes its time
            held.append(route)

        def never(route: Route) -> None:  # nothing else is needed
            route.abort()

        page.route("**/preference/", hold)
        page.route("**/next/", never)
        with page.expect_request("**/preference/") as sent:
            prefer(page, "a5")
        assert sent.value.post_data_json["ahead"] == following["token"]
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        assert text_of(page) == following["segments"][0]["text"].strip() != first
        expect(page.locator("header").get_by_role("status")).to_have_text("Saving…")
        expect_done(page, 0)
        with page.expect_response("**/preference/") as stored:
            held[0].continue_()
        assert stored.value.json()["next"] is None
        expect_done(page, 1)
        expect_saved(page, PreferenceResponse.objects.get().created_at)
        page.unroute("**/preference/", hold)
        page.unroute("**/next/", never)

    second = text_of(page)
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    with step("the last answer opens as it was given, by keyboard"):
        tab_to(page, "Change my last answer")
        page.keyboard.press("Enter")
        expect(changing).to_be_visible()
        assert (text_of(page), chart(page).inner_text()) == (first, sides)
        if look is PHONE:  # one touch away
            page.get_by_role("button", name="Show the whole text", exact=True).click()
        expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
        if look is PHONE:
            page.get_by_role("button", name="Back to the question", exact=True).click()
        expect(page.get_by_role("radio", name="A is more accurate", exact=True)).to_be_checked()
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "100")
    with step("who does not change it after all is back where they were"):
        page.keyboard.press("Escape")
        expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_be_checked()
        assert text_of(page) == second
    with step("each change is a revision of its own, and the expert is back where they were"):
        for revision, keys in enumerate(["b2", "o"], 1):
            tab_to(page, "Change my last answer")
            page.keyboard.press("Enter")
            expect(changing).to_be_visible()
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

    complete_all(study.expert.user, "areas")
    page.goto(ANNOTATE)
    thanks = page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)
    with step("the very last answer can be changed from the last page"):
        expect(thanks).to_be_visible()
        change.click()
        expect(page.get_by_role("radio", name="A is more accurate", exact=True)).to_be_checked()
        page.get_by_role("radio", name="Neither is accurate", exact=True).check()
        changing.click()
        expect(thanks).to_be_visible()
        expect(page.get_by_text("Saving…", exact=True)).to_have_count(0)
        newest = PreferenceResponse.objects.latest("pk")
        assert (newest.a_chosen, newest.b_chosen, newest.revision) == (False, False, 1)
    with step("a change comes too late once the study is closed, and that is said"):
        change_state(study=study.study, to=StudyState.CLOSED)
        change.click()
        expect(page.get_by_role("alert")).to_contain_text("Your last answer cannot be changed now")
        assert PreferenceResponse.objects.latest("pk") == newest
