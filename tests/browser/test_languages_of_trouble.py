"""What goes wrong is said in the language of the page, too: no connection, another tab, an ended session."""

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.answering import ANNOTATE, cut, mend
from tests.browser.conftest import Axe, OpenPage
from tests.browser.speaking import ARABIC, GERMAN, TEXTS, Speech, expert_in
from tests.browser.study import PASSWORD
from tests.browser.test_languages import Reader, answer_by_key

pytestmark = pytest.mark.long


@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_trouble_is_said_in_the_language_of_the_page(
    open_page: OpenPage, transactional_db: None, axe: Axe, speech: Speech
) -> None:
    expert = expert_in(speech)
    type(expert.study).objects.update(instructions="")
    type(expert).objects.update(practised_at=timezone.now())
    page = open_page(expert.user, language=speech.code)
    reader = Reader(page, speech, axe)
    page.goto(ANNOTATE)

    # The last answer, opened again.
    give_labels(reader, 0)
    answer_by_key(page, speech)
    reader.button("Submit").click()
    reader.button("Change my last answer").click()
    expect(reader.button("Save the change")).to_be_visible()
    reader.looks()
    reader.button("Back without a change").click()

    # No connection: step 1 is kept, step 2 waits.
    expect(reader.button("Continue")).to_be_visible()
    cut(page)
    page.get_by_role("checkbox", name=speech.labels[1], exact=True).check()
    reader.button("Continue").click()
    reader.sees(
        "The labels that you chose are still on this device. As soon as they are saved, step 2 opens by itself."
    )
    reader.looks()
    mend(page)
    expect(reader.button("Submit")).to_be_visible()

    # A second tab.
    other = page.context.new_page()
    other.goto(ANNOTATE)
    there = Reader(other, speech, axe)
    there.sees("This study is open in another tab")
    there.looks()
    other.close()

    # The session has ended: the password is asked for in place.
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    answer_by_key(page, speech)
    reader.button("Submit").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(speech.say("Please sign in again"))
    reader.looks()
    dialog.get_by_label(speech.say("Password"), exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    done = speech.say("{done} of {total} done")
    expect(page.locator("header")).to_contain_text(done.format(done=2, total=TEXTS))


def give_labels(reader: Reader, label: int) -> None:
    reader.page.get_by_role("checkbox", name=reader.speech.labels[label], exact=True).check()
    reader.button("Continue").click()
    expect(reader.button("Submit")).to_be_visible()
