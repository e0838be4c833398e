"""Two tabs of one expert: one works at a time, and they never contradict each other silently."""

import re

from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import LabelResponse, PreferenceResponse, StudyState
from tests.browser.answering import (
    ANNOTATE,
    begin,
    choose,
    cut,
    expect_done,
    expect_saved,
    expect_waiting,
    label,
    mend,
    prefer,
)
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy
from tests.conftest import wait_until

WITHOUT_LOCKS = """
    Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
    delete window.BroadcastChannel;
"""
WITHOUT_LOCKS_ONLY = "delete Navigator.prototype.locks"


def elsewhere(page: Page) -> None:
    expect(page.get_by_role("heading", name="This study is open in another tab", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_have_count(0)


def test_one_tab_works_and_the_other_can_take_over_with_what_was_entered(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    first = open_page(study.expert.user)
    begin(first)
    first.get_by_role("checkbox", name="Privacy", exact=True).check()
    second = first.context.new_page()
    second.goto(ANNOTATE)
    elsewhere(second)
    second.get_by_role("button", name="Continue here", exact=True).click()
    expect(second.get_by_role("checkbox", name="Privacy", exact=True)).to_be_checked()
    elsewhere(first)
    second.get_by_role("button", name="Continue", exact=True).click()
    expect(second.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    prefer(second)
    expect_done(second, 1)

    second.close()  # the other takes its turn by itself, where this one stopped
    expect(first.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect_done(first, 1)
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)


def test_without_web_locks_the_newest_tab_works(open_page: OpenPage, study: BrowserStudy) -> None:
    first = open_page(study.expert.user)
    first.context.add_init_script(WITHOUT_LOCKS_ONLY)
    begin(first)
    second = first.context.new_page()
    second.goto(ANNOTATE)
    expect(second.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    elsewhere(first)
    first.get_by_role("button", name="Continue here", exact=True).click()
    expect(first.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    elsewhere(second)


def test_tabs_that_do_not_know_of_each_other_cannot_contradict_each_other_silently(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    first = open_page(study.expert.user)
    first.context.add_init_script(WITHOUT_LOCKS)
    begin(first)
    second = first.context.new_page()
    second.goto(ANNOTATE)
    expect(second.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    label(first, "Privacy")
    choose(second, "Tax")  # another choice, and step 2 was seen meanwhile
    refusal = second.get_by_role("alert").filter(has_text="One answer was not accepted and is not saved.")
    expect(refusal).to_contain_text("Tax")
    expect(refusal).to_contain_text("Your labels were saved before")
    expect(second.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")  # what counts
    prefer(first, "a5")
    expect_done(first, 1)
    prefer(second, "b1")
    expect(second.get_by_role("alert")).to_contain_text("2 answers were not accepted and are not saved.")
    expect(second.get_by_role("alert")).to_contain_text("has already been answered")
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)
    assert PreferenceResponse.objects.get().a_chosen


def test_what_the_server_will_never_take_is_told_and_kept_until_it_was_read(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    cut(page, "**/api/v1/assignments/**")
    prefer(page, "a5")
    choose(page, "Tax")
    expect_waiting(page, 2)
    change_state(study=study.study, to=StudyState.PAUSED)
    mend(page, "**/api/v1/assignments/**")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("2 answers were not accepted and are not saved.")
    expect(alert).to_contain_text(re.compile("Text 1, step 2: A is more accurate · Certain"))
    expect(alert).to_contain_text("Tax")
    expect(alert).to_contain_text("The study is not accepting answers at the moment.")
    expect(page.get_by_role("heading", name="The study is paused", exact=True)).to_be_visible()
    page.reload()
    expect(alert).to_contain_text("2 answers were not accepted")  # not forgotten

    change_state(study=study.study, to=StudyState.OPEN)
    alert.get_by_role("listitem").filter(has_text="step 2").get_by_role(
        "button", name="Send it again", exact=True
    ).click()
    expect(alert).to_contain_text("One answer was not accepted")
    expect_saved(page, wait_for_preference().created_at)
    alert.get_by_role("button", name="I have read this", exact=True).click()
    expect(alert).to_have_count(0)
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)


def wait_for_preference() -> PreferenceResponse:
    wait_until(PreferenceResponse.objects.exists)
    return PreferenceResponse.objects.get()
