"""Making an API token on its page, using it, and revoking it."""

import re

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, too_wide
from tests.browser.study import BrowserStudy


@pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["laptop", "phone"])
def test_a_token_is_made_shown_once_used_and_revoked(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.researcher, look=look)
    page.goto("/studies/areas/export")
    page.get_by_role("link", name="API tokens for scripts and notebooks", exact=True).click()
    expect(page.get_by_text("You have no tokens.", exact=True)).to_be_visible()
    page.get_by_label("Name", exact=True).fill("my notebook")
    page.get_by_label("Valid for (days)", exact=True).fill("400")
    page.get_by_role("button", name="Create a token", exact=True).click()
    expect(page.get_by_text(re.compile("less than or equal to 366"))).to_be_visible()
    page.get_by_label("Valid for (days)", exact=True).fill("30")
    page.get_by_role("button", name="Create a token", exact=True).click()
    secret = page.get_by_text(re.compile("^hlv_[0-9a-f]{64}$"))
    expect(secret).to_be_visible()
    script = Client(headers={"authorization": f"Bearer {secret.inner_text()}"})
    assert script.get("/api/studies/areas/").status_code == 200

    page.get_by_role("button", name="I have saved it", exact=True).click()
    page.reload()
    table = page.get_by_role("region", name="Your tokens", exact=True).last
    expect(table.get_by_role("row", name=re.compile("my notebook Active"))).to_be_visible()
    expect(secret).to_have_count(0)
    assert too_wide(page) == 0
    page.get_by_role("button", name="Revoke my notebook", exact=True).click()
    expect(table.get_by_role("row", name=re.compile("my notebook Revoked"))).to_be_visible()
    assert script.get("/api/studies/areas/").status_code == 401
