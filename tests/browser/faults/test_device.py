"""The browser keeps nothing: the page keeps and sends all the same, and does not claim more than it can do."""

import re

import pytest
from playwright.sync_api import expect

from annotations.models import PreferenceResponse
from tests.browser.answering import begin, cut, expect_done, expect_saved, expect_waiting, label, mend, prefer
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy

REFUSES = {
    "opening": "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }",
    "never answers": "IDBFactory.prototype.open = () => new EventTarget()",
    "quota": """
        IDBObjectStore.prototype.add = function () {
            throw new DOMException('full', 'QuotaExceededError')
        };
        Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') };
    """,
}
WARNING = "Please keep this page open until everything is saved."


@pytest.mark.parametrize("how", REFUSES)
def test_a_device_that_keeps_nothing_loses_nothing_while_the_page_is_open(
    open_page: OpenPage, study: BrowserStudy, how: str
) -> None:
    page = open_page(study.expert.user)
    page.add_init_script(REFUSES[how])
    begin(page)
    label(page, "Privacy")
    cut(page, "**/preference/")
    prefer(page)
    expect_waiting(page, 1)
    expect(page.get_by_text(WARNING, exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("is kept on this device"))).to_have_count(0)
    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()  # stays
    assert not PreferenceResponse.objects.exists()

    mend(page, "**/preference/")
    expect_done(page, 1)
    expect_saved(page, PreferenceResponse.objects.get().created_at)
    expect(page.get_by_text(WARNING, exact=True)).to_have_count(0)


def test_a_device_that_keeps_answers_is_left_without_a_question(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    cut(page, "**/preference/")
    prefer(page)
    expect_waiting(page, 1)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert asked == []
