"""From the link in a message to the first real text: consent, password, instructions, practice."""

import re
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
from annotations.people.invitations import inviting
from annotations.people.invitations.links import Issued
from annotations.people.membership.addresses import read_addresses
from tests.browser.answering import text_of
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, step
from tests.browser.study import PASSWORD, TITLE, BrowserStudy

ERIN = "new-expert@example.org"
NEW_PASSWORD = "violets and rain 17"


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


@pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["laptop", "phone"])
def test_a_link_leads_by_keyboard_alone_to_the_first_real_text(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    page = open_page(look=look)
    keys = page.keyboard
    issued = invited(study.study)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.headers}"))
    page.goto(link(issued))
    with step("the page says who invites to what, and what is agreed to"):
        expect(page.get_by_text(f"Ada Admin invites you to take part in “{TITLE}”.", exact=True)).to_be_visible()
        expect(page.get_by_role("region", name="What you agree to", exact=True)).to_contain_text("voluntary")
    with step("the token reaches no address and no referrer"):
        assert page.evaluate("() => location.hash") == ""
        assert sent
        # The browser says here what was typed; what leaves it is the part before the #.
        assert not [one for one in sent if issued.token in one.split("#")[0] or issued.token in one.partition(" ")[2]]
        assert issued.token not in page.url
        assert issued.token not in page.content()
    with step("a reload does not lose the link, and another tab does not have it"):
        page.reload()
        expect(page.get_by_role("checkbox")).to_be_visible()
        other = page.context.new_page()
        other.goto("/invitation")
        expect(other.get_by_text("Please open the link from your message once more.", exact=True)).to_be_visible()
        expect(other.get_by_role("checkbox")).to_have_count(0)
        other.close()

    with step("consent and a password are given by keyboard, and a weak password is refused in its place"):
        tab_to(page, "#agree")
        keys.press("Space")
        tab_to(page, "#password")
        keys.type("short")
        keys.press("Enter")
        expect(page.locator("#password")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#password")).to_be_focused()
        keys.press("Control+a")
        keys.type(NEW_PASSWORD)
        keys.press("Enter")
    with step("the instructions come first, and Enter practises"):
        expect(page.get_by_text("You will read short problems.", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_focused()
        keys.press("Enter")
    for number in (1, 2):
        with step(f"text {number} of the practice says at every turn what there is to do"):
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
    with step("the first real text follows, and of the practice nothing is stored but that it was done"):
        expect(page.get_by_role("button", name="Go to the texts", exact=True)).to_be_focused()
        keys.press("Enter")
        expect(page.get_by_role("region", name="Text", exact=True)).to_be_visible()
        expect(page.get_by_text(re.compile(r"^Practice \d of \d$"))).to_have_count(0)
        first = Assignment.objects.get(expert__user__email=ERIN, position=0)
        assert text_of(page).strip() == first.instance.segments[0]["text"].strip()
        assert not LabelResponse.objects.filter(assignment__expert__user__email=ERIN).exists()
        assert not PreferenceResponse.objects.exists()
        member = Membership.objects.get(user__email=ERIN)
        assert (member.role, member.practised_at is not None) == (Role.EXPERT, True)
        assert Consent.objects.get().user == member.user
    with step("it is answered"):
        keys.type("privacy")
        keys.press("Enter")
        keys.press("Enter")
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert LabelResponse.objects.filter(assignment=first).count() == 1


def test_whoever_cannot_use_a_link_is_told_why_and_who_has_an_account_signs_in_with_it(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    used, late, revoked = (invited(study.study, f"{name}@example.org") for name in ("used", "late", "revoked"))
    Invitation.objects.filter(pk=late.invitation.pk).update(
        created_at=timezone.now() - timedelta(days=15), expires_at=timezone.now() - timedelta(minutes=1)
    )
    inviting.revoke(invitation=revoked.invitation)
    User.objects.create_user("used@example.org", PASSWORD)
    page = open_page(study.researcher)
    box = page.get_by_role("checkbox")
    password = page.get_by_label("Your password", exact=True)
    go = page.get_by_role("button", name="Agree and continue", exact=True)

    with step("the wrong person is told, and can make room"):
        page.goto(link(used))
        said = "You are signed in as researcher@example.org, and this link is for used@example.org."
        expect(page.get_by_text(said, exact=True)).to_be_visible()
        expect(box).to_have_count(0)
        page.get_by_role("button", name="Sign out and continue with this link", exact=True).click()
        expect(box).to_be_visible()
        assert not Membership.objects.filter(user__email="used@example.org").exists()
    with step("who has an account signs in with its password"):
        box.check()
        password.fill("not that")
        go.click()
        expect(password).to_have_attribute("aria-invalid", "true")
        assert not Membership.objects.filter(user__email="used@example.org").exists()
        password.fill(PASSWORD)
        go.click()
        expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_visible()
    page = open_page()
    for issued, words in (
        (used, "This link has been used"),
        (late, "This link has expired"),
        (revoked, "This link is no longer valid"),
    ):
        with step(words):
            page.goto(link(issued))
            expect(page.get_by_role("heading", name=words, exact=True)).to_be_visible()
            expect(page.get_by_role("alert")).to_be_visible()
    with step("what is no link leads to the sign-in page"):
        page.goto("/invitation#not-a-link")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_role("link", name="Go to my studies", exact=True).last.click()
        expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


@pytest.mark.long
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
