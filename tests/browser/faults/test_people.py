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
from tests.browser.conftest import OpenPage, sign_in, step
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
    dialog = page.get_by_role("dialog", name="Please sign in again", exact=True)
    password = dialog.get_by_label("Password", exact=True)
    with step("a lost or renewed CSRF token costs nothing"):
        page.context.clear_cookies(name="csrftoken")
        label(page, "Privacy")
        page.context.add_cookies([{"name": "csrftoken", "value": "x" * 32, "url": origin(page)}])
        prefer(page)
        expect_done(page, 1)
        assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == (1, 1)

    with step("what is on the page stays while the password is asked for"):
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        page.get_by_role("checkbox", name="Tax", exact=True).check()
        Session.objects.all().delete()
        page.get_by_role("button", name="Continue", exact=True).click()
        password.fill(PASSWORD)
        dialog.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Tax")
        assert LabelResponse.objects.count() == 2

    with step("there is no way round it, and a wrong password is refused"):
        page.keyboard.type("b2")
        Session.objects.all().delete()
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(dialog).to_contain_text("expert@example.org")
        expect_waiting(page, 1)
        page.keyboard.press("Escape")
        password.fill("not the password")
        password.press("Enter")
        expect(dialog.get_by_role("alert")).to_be_visible()
        assert PreferenceResponse.objects.count() == 1
    with step("with the right one the answer is sent as it was given"):
        password.fill(PASSWORD)
        password.press("Enter")
        expect(dialog).to_have_count(0)
        expect_done(page, 2)
        stored = PreferenceResponse.objects.latest("pk")
        assert (stored.a_chosen, stored.b_chosen, stored.certainty) == (False, True, 0.25)
        expect_saved(page, stored.created_at)


def test_nothing_changes_hands_when_somebody_else_signs_in_or_out(page: Page, study: BrowserStudy, other: User) -> None:
    with step("somebody else who signs in neither sees nor sends what waits"):
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
    with step("it is sent as soon as its person is back"):
        become(page.context, study.expert.user, page)
        page.goto(ANNOTATE)
        expect(page.get_by_role("region", name="You chose", exact=True)).to_contain_text("Privacy")
        assert {one.assignment.expert.user for one in LabelResponse.objects.all()} == {other, study.expert.user}

    with step("signing out warns of what waits, until it is saved"):
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
    with step("who signs out leaves no draft behind"):
        dialog.get_by_role("button", name="Sign out anyway", exact=True).click()
        expect(page.get_by_label("E-mail address", exact=True)).to_be_visible()
        assert PreferenceResponse.objects.count() == 1
        mine = f"hlv:draft:{study.expert.user.pk}/"
        assert page.evaluate("mine => Object.keys(localStorage).filter((name) => name.startsWith(mine))", mine) == []
