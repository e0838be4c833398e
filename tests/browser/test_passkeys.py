"""Passkeys with Chromium's virtual authenticator: added on the account page, used at sign-in, refused once removed."""

from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotations.models import Passkey
from tests.browser.conftest import DARK_PHONE, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy
from tests.browser.test_arriving import Axe


class Device:
    """A phone or laptop that keeps passkeys, as Chromium imitates one."""

    def __init__(self, page: Page) -> None:
        self.cdp: CDPSession = page.context.new_cdp_session(page)
        self.cdp.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        self.number = self.cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    def is_its_owner(self, yes: bool) -> None:
        self.cdp.send("WebAuthn.setUserVerified", {"authenticatorId": self.number, "isUserVerified": yes})


@pytest.fixture(autouse=True)
def here(settings: Any, live_server: Any) -> None:
    settings.PUBLIC_URL = live_server.url
    settings.REQUIRE_SECOND_FACTOR = "researchers"


def sign_in(page: Page, study: BrowserStudy) -> None:
    page.context.clear_cookies()
    page.goto("/login")
    page.get_by_label("E-mail address", exact=True).fill(study.admin.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def add(page: Page, name: str) -> None:
    page.get_by_role("button", name="Add a passkey", exact=True).click()
    page.get_by_label("Name of the passkey", exact=True).fill(name)
    page.get_by_label("Your password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Continue", exact=True).click()


def test_a_passkey_is_added_used_and_refused_once_removed(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    page = open_page(study.admin, look=DARK_PHONE)
    device = Device(page)
    page.goto("/")
    expect(page.get_by_role("heading", name="Second factor", exact=True)).to_be_visible()
    add(page, "phone")
    recovery = page.locator("code").first.inner_text()
    page.get_by_role("button", name="I have saved them", exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()

    sign_in(page, study)
    use = page.get_by_role("button", name="Use a passkey", exact=True)
    expect(use).to_be_visible()
    assert not axe(page)
    # Somebody else holds the device; then it is not there at all.
    device.is_its_owner(False)
    use.click()
    expect(page.get_by_role("alert")).to_contain_text("It was cancelled")
    device.is_its_owner(True)
    use.click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    assert Passkey.objects.get().sign_count > 0

    page.goto("/account")
    add(page, "the same phone")
    expect(page.get_by_role("alert")).to_contain_text("already has a passkey")
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("rowheader", name="phone", exact=True)).to_be_visible()
    assert not axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    page.get_by_role("button", name="Remove the passkey: phone", exact=True).click()
    page.get_by_label("Your password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(
        page.get_by_text("This server asks you for a second factor. Please set it up to continue.", exact=True)
    ).to_be_visible()
    assert not Passkey.objects.exists()
    page.goto("/account")
    add(page, "phone again")
    codes = page.locator("code")
    expect(codes).to_have_count(10)
    assert recovery not in codes.all_inner_texts()
    page.get_by_role("button", name="I have saved them", exact=True).click()
    expect(page.get_by_role("heading", name="Your account", exact=True)).to_be_visible()
    # What the device still has was removed on the server, where only another one is left.
    Passkey.objects.update(credential_id="AAAA")
    sign_in(page, study)
    page.get_by_role("button", name="Use a passkey", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("this device has no passkey")
    page.get_by_label("Code", exact=True).fill(recovery)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The code is wrong")


def test_a_browser_without_passkeys_says_so_and_takes_a_recovery_code(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin)
    Device(page)
    page.goto("/account")
    add(page, "laptop")
    recovery = page.locator("code").first.inner_text()
    page.get_by_role("button", name="I have saved them", exact=True).click()
    page.add_init_script("delete window.PublicKeyCredential")
    sign_in(page, study)
    expect(page.get_by_text("This browser cannot use your passkey here.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Use a passkey", exact=True)).to_have_count(0)
    assert not axe(page)
    page.get_by_label("Code", exact=True).fill(recovery)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    page.goto("/account")
    expect(page.get_by_text("This browser has no passkeys here.", exact=True)).to_be_visible()
