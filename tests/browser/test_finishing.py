"""The last answer is given: thanks, and, where the study asks, which side was people's."""

import json

from playwright.sync_api import Response, Route, expect

from annotations.models import Guess, Study, Task
from tests.browser.answering import ANNOTATE, expect_waiting
from tests.browser.conftest import OpenPage, step
from tests.browser.study import practised_expert
from tests.worlds.answering import complete_all

NAMES = ("Entailment", "Neutral", "Contradiction")


def test_guesses_are_given_by_keyboard_stored_once_and_answered_with_no_truth(
    open_page: OpenPage, transactional_db: None
) -> None:
    expert = practised_expert(task=Task.MULTICLASS, names=NAMES)
    complete_all(expert.user, expert.study.slug)
    page = open_page(expert.user)
    thanks = page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)
    guess = page.get_by_role("button", name="Guess", exact=True)
    change = page.get_by_role("button", name="Change my last answer", exact=True)
    question = page.locator("#guess")

    with step("a study that does not ask says thanks only"):
        page.goto(ANNOTATE)
        expect(thanks).to_be_visible()
        expect(guess).to_have_count(0)
        expect(change).to_be_visible()
    Study.objects.update(asks_guess=True)
    page.reload()
    with step("nobody has to guess to the end"):
        guess.click()
        page.get_by_role("button", name="Stop guessing", exact=True).click()
        expect(thanks).to_be_visible()
        assert not Guess.objects.exists()

    answers: list[Response] = []
    keys: list[str] = []

    def keep(answer: Response) -> None:
        if "/guess" in answer.url:
            answers.append(answer)

    def lose_the_first(route: Route) -> None:
        keys.append(json.loads(route.request.post_data or "{}")["key"])
        if len(keys) > 1:
            route.continue_()
            return
        route.fetch()
        route.abort()

    page.route("**/api/v1/assignments/*/guess/", lose_the_first)
    page.on("response", keep)
    page.reload()
    guess.press("Enter")
    for turn, key in enumerate(["a", "b", "x", "a"], 1):
        expect(question).to_contain_text(f"({turn} of 4)")
        expect(change).to_have_count(0)  # it could only fail
        if turn == 1:
            with step("a guess is asked for before the next"):
                page.keyboard.press("Enter")
                expect(page.get_by_text("Please choose one of the three.", exact=True)).to_be_visible()
            with step("a guess that was lost on the way back is waited for by nobody, and stored once"):
                page.keyboard.press(key)
                page.keyboard.press("Enter")
                expect(question).to_contain_text("(2 of 4)")
                expect_waiting(page, 1)
                with page.expect_response("**/guess/"):
                    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
                assert len(keys) == 2
                assert len(set(keys)) == 1
                assert Guess.objects.count() == 1
        else:
            page.keyboard.press(key)
            with page.expect_response("**/guess/"):
                page.keyboard.press("Enter")
    with step("all are stored, and nothing that came over the line tells whether they were right"):
        expect(page.get_by_role("button", name="Stop guessing", exact=True)).to_have_count(0)
        assert sorted(Guess.objects.values_list("side", flat=True)) == ["a", "a", "b", "unknown"]
        bodies = [answer.text().lower() for answer in answers]
        assert len(bodies) == 5  # what is asked, and four guesses
        assert not any(
            word in body for body in bodies for word in ("human", "right", "zebrafish", "quagga", "first_is")
        )
    with step("what was guessed about is asked no more, and no correction is offered that can only fail"):
        with page.expect_response("**/guesses/"):
            page.reload()
        expect(thanks).to_be_visible()
        expect(guess).to_have_count(0)
        expect(change).to_have_count(0)
