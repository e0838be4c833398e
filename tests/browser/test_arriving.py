"""From the link in a message to the first real text: consent, password, instructions, practice."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations.models import (
    Assignment,
    Consent,
    Invitation,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
    Study,
    User,
)
from annotations.people import inviting
from annotations.people.addresses import read_addresses
from annotations.people.links import Issued
from tests.browser.conftest import EVERY_LOOK, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import PASSWORD, TITLE, BrowserStudy

ERIN = "new-expert@example.org"
NEW_PASSWORD = "violets and rain 17"
LOOKS = pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
Axe = Callable[[Page], list[str]]


def invited(study: Study, email: str = ERIN, role: Role = Role.EXPERT) -> Issued:
    admin = User.objects.get(email="admin@example.org")
    return inviting.invite(study=study, addresses=read_addresses(email), role=role, actor=admin)[0]


def link(issued: Issued) -> str:
    return f"/invitation#{issued.token}"


def tab_to(page: Page, element: str) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement?.matches(wanted)", element):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {element}")


@LOOKS
def test_a_link_leads_by_keyboard_alone_to_the_first_real_text(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(look=look)
    keys = page.keyboard
    page.goto(link(invited(study.study)))
    expect(page.get_by_role("heading", name="Welcome to the study", exact=True)).to_be_visible()
    expect(page.get_by_text(f"Ada Admin invites you to take part in “{TITLE}”.", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="What you agree to", exact=True)).to_contain_text("Taking part is voluntary")
    assert page.evaluate("() => location.hash") == ""

    tab_to(page, "#agree")
    keys.press("Space")
    tab_to(page, "#password")
    keys.type("short")
    keys.press("Enter")
    expect(page.get_by_text(re.compile(r"^This password is too short\."))).to_be_visible()
    expect(page.locator("#password")).to_be_focused()
    keys.press("Control+a")
    keys.type(NEW_PASSWORD)
    keys.press("Enter")

    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    expect(page.get_by_text("You will read short problems.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_focused()
    keys.press("Enter")
    for number in (1, 2):
        expect(page.get_by_text(f"Practice {number} of 2", exact=True)).to_be_visible()
        hint = page.get_by_role("status").filter(has_text="the arrows move and Space chooses")
        expect(hint).to_be_visible()
        keys.type("tax")
        keys.press("Enter")
        keys.type("privacy")
        keys.press("Enter")
        expect(page.get_by_role("status").filter(has_text="You chose 2 labels")).to_be_visible()
        keys.press("Enter")
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        said = "has 70%: that is 7 of 10." if number == 1 else "There is no right answer"
        expect(page.get_by_role("status").filter(has_text=said)).to_be_visible()
        keys.press("b")
        expect(page.get_by_role("status").filter(has_text="the slider is not set yet")).to_be_in_viewport(ratio=1)
        keys.press("4")
        expect(page.get_by_role("status").filter(has_text="Both questions are answered")).to_be_in_viewport(ratio=1)
        expect(page.locator("h1#question")).to_be_in_viewport(ratio=1)
        keys.press("Enter")
    expect(page.get_by_role("button", name="Go to the texts", exact=True)).to_be_focused()
    keys.press("Enter")

    expect(page.get_by_role("region", name="Text", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile(r"^Practice \d of \d$"))).to_have_count(0)
    first = Assignment.objects.get(expert__user__email=ERIN, position=0)
    assert (
        page.get_by_role("region", name="Text", exact=True).inner_text().strip()
        == first.instance.segments[0]["text"].strip()
    )
    # Nothing of the practice is stored but that it was done.
    assert not LabelResponse.objects.filter(assignment__expert__user__email=ERIN).exists()
    assert not PreferenceResponse.objects.exists()
    member = Membership.objects.get(user__email=ERIN)
    assert (member.role, member.practised_at is not None) == (Role.EXPERT, True)
    assert Consent.objects.get().user == member.user
    keys.type("privacy")
    keys.press("Enter")
    keys.press("Enter")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert LabelResponse.objects.filter(assignment=first).count() == 1


@EVERY_LOOK
def test_no_page_on_the_way_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    found: dict[str, list[str]] = {}
    wide: dict[str, int] = {}
    page = open_page(look=look)

    def look_at(name: str) -> None:
        found[name] = axe(page)
        wide[name] = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")

    page.goto("/invitation#nonsense")
    expect(page.get_by_role("alert")).to_be_visible()
    look_at("wrong link")
    page.goto(link(invited(study.study)))
    expect(page.get_by_role("checkbox")).to_be_visible()
    look_at("invitation")
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_text("Please tick this box if you want to take part.", exact=True)).to_be_visible()
    page.get_by_role("checkbox").check()
    page.get_by_label("Choose a password", exact=True).fill("short")
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_text(re.compile(r"^This password is too short\."))).to_be_visible()
    look_at("weak password")
    page.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    look_at("welcome")
    page.get_by_role("button", name="Practise with two short texts", exact=True).click()
    for number in (1, 2):
        expect(page.get_by_text(f"Practice {number} of 2", exact=True)).to_be_visible()
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        look_at(f"practice {number}, step 1")
        page.get_by_role("button", name="Continue", exact=True).click()
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        page.keyboard.type("o2")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Unsure, 25 of 100")
        look_at(f"practice {number}, step 2")
        page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", name="That was the practice", exact=True)).to_be_visible()
    look_at("practice over")
    assert {name: barriers for name, barriers in found.items() if barriers} == {}
    assert set(wide.values()) == {0}, wide


def test_on_a_small_screen_the_welcome_begins_at_its_top_and_enter_goes_on(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(look=Look(390, 500))
    page.goto(link(invited(study.study)))
    page.get_by_role("checkbox").check()
    page.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_in_viewport()
    practise = page.get_by_role("button", name="Practise with two short texts", exact=True)
    expect(practise).to_be_focused()
    expect(practise).not_to_be_in_viewport()
    assert page.evaluate("() => window.scrollY") == 0
    page.keyboard.press("Enter")
    expect(page.get_by_text("Practice 1 of 2", exact=True)).to_be_visible()


def test_a_used_an_expired_a_revoked_and_a_wrong_link_say_so(open_page: OpenPage, study: BrowserStudy) -> None:
    used, late, revoked = (invited(study.study, f"{name}@example.org") for name in ("used", "late", "revoked"))
    Invitation.objects.filter(pk=late.invitation.pk).update(
        created_at=timezone.now() - timedelta(days=15), expires_at=timezone.now() - timedelta(minutes=1)
    )
    inviting.revoke(invitation=revoked.invitation)
    page = open_page()
    page.goto(link(used))
    page.get_by_role("checkbox").check()
    page.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    page = open_page()
    for issued, words in (
        (used, "This link has been used"),
        (late, "This link has expired"),
        (revoked, "This link is no longer valid"),
    ):
        page.goto(link(issued))
        expect(page.get_by_role("heading", name=words, exact=True)).to_be_visible()
        expect(page.get_by_role("alert")).to_be_visible()
    page.goto("/invitation#not-a-link")
    expect(page.get_by_role("alert")).to_contain_text("not a valid link")
    page.get_by_role("link", name="Go to my studies", exact=True).last.click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def test_a_reload_does_not_lose_the_link_and_another_tab_does_not_have_it(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page()
    page.goto(link(invited(study.study)))
    expect(page.get_by_role("checkbox")).to_be_visible()
    page.reload()
    expect(page.get_by_role("checkbox")).to_be_visible()
    other = page.context.new_page()
    other.goto("/invitation")
    expect(other.get_by_text("Please open the link from your message once more.", exact=True)).to_be_visible()


def test_the_token_reaches_no_address_and_no_referrer(open_page: OpenPage, study: BrowserStudy) -> None:
    issued = invited(study.study)
    page = open_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.headers}"))
    page.goto(link(issued))
    expect(page.get_by_role("checkbox")).to_be_visible()
    assert sent
    # The browser says here what was typed; what leaves it is the part before the #.
    assert not [one for one in sent if issued.token in one.split("#")[0] or issued.token in one.partition(" ")[2]]
    assert issued.token not in page.url
    assert issued.token not in page.content()


def test_the_wrong_person_is_told_and_can_make_room(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto(link(invited(study.study)))
    expect(
        page.get_by_text(f"You are signed in as researcher@example.org, and this link is for {ERIN}.", exact=True)
    ).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_role("button", name="Sign out and continue with this link", exact=True).click()
    expect(page.get_by_role("checkbox")).to_be_visible()
    assert not Membership.objects.filter(user__email=ERIN).exists()


def test_who_has_an_account_signs_in_with_it(open_page: OpenPage, study: BrowserStudy) -> None:
    User.objects.create_user(ERIN, PASSWORD)
    page = open_page()
    page.goto(link(invited(study.study)))
    page.get_by_role("checkbox").check()
    password = page.get_by_label("Your password", exact=True)
    password.fill("not that")
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_text("The password is wrong.", exact=True)).to_be_visible()
    assert not Membership.objects.filter(user__email=ERIN).exists()
    password.fill(PASSWORD)
    page.get_by_role("button", name="Agree and continue", exact=True).click()
    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
