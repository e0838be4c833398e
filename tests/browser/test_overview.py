"""The first page of a study says how it is doing, at both widths."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_overview_says_how_far_the_study_is_and_how_each_expert_does(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(study.admin, look=look)
    page.goto("/studies/areas")
    progress = page.get_by_role("region", name="Progress", exact=True)
    expect(progress.get_by_text(re.compile("answers are in[.]"))).to_be_visible()
    experts = page.get_by_role("region", name="Experts", exact=True)
    expect(experts.get_by_role("rowheader").first).to_have_text("Expert 0")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
