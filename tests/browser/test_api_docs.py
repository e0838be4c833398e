"""The API's description opens in a browser, under the policy of all pages."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.long
def test_the_description_of_the_api_opens_and_can_be_tried(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if "script" in message.text else None)
    page.goto("/tokens")
    page.get_by_role("link", name="Try out all addresses of the API", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("HLV Study"))).to_be_visible(timeout=20_000)
    # So many operations are drawn only where they are in sight: narrowed, these are.
    page.get_by_placeholder("Filter by tag", exact=True).fill("studies")
    page.locator("#operations-studies-studies_list").get_by_role("button").first.click()
    page.get_by_role("button", name="Try it out", exact=True).click()
    page.get_by_role("button", name="Execute", exact=True).click()
    expect(page.locator(".live-responses-table").get_by_text("200", exact=True)).to_be_visible()
    assert not refused
