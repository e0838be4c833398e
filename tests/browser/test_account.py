"""One's own account: seen, changed, left and closed, on a page in one's own language."""

import re

from django.test import Client
from playwright.sync_api import expect

from annotations.people.access import tokens
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, flaws, step
from tests.browser.study import PASSWORD, TITLE, BrowserStudy
from tests.browser.test_arriving import NEW_PASSWORD

NEWER_PASSWORD = "eight loud winds"


def test_an_expert_changes_their_account_and_closes_it(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    user = study.expert.user
    page = open_page(user, look=DARK_PHONE)
    with step("another browser is signed out from here"):
        elsewhere = open_page(user)
        page.goto("/account")
        places = page.get_by_role("table", name="Where you are signed in", exact=True)
        expect(places.get_by_role("row")).to_have_count(3)  # with the names of the columns
        expect(places.get_by_text(re.compile("this one"))).to_have_count(1)
        assert not flaws(page, axe)
        places.get_by_role("button").click()
        expect(places.get_by_role("row")).to_have_count(2)
        elsewhere.goto("/account")
        expect(elsewhere.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        elsewhere.context.close()
    with step("a name and a language are changed, and the page speaks it"):
        page.goto("/studies/areas/annotate")
        page.get_by_role("button", name="Instructions", exact=True).click()
        page.get_by_role("dialog").get_by_role("link", name="Your account", exact=True).click()
        about = page.get_by_role("form", name="About you", exact=True)
        about.get_by_label("Name", exact=True).fill("Erin E.")
        about.get_by_label("Language", exact=True).select_option("de")
        about.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("heading", name="Ihr Konto", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="Erin E.", exact=True)).to_be_visible()
        assert not flaws(page, axe)
    with step("the password is changed with the one of before, which signs out all others"):
        elsewhere = open_page(user)
        passwords = page.get_by_role("form", name="Passwort", exact=True)
        change = passwords.get_by_role("button", name="Passwort ändern", exact=True)
        passwords.get_by_label("Ihr bisheriges Passwort", exact=True).fill("wrong")
        passwords.get_by_label("Neues Passwort", exact=True).fill(NEW_PASSWORD)
        change.click()
        expect(passwords).to_contain_text("Das Passwort ist falsch.")
        passwords.get_by_label("Ihr bisheriges Passwort", exact=True).fill(PASSWORD)
        change.click()
        expect(passwords.get_by_role("status")).to_contain_text("Gespeichert")
        elsewhere.goto("/account")
        expect(elsewhere.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    with step("somebody was in the account: everything that opens it ends, and tokens with it"):
        secret = tokens.make(user=user, name="notebook").secret
        elsewhere = open_page(user)
        page.reload()
        expect(passwords.get_by_role("checkbox")).to_be_checked()
        page.get_by_role("button", name="Jemand war in meinem Konto", exact=True).click()
        robbed = page.get_by_role("form", name="Jemand war in meinem Konto", exact=True)
        expect(robbed.get_by_role("listitem")).to_have_count(2)  # browsers and tokens
        assert not flaws(page, axe)
        robbed.get_by_label("Neues Passwort", exact=True).fill(NEWER_PASSWORD)
        robbed.get_by_role("button", name="All das beenden", exact=True).click()
        expect(page.get_by_role("status").get_by_role("listitem")).to_have_count(2)
        assert not flaws(page, axe)
        assert Client(headers={"authorization": f"Bearer {secret}"}).get("/api/v1/studies/").status_code == 401
        elsewhere.goto("/account")
        expect(elsewhere.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        page.get_by_role("status").get_by_role("button", name="Anmelden", exact=True).click()
        page.get_by_label("E-Mail-Adresse", exact=True).fill(user.email)
        page.get_by_label("Passwort", exact=True).fill(NEWER_PASSWORD)
        page.get_by_role("button", name="Anmelden", exact=True).click()
        page.wait_for_url("**/")
        page.goto("/account")
    with step("a study is left, and the account closed"):
        page.get_by_role("button", name=f"Studie verlassen: {TITLE}", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Studie verlassen", exact=True).click()
        expect(page.get_by_text("Sie nehmen an keiner Studie teil.", exact=True)).to_be_visible()
        page.get_by_role("button", name="Konto schließen", exact=True).click()
        closing = page.get_by_role("form", name="Konto schließen", exact=True)
        closing.get_by_label("Ihr Passwort", exact=True).fill(NEWER_PASSWORD)
        closing.get_by_role("button", name="Endgültig schließen", exact=True).click()
        page.wait_for_url("**/login")
        user.refresh_from_db()
        assert not user.is_active


def test_the_only_admin_is_told_what_to_do_before_they_close_their_account(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin)
    page.goto("/account")
    page.get_by_role("button", name="Close your account", exact=True).click()
    closing = page.get_by_role("form", name="Close your account", exact=True)
    closing.get_by_label("Your password", exact=True).fill(PASSWORD)
    closing.get_by_role("button", name="Close it for good", exact=True).click()
    alert = closing.get_by_role("alert")
    expect(alert).to_contain_text(f"You are the only admin of “{TITLE}”. Make somebody else an admin there first.")
    assert not flaws(page, axe)
    study.admin.refresh_from_db()
    assert study.admin.is_active
