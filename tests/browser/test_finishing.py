"""The last answer is given: thanks, and, where the study asks, which side was people's."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, Route, expect

from annotations.models import Guess, Membership, Task
from tests.browser.answering import ANNOTATE, expect_waiting
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import practised_expert
from tests.worlds.answering import complete_all

NAMES = ("Entailment", "Neutral", "Contradiction")


def finished(**settings: object) -> Membership:
    """An expert who has answered all four texts."""
    expert = practised_expert(task=Task.MULTICLASS, names=NAMES, **settings)
    complete_all(expert.user, expert.study.slug)
    return expert


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_guesses_are_given_by_keyboard_and_nobody_is_told_the_truth(
    open_page: OpenPage, transactional_db: None, axe: Callable[[Page], list[str]], look: Look
) -> None:
    expert = finished(asks_guess=True)
    page = open_page(expert.user, look=look)
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        if "/guess" in answer.url:
            answers.append(answer)

    page.on("response", keep)
    page.goto(ANNOTATE)
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Guess", exact=True).press("Enter")
    for turn, key in enumerate(["a", "b", "x", "a"], 1):
        expect(
            page.get_by_role("heading", name=f"Which side came from people? ({turn} of 4)", exact=True)
        ).to_be_visible()
        if turn == 1:
            assert axe(page) == []
            page.keyboard.press("Enter")
            expect(page.get_by_text("Please choose one of the three.", exact=True)).to_be_visible()
        page.keyboard.press(key)
        with page.expect_response("**/guess/"):
            page.keyboard.press("Enter")
    expect(
        page.get_by_text("Thank you. Your guesses are saved, and there are no more questions.", exact=True)
    ).to_be_visible()
    assert sorted(Guess.objects.values_list("side", flat=True)) == ["a", "a", "b", "unknown"]
    bodies = [answer.text().lower() for answer in answers]
    assert len(bodies) == 5  # what is asked, and four guesses
    assert not any(word in body for body in bodies for word in ("human", "right", "zebrafish", "quagga", "first_is"))
    page.reload()
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="One more question, if you like", exact=True)).to_be_hidden()


def test_a_guess_that_was_lost_on_the_way_back_is_stored_once(open_page: OpenPage, transactional_db: None) -> None:
    expert = finished(asks_guess=True)
    page = open_page(expert.user)
    keys: list[str] = []

    def lose(route: Route) -> None:
        keys.append(json.loads(route.request.post_data or "{}")["key"])
        if len(keys) > 1:
            route.continue_()
            return
        route.fetch()
        route.abort()

    page.route("**/api/v1/assignments/*/guess/", lose)
    page.goto(ANNOTATE)
    page.get_by_role("button", name="Guess", exact=True).click()
    page.keyboard.press("a")
    page.get_by_role("button", name="Save my guess", exact=True).click()
    expect(
        page.get_by_role("heading", name="Which side came from people? (2 of 4)", exact=True)
    ).to_be_visible()  # nobody waits for it
    expect_waiting(page, 1)
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect(page.get_by_text(re.compile("^Not saved yet"))).to_have_count(0)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert Guess.objects.count() == 1


def test_a_study_that_does_not_ask_only_says_thanks(open_page: OpenPage, transactional_db: None) -> None:
    page = open_page(finished().user)
    page.goto(ANNOTATE)
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Guess", exact=True)).to_be_hidden()


def test_no_correction_is_offered_that_can_only_fail(open_page: OpenPage, transactional_db: None) -> None:
    page = open_page(finished(asks_guess=True).user)
    change = page.get_by_role("button", name="Change my last answer", exact=True)
    page.goto(ANNOTATE)
    expect(change).to_be_visible()
    page.get_by_role("button", name="Guess", exact=True).click()
    for turn in range(1, 5):
        expect(
            page.get_by_role("heading", name=f"Which side came from people? ({turn} of 4)", exact=True)
        ).to_be_visible()
        expect(change).to_have_count(0)
        page.keyboard.press("x")
        with page.expect_response("**/guess/"):
            page.keyboard.press("Enter")
    with page.expect_response("**/guesses/"):  # all four texts were guessed about
        page.reload()
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    expect(change).to_have_count(0)


def test_nobody_has_to_guess_to_the_end(open_page: OpenPage, transactional_db: None) -> None:
    page = open_page(finished(asks_guess=True).user)
    page.goto(ANNOTATE)
    page.get_by_role("button", name="Guess", exact=True).click()
    page.get_by_role("button", name="Stop guessing", exact=True).click()
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    assert Guess.objects.count() == 0
