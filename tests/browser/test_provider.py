"""The round trip through a sign-in provider: out, back, the password once, and then its word alone."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from annotations.models import Identity
from annotations.people.sign_in import provider
from tests.annotations.api.people.sign_in_provider import CLIENT, SECRET, Provider, running
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, flaws
from tests.browser.study import PASSWORD, BrowserStudy


@pytest.fixture
def there(settings: Any, live_server: Any) -> Iterator[Provider]:
    with running() as made:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = made.issuer, CLIENT, SECRET
        settings.OIDC_NAME = "Example University"
        settings.PUBLIC_URL = live_server.url
        provider.forget()
        yield made


def test_somebody_signs_in_with_it(open_page: OpenPage, study: BrowserStudy, there: Provider, axe: Axe) -> None:
    there.email = study.admin.email
    page = open_page(look=DARK_PHONE)
    page.goto("/account")
    button = page.get_by_role("button", name="Sign in with Example University", exact=True)
    expect(button).to_be_visible()
    assert not axe(page)
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("sign in with its password this once")
    assert "code=" not in page.url
    assert not axe(page)
    page.get_by_role("link", name="Go to the sign-in page", exact=True).click()
    page.get_by_label("E-mail address", exact=True).fill(study.admin.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    assert Identity.objects.get().user == study.admin

    page.context.clear_cookies()
    page.goto("/account")
    button.click()
    expect(page.get_by_role("heading", name="Your account", exact=True)).to_be_visible()
    connected = page.get_by_text(
        "Your account is connected to Example University. You can sign in there instead of typing your password.",
        exact=True,
    )
    expect(connected).to_be_visible()
    assert not flaws(page, axe)
    page.get_by_role("button", name="Disconnect", exact=True).click()
    asked = page.get_by_role("dialog", name="Is it you?", exact=True)
    asked.get_by_label("Your password", exact=True).fill(PASSWORD)
    assert not axe(page)
    asked.get_by_role("button", name="Continue", exact=True).click()
    page.get_by_role("button", name="Connect to Example University", exact=True).click()
    expect(connected).to_be_visible()

    page.context.clear_cookies()
    there.denies = True
    page.goto("/login")
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("did not confirm who you are")
    assert "error=" not in page.url
