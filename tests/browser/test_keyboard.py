"""A whole study of six texts without a mouse: from the address of the server to the thank-you."""

import pytest
from playwright.sync_api import Page, expect

from annotations.models import LabelResponse, PreferenceResponse
from tests.browser.answering import SAVED, expect_done, state
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, step
from tests.browser.study import PASSWORD, SYSTEMS, make_browser_study

CHOSEN = [2, 2, 1, 2, 2, 2]  # labels of each text


def tab_to(page: Page, role: str, name: str) -> None:
    """Press Tab until this has the focus; as long as it takes, but not for ever."""
    wanted = page.get_by_role(role, name=name, exact=True)  # one of the roles that there are
    expect(wanted).to_be_visible()
    for _ in range(60):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {role} {name!r}")


def search(page: Page, *names: str) -> None:
    for name in names:
        page.keyboard.type(name)
        page.keyboard.press("Enter")  # takes the best match


def walk(page: Page) -> None:
    """Among the chips by arrows, choosing with Space."""
    page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Space", "ArrowUp", "Space"):
        page.keyboard.press(key)


@pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["1280", "390"])
def test_six_texts_are_answered_without_a_mouse(open_page: OpenPage, transactional_db: None, look: Look) -> None:
    study = make_browser_study(instances_per_system=1, experts_per_comparison=1, simulated_experts=0)
    page = open_page(look=look)
    keys = page.keyboard
    page.goto("/")
    expect(page.get_by_label("E-mail address", exact=True)).to_be_focused()
    keys.type(study.expert.user.email)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    with step("who answers one study only is led straight there, and to the practice"):
        expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_focused()
    keys.press("Tab")
    expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_focused()
    keys.press("Enter")

    for turn, answer in enumerate(["a4", "b1", "o5", "n3", "arrows", "ab2"]):
        with step(f"text {turn + 1} is answered ({answer})"):
            expect_done(page, turn, of=SYSTEMS)
            expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
            if turn == 1:
                walk(page)
            elif turn == 2:
                search(page, "not a legal")
            else:
                search(page, "housing", "privacy")
            expect(page.get_by_role("checkbox", checked=True)).to_have_count(CHOSEN[turn])
            keys.press("Enter")
            expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
            if answer == "arrows":
                tab_to(page, "radio", "A is more accurate")
                keys.press("Space")
                keys.press("ArrowDown")
                expect(page.get_by_role("radio", name="B is more accurate", exact=True)).to_be_checked()
                keys.press("Enter")  # not complete: leads to the slider
                expect(page.get_by_role("slider", name=study.study.question_certainty, exact=True)).to_be_focused()
                keys.press("End")
                keys.press("ArrowLeft")
            elif turn == 0:
                keys.type(answer[0])
                expect(page.get_by_text("Still to answer: how certain you are", exact=True)).to_be_visible()
                keys.type(answer[1])
            else:
                keys.type(answer)
            keys.press("Enter")
    with step("the last answer is saved, and the page says thanks"):
        expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
        expect(state(page, SAVED)).to_be_visible()

    assert [len(one.labels) for one in LabelResponse.objects.order_by("pk")] == CHOSEN
    stored = [(one.a_chosen, one.b_chosen, one.certainty) for one in PreferenceResponse.objects.order_by("pk")]
    assert stored == [
        (True, False, 0.75),
        (False, True, 0.0),
        (True, True, 1.0),
        (False, False, 0.5),
        (False, True, 0.95),
        (False, True, 0.25),
    ]
