"""A second factor is set up on the account page and asked for at sign-in."""

import time

import pyotp
from playwright.sync_api import expect

from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, flaws
from tests.browser.study import PASSWORD, BrowserStudy


def test_an_admin_who_must_sets_it_up_and_signs_in_with_it(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, settings: object
) -> None:
    settings.REQUIRE_SECOND_FACTOR = "researchers"  # type: ignore[attr-defined]  # pytest-django's
    page = open_page(study.admin, look=DARK_PHONE)
    page.goto("/")
    expect(page.get_by_role("heading", name="Second factor", exact=True)).to_be_visible()
    page.get_by_role("button", name="Set up an app for codes", exact=True).click()
    secret = page.get_by_label("Key", exact=True).input_value()
    expect(page.get_by_role("img", name="The key, to be scanned", exact=True)).to_be_visible()
    assert not flaws(page, axe)
    # The code before this one is taken, too, so that the one of now is left for signing in.
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(int(time.time()) - 30))
    page.get_by_role("button", name="Turn it on", exact=True).click()
    codes = page.locator("code")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    assert not flaws(page, axe)
    page.get_by_role("button", name="I have saved them", exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    page.context.clear_cookies()
    page.goto("/login")
    page.get_by_label("E-mail address", exact=True).fill(study.admin.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Code", exact=True).fill("000 000")
    assert not axe(page)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The code is wrong")
    page.get_by_label("Code", exact=True).fill(recovery)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
