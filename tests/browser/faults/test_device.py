"""The browser keeps nothing: the page keeps and sends all the same, and does not claim more than it can do."""

import re

from playwright.sync_api import expect

from annotations.models import PreferenceResponse
from tests.browser.answering import (
    ANNOTATE,
    cut,
    expect_done,
    expect_saved,
    expect_waiting,
    label,
    mend,
    pass_the_welcome,
    prefer,
)
from tests.browser.conftest import OpenPage, step
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


def test_a_device_that_keeps_nothing_loses_nothing_while_the_page_is_open(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    for done, (how, refusal) in enumerate(REFUSES.items(), 1):
        with step(how):
            page = open_page(study.expert.user)
            page.add_init_script(refusal)
            page.goto(ANNOTATE)
            if done == 1:
                pass_the_welcome(page)
            label(page, "Privacy")
            cut(page, "**/preference/")
            prefer(page, "n5")
            expect_waiting(page, 1)
            expect(page.get_by_text(WARNING, exact=True)).to_be_visible()
            expect(page.get_by_text(re.compile("is kept on this device"))).to_have_count(0)
            with page.expect_event("dialog") as asked:
                page.close(run_before_unload=True)
            assert asked.value.type == "beforeunload"
            asked.value.dismiss()  # stays
            assert PreferenceResponse.objects.count() == done - 1

            mend(page, "**/preference/")
            expect_done(page, done)
            expect_saved(page, PreferenceResponse.objects.latest("pk").created_at)
            expect(page.get_by_text(WARNING, exact=True)).to_have_count(0)
            page.context.close()
