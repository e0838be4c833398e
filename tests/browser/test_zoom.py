"""At 200% nothing is lost: the whole page enlarged (1280 pixels show 640), and the text alone."""

import pytest
from playwright.sync_api import Page, expect

from annotations.models import PreferenceResponse
from tests.browser.answering import begin, expect_done
from tests.browser.conftest import LAPTOP, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_reading import box

pytestmark = pytest.mark.long

ENLARGED = Look(640, 450)  # what a window of 1280 x 900 shows of a page at 200%
BEYOND = """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
    [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`)"""
CUT_OFF = """() => [...document.querySelectorAll("main *, header *, footer *")].filter((e) => {
    const style = getComputedStyle(e);
    return e.children.length === 0 && e.textContent.trim() && style.clipPath === "none"
        && style.textOverflow !== "ellipsis" && style.overflow === "hidden" && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.textContent)"""


def text_twice_as_large(page: Page) -> None:
    page.add_init_script("addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '200%')")


@pytest.mark.parametrize(("look", "text_only"), [(ENLARGED, False), (LAPTOP, True)], ids=["page", "text"])
def test_at_200_percent_both_steps_are_read_and_answered_without_scrolling_sideways(
    open_page: OpenPage, study: BrowserStudy, look: Look, text_only: bool
) -> None:
    page = open_page(study.expert.user, look=look)
    if text_only:
        text_twice_as_large(page)
    begin(page)
    root = page.evaluate("() => parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert root == (32 if text_only else 16)

    def check() -> None:
        assert page.evaluate(BEYOND) == []
        assert page.evaluate(CUT_OFF) == []
        for control in page.locator("main button:visible, main label:visible, footer button:visible").all():
            here = box(control)
            assert here["x"] >= 0
            assert here["right"] <= look.width + 1

    check()
    expect(page.get_by_role("region", name="Text", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="Wills, estates and probate", exact=True).check()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    check()
    page.get_by_role("radio", name="Neither is accurate", exact=True).check()
    page.get_by_role("button", name="Sure", exact=True).click()
    check()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    answer = PreferenceResponse.objects.get()
    assert (answer.a_chosen, answer.b_chosen, answer.certainty) == (False, False, 0.75)
