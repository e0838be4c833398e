"""Making an API token on its page, which asks who one is, using it, and revoking it."""

import re

import pytest
from django.test import Client
from playwright.sync_api import expect

from annotations.models import Session, User
from annotations.people.sign_in.proof import PROVEN_AT
from tests.browser.conftest import LAPTOP, PHONE, Axe, Look, OpenPage, flaws, too_wide
from tests.browser.study import PASSWORD, BrowserStudy


def proven_long_ago(user: User) -> None:
    """In all the person's browsers it is more than five minutes since they said who they are."""
    for row in Session.objects.filter(user=user):
        held = row.get_decoded()
        held[PROVEN_AT] = 0
        row.session_data = row.get_session_store_class()().encode(held)
        row.save(update_fields=["session_data"])


@pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["laptop", "phone"])
def test_a_token_is_made_shown_once_used_and_revoked(
    open_page: OpenPage, study: BrowserStudy, look: Look, axe: Axe
) -> None:
    page = open_page(study.researcher, look=look)
    proven_long_ago(study.researcher)
    page.goto("/studies/areas/export")
    page.get_by_role("link", name="API tokens for scripts and notebooks", exact=True).click()
    expect(page.get_by_text("You have no tokens.", exact=True)).to_be_visible()
    page.get_by_label("Name", exact=True).fill("my notebook")
    page.get_by_label("Valid for (days)", exact=True).fill("400")
    create = page.get_by_role("button", name="Create a token", exact=True)
    create.click()
    asked = page.get_by_role("dialog", name="Is it you?", exact=True)
    expect(asked).to_be_visible()
    assert not flaws(page, axe)
    asked.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("confirm first that it is you")
    create.click()
    asked.get_by_label("Your password", exact=True).fill("wrong")
    asked.get_by_role("button", name="Continue", exact=True).click()
    expect(asked.get_by_role("alert")).to_contain_text("The password is wrong.")
    asked.get_by_label("Your password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
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
