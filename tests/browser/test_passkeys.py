"""Passkeys with Chromium's virtual authenticator: added on the account page, used at sign-in, refused once removed."""

from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotations.models import Passkey
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, flaws, step
from tests.browser.study import PASSWORD, BrowserStudy


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
    page.get_by_role("button", name="Continue", exact=True).click()


def test_a_passkey_is_added_used_and_refused_once_removed_and_a_browser_without_them_takes_a_recovery_code(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin, look=DARK_PHONE)
    device = Device(page)
    alert = page.get_by_role("alert")
    codes = page.locator("code")
    saved = page.get_by_role("button", name="I have saved them", exact=True)
    use = page.get_by_role("button", name="Use a passkey", exact=True)
    mine = page.get_by_role("heading", name="My studies", exact=True)

    with step("who must have a second factor adds a passkey"):
        page.goto("/")
        expect(page.get_by_role("heading", name="Second factor", exact=True)).to_be_visible()
        add(page, "phone")
        recovery = codes.first.inner_text()
        saved.click()
        expect(mine).to_be_visible()
    with step("it is used at sign-in, by its owner only"):
        sign_in(page, study)
        expect(use).to_be_visible()
        assert not axe(page)
        device.is_its_owner(False)
        use.click()
        expect(alert).to_contain_text("It was cancelled")
        device.is_its_owner(True)
        use.click()
        expect(mine).to_be_visible()
        assert Passkey.objects.get().sign_count > 0
    with step("a device has one, and who removes the last one is asked for another factor"):
        page.goto("/account")
        add(page, "the same phone")
        expect(alert).to_contain_text("already has a passkey")
        page.get_by_role("button", name="Cancel", exact=True).click()
        expect(page.get_by_role("rowheader", name="phone", exact=True)).to_be_visible()
        assert not flaws(page, axe)
        page.get_by_role("button", name="Remove the passkey: phone", exact=True).click()
        page.get_by_role("button", name="Continue", exact=True).click()
        asked = "This server asks you for a second factor. Please set it up to continue."
        expect(page.get_by_text(asked, exact=True)).to_be_visible()
        assert not Passkey.objects.exists()
    with step("a new one comes with new recovery codes"):
        page.goto("/account")
        add(page, "phone again")
        expect(codes).to_have_count(10)
        newer = codes.all_inner_texts()
        assert recovery not in newer
        saved.click()
        expect(page.get_by_role("heading", name="Your account", exact=True)).to_be_visible()
    with step("what was removed on the server is refused, and so are its recovery codes"):
        Passkey.objects.update(credential_id="AAAA")
        sign_in(page, study)
        use.click()
        expect(alert).to_contain_text("this device has no passkey")
        page.get_by_label("Code", exact=True).fill(recovery)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(alert).to_contain_text("The code is wrong")
    with step("a browser without passkeys says so, and takes a recovery code"):
        page.add_init_script("delete window.PublicKeyCredential")
        sign_in(page, study)
        expect(page.get_by_text("This browser cannot use your passkey here.", exact=True)).to_be_visible()
        expect(use).to_have_count(0)
        assert not axe(page)
        page.get_by_label("Code", exact=True).fill(newer[0])
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(mine).to_be_visible()
        page.goto("/account")
        expect(page.get_by_text("This browser has no passkeys here.", exact=True)).to_be_visible()
