"""The session ends, or somebody else signs in with the same browser: nothing is lost, and nothing changes hands."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotations.models import LabelResponse, PreferenceResponse, Role, Session, User
from tests.browser.answering import (
    ANNOTATE,
    begin,
    choose,
    cut,
    expect_done,
    expect_saved,
    expect_waiting,
    label,
    mend,
    prefer,
)
from tests.browser.conftest import OpenPage, sign_in
from tests.browser.study import PASSWORD, BrowserStudy
from tests.worlds.studies import make_member


@pytest.fixture
def page(open_page: OpenPage, study: BrowserStudy) -> Page:
    page = open_page(study.expert.user)
    begin(page)
    return page


@pytest.fixture
def other(study: BrowserStudy) -> User:
    """A second expert of the study."""
    return make_member(study.study, Role.EXPERT, "second@example.org", PASSWORD, name="Second Expert").user


def become(context: BrowserContext, user: User, page: Page) -> None:
    """As if in another tab."""
    context.clear_cookies()
    sign_in(context, user, origin(page))


def origin(page: Page) -> str:
    return str(page.evaluate("() => location.origin"))


def test_an_expired_session_asks_for_the_password_in_place_and_then_sends(page: Page) -> None:
    label(page, "Privacy")
    page.keyboard.type("b2")
    Session.objects.all().delete()
    page.get_by_role("button", name="Submit", exact=True).click()
    dialog = page.get_by_role("dialog", name="Please sign in again", exact=True)
    expect(dialog).to_contain_text("expert@example.org")
    expect_waiting(page, 1)
    page.keyboard.press("Escape")  # there is no way round it
    password = dialog.get_by_label("Password", exact=True)
    password.fill("not the password")
    password.press("Enter")
    expect(dialog.get_by_text("The e-mail address or the password is wrong.", exact=True)).to_be_visible()
    assert not PreferenceResponse.objects.exists()
    password.fill(PASSWORD)
    password.press("Enter")
    expect(dialog).to_have_count(0)
    expect_done(page, 1)
    stored = PreferenceResponse.objects.get()
    assert (stored.a_chosen, stored.b_chosen, stored.certainty) == (False, True, 0.25)
    expect_saved(page, stored.created_at)


def test_what_is_on_the_page_stays_while_the_password_is_asked_for(page: Page) -> None:
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    Session.objects.all().delete()
    page.get_by_role("button", name="Continue", exact=True).click()
    dialog = page.get_by_role("dialog", name="Please sign in again", exact=True)
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Tax")
    assert LabelResponse.objects.count() == 1


def test_somebody_else_who_signs_in_neither_sees_nor_sends_what_waits(page: Page, study: BrowserStudy, other) -> None:
    cut(page, "**/labels/")
    choose(page, "Privacy")
    expect_waiting(page, 1)
    become(page.context, other, page)
    mend(page, "**/labels/")
    expect(page.get_by_role("heading", name="Somebody else is signed in", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("stay on this device"))).to_be_visible()
    assert not LabelResponse.objects.exists()

    page.get_by_role("button", name="Continue as Second Expert", exact=True).click()
    page.get_by_role("button", name="Begin without practice", exact=True).or_(
        page.get_by_role("button", name="Continue", exact=True)
    ).first.click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(page.get_by_text(re.compile("^Not saved yet"))).to_have_count(0)
    choose(page, "Tax")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert LabelResponse.objects.get().assignment.expert.user == other

    become(page.context, study.expert.user, page)
    page.goto(ANNOTATE)
    expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
    assert {one.assignment.expert.user for one in LabelResponse.objects.all()} == {other, study.expert.user}


def test_a_lost_or_renewed_csrf_token_costs_nothing(page: Page) -> None:
    page.context.clear_cookies(name="csrftoken")
    label(page, "Privacy")
    page.context.add_cookies([{"name": "csrftoken", "value": "x" * 32, "url": origin(page)}])
    prefer(page)
    expect_done(page, 1)
    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)


def test_signing_out_warns_of_what_waits(page: Page, other: User) -> None:
    label(page, "Privacy")
    cut(page, "**/preference/")
    prefer(page)
    expect_waiting(page, 1)
    page.get_by_role("link", name="Areas of law, a test", exact=True).click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    dialog = page.get_by_role("dialog", name="Sign out", exact=True)
    expect(dialog.get_by_text("One answer is not saved yet.", exact=True)).to_be_visible()
    expect(dialog.get_by_text(re.compile("nobody else who signs in can see or send it"))).to_be_visible()
    mend(page, "**/preference/")
    expect(dialog.get_by_text("Everything is saved now.", exact=True)).to_be_visible()
    dialog.get_by_role("button", name="Sign out anyway", exact=True).click()
    expect(page.get_by_label("E-mail address", exact=True)).to_be_visible()
    assert PreferenceResponse.objects.count() == 1
    assert page.evaluate("() => Object.keys(localStorage).filter((name) => name.startsWith('hlv:draft:'))") == []
