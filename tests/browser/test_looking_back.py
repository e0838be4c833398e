"""Experts look at their own answers: from the instructions and the last page, at both widths, in three languages."""

import pytest
from playwright.sync_api import Route, expect

from annotations.models import PreferenceResponse
from annotations.people.membership.members import practised
from tests.browser.answering import ANNOTATE, begin, chart, label, past_a_double_click, prefer
from tests.browser.conftest import (
    IN_EVERY_LOOK,
    PHONE,
    Axe,
    Look,
    OpenPage,
    every_look,
    flaws,
    settled,
    step,
)
from tests.browser.speaking import ARABIC, GERMAN, Speech, english_on, expert_in
from tests.browser.study import BrowserStudy

HOUSING = "Housing and residential tenancies"


@IN_EVERY_LOOK
def test_an_answer_is_found_in_the_list_and_looked_at_as_it_was(
    open_page: OpenPage, axe: Axe, study: BrowserStudy, looks: list[Look]
) -> None:
    page = open_page(study.expert.user, look=looks[-1])
    begin(page)
    label(page, HOUSING)
    drawn = chart(page).inner_text()
    held: list[Route] = []
    page.route("**/preference/", lambda route: held.append(route))  # noqa: PLW0108  # it wants a function
    prefer(page, "b4")
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    with step("the instructions lead to the list, to which an answer comes when it is stored"):
        page.get_by_role("button", name="Instructions", exact=True).click()
        page.get_by_role("link", name="My answers", exact=True).click()
        row = page.get_by_role("main").get_by_role("listitem")
        expect(page.get_by_role("heading", level=1, name="My answers", exact=True)).to_be_visible()
        settled(page)
        expect(row).to_have_count(0)
        held[0].continue_()
        expect(row).to_have_count(1)
        expect(row).to_contain_text(HOUSING)
        expect(row).to_contain_text("B is more accurate · Sure")
        assert flaws(page, axe, *looks) == []
    with step("the answer is shown as it was drawn"):
        row.get_by_role("link").click()
        expect(chart(page)).to_be_visible()
        assert chart(page).inner_text() == drawn
        expect(page.get_by_text("B is more accurate · Sure", exact=True)).to_be_visible()
        assert flaws(page, axe, *looks) == []
    with step("and nothing there changes it"):
        expect(page.get_by_role("radio")).to_have_count(0)
        expect(page.get_by_role("slider")).to_have_count(0)
        page.keyboard.type("a1")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Back to my answers", exact=True).click()
        expect(row).to_have_count(1)
        assert [one.choice for one in PreferenceResponse.objects.filter(assignment__expert=study.expert)] == ["b"]


@pytest.mark.long
@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=lambda one: one.code)
def test_it_speaks_the_experts_language(open_page: OpenPage, axe: Axe, speech: Speech) -> None:
    person = expert_in(speech)
    practised(user=person.user, slug=person.study.slug)
    page = open_page(person.user, look=PHONE, language=speech.code)
    page.goto(ANNOTATE)
    page.get_by_role("checkbox").first.check()
    past_a_double_click(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider")).to_be_visible()
    page.keyboard.type("n3")
    past_a_double_click(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox").first).to_be_visible()
    page.goto("/studies/areas/answers")
    row = page.get_by_role("main").get_by_role("listitem")
    expect(row).to_have_count(1)
    assert english_on(page, speech) == set()
    assert flaws(page, axe, *every_look(PHONE)) == []
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name=speech.question_preference, exact=True)).to_be_visible()
    assert english_on(page, speech) == set()
    expect(page.locator("html")).to_have_attribute("dir", speech.direction)
    assert flaws(page, axe, *every_look(PHONE)) == []
