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
from tests.browser.conftest import OpenPage, step
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


def test_one_tab_works_at_a_time_and_another_can_take_over(open_page: OpenPage, study: BrowserStudy) -> None:
    first = open_page(study.expert.user)
    begin(first)
    first.get_by_role("checkbox", name="Privacy", exact=True).check()
    with step("the second tab says that the study is open in another, and takes over with what was entered"):
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
    with step("when it is closed the other takes its turn by itself, where it stopped"):
        second.close()
        expect(first.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        expect_done(first, 1)
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)
    first.context.close()

    with step("without web locks the newest tab works"):
        first = open_page(study.expert.user)
        first.context.add_init_script(WITHOUT_LOCKS_ONLY)
        first.goto(ANNOTATE)
        expect(first.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        second = first.context.new_page()
        second.goto(ANNOTATE)
        expect(second.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        elsewhere(first)
        first.get_by_role("button", name="Continue here", exact=True).click()
        expect(first.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        elsewhere(second)


def test_what_the_server_does_not_take_is_told_and_kept_until_it_was_read(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    first = open_page(study.expert.user)
    first.context.add_init_script(WITHOUT_LOCKS)
    begin(first)
    with step("tabs that do not know of each other cannot contradict each other silently"):
        second = first.context.new_page()
        second.goto(ANNOTATE)
        expect(second.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        label(first, "Privacy")
        choose(second, "Tax")  # another choice, and step 2 was seen meanwhile
        refusal = second.get_by_role("alert")
        expect(refusal).to_contain_text("One answer was not accepted")
        expect(refusal).to_contain_text("Tax")
        expect(refusal).to_contain_text("Your labels were saved before")
        expect(second.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")  # what counts
        prefer(first, "a5")
        expect_done(first, 1)
        prefer(second, "b1")
        expect(refusal).to_contain_text("2 answers were not accepted")
        expect(refusal).to_contain_text("has already been answered")
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)
        assert PreferenceResponse.objects.get().a_chosen
    first.context.close()

    page = open_page(study.expert.user)
    page.goto(ANNOTATE)
    alert = page.get_by_role("alert")
    with step("what the server will never take is told, with why"):
        label(page, "Privacy")
        cut(page, "**/api/v1/assignments/**")
        prefer(page, "n5")
        choose(page, "Tax")
        expect_waiting(page, 2)
        change_state(study=study.study, to=StudyState.PAUSED)
        mend(page, "**/api/v1/assignments/**")
        expect(alert).to_contain_text("2 answers were not accepted")
        expect(alert).to_contain_text(re.compile("step 2: Neither is accurate · Certain"))
        expect(alert).to_contain_text("Tax")
        expect(alert).to_contain_text("The study is not accepting answers at the moment.")
        expect(page.get_by_role("heading", name="The study is paused", exact=True)).to_be_visible()
    with step("and not forgotten by a reload"):
        page.reload()
        expect(alert).to_contain_text("2 answers were not accepted")
    with step("it is sent again when it is wanted, and gone once it was read"):
        change_state(study=study.study, to=StudyState.OPEN)
        again = alert.get_by_role("listitem").filter(has_text="step 2")
        again.get_by_role("button", name="Send it again", exact=True).click()
        expect(alert).to_contain_text("One answer was not accepted")
        wait_until(lambda: PreferenceResponse.objects.count() == 2)
        expect_saved(page, PreferenceResponse.objects.latest("pk").created_at)
        alert.get_by_role("button", name="I have read this", exact=True).click()
        expect(alert).to_have_count(0)
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (2, 2)
