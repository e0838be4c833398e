"""From the link in a message to the first real text: consent, password, instructions, practice."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations import designing
from annotations.designing.lifecycle import add_member, change_state
from annotations.models import (
    Assignment,
    Consent,
    Invitation,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
    Study,
    StudyState,
    Task,
    User,
)
from annotations.people import inviting
from annotations.people.links import digest_of
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import PASSWORD, TITLE, BrowserStudy, make_small_study

ERIN = "new-expert@example.org"
NEW_PASSWORD = "violets and rain 17"
LOOKS = pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
Axe = Callable[[Page], list[str]]


def invited(study: Study, email: str = ERIN, role: Role = Role.EXPERT) -> inviting.Issued:
    admin = User.objects.get(email="admin@example.org")
    return inviting.invite(study=study, addresses=inviting.read_addresses(email), role=role, actor=admin)[0]


def link(issued: inviting.Issued) -> str:
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
    expect(page.get_by_role("heading", name="Welcome to the study")).to_be_visible()
    expect(page.get_by_text(f"Ada Admin invites you to take part in “{TITLE}”")).to_be_visible()
    expect(page.get_by_role("region", name="What you agree to")).to_contain_text("Taking part is voluntary")
    assert page.evaluate("() => location.hash") == ""

    tab_to(page, "#agree")
    keys.press("Space")
    tab_to(page, "#password")
    keys.type("short")
    keys.press("Enter")
    expect(page.get_by_text("This password is too short")).to_be_visible()
    expect(page.locator("#password")).to_be_focused()
    keys.press("Control+a")
    keys.type(NEW_PASSWORD)
    keys.press("Enter")

    expect(page.get_by_role("heading", name="Before you begin")).to_be_visible()
    expect(page.get_by_text("You will read short problems.")).to_be_visible()
    expect(page.get_by_role("button", name="Practise with two short texts")).to_be_focused()
    keys.press("Enter")
    for number in (1, 2):
        expect(page.get_by_text(f"Practice {number} of 2")).to_be_visible()
        hint = page.get_by_role("status").filter(has_text="arrows move and Space chooses")
        expect(hint).to_be_visible()
        keys.type("tax")
        keys.press("Enter")
        keys.type("privacy")
        keys.press("Enter")
        expect(page.get_by_role("status").filter(has_text="You chose 2 answers")).to_be_visible()
        keys.press("Enter")
        expect(page.get_by_role("button", name="Submit")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="There is no right answer")).to_be_visible()
        keys.press("b")
        expect(page.get_by_role("status").filter(has_text="no position until you choose one")).to_be_in_viewport(
            ratio=1
        )
        keys.press("4")
        expect(page.get_by_role("status").filter(has_text="Both are given")).to_be_in_viewport(ratio=1)
        expect(page.locator("h1#question")).to_be_in_viewport(ratio=1)
        keys.press("Enter")
    expect(page.get_by_role("button", name="Go to the texts")).to_be_focused()
    keys.press("Enter")

    expect(page.get_by_role("region", name="Text")).to_be_visible()
    expect(page.get_by_text("Practice")).to_have_count(0)
    first = Assignment.objects.get(expert__user__email=ERIN, position=0)
    assert page.get_by_role("region", name="Text").inner_text().strip() == first.instance.segments[0]["text"].strip()
    # Nothing of the practice is stored but that it was done.
    assert not LabelResponse.objects.filter(assignment__expert__user__email=ERIN).exists()
    assert not PreferenceResponse.objects.exists()
    member = Membership.objects.get(user__email=ERIN)
    assert (member.role, member.practised_at is not None) == (Role.EXPERT, True)
    assert Consent.objects.get().user == member.user
    keys.type("privacy")
    keys.press("Enter")
    keys.press("Enter")
    expect(page.get_by_role("button", name="Submit")).to_be_visible()
    assert LabelResponse.objects.filter(assignment=first).count() == 1


@pytest.mark.parametrize(
    "look", [LAPTOP, DARK_PHONE, Look(1280, 900, "dark"), PHONE], ids=lambda look: f"{look.scheme}-{look.width}"
)
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
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_text("Please tick this box")).to_be_visible()
    page.get_by_role("checkbox").check()
    page.get_by_label("Choose a password", exact=True).fill("short")
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_text("too short")).to_be_visible()
    look_at("weak password")
    page.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_role("heading", name="Before you begin")).to_be_visible()
    look_at("welcome")
    page.get_by_role("button", name="Practise with two short texts").click()
    for number in (1, 2):
        expect(page.get_by_text(f"Practice {number} of 2")).to_be_visible()
        page.get_by_role("checkbox", name="Privacy", exact=True).check()
        look_at(f"practice {number}, step 1")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("button", name="Submit")).to_be_visible()
        page.keyboard.type("o2")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Unsure, 25 of 100")
        look_at(f"practice {number}, step 2")
        page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="That was the practice")).to_be_visible()
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
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_role("heading", name="Before you begin")).to_be_in_viewport()
    practise = page.get_by_role("button", name="Practise with two short texts")
    expect(practise).to_be_focused()
    expect(practise).not_to_be_in_viewport()
    assert page.evaluate("() => window.scrollY") == 0
    page.keyboard.press("Enter")
    expect(page.get_by_text("Practice 1 of 2")).to_be_visible()


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
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_role("heading", name="Before you begin")).to_be_visible()
    page = open_page()
    for issued, words in (
        (used, "This link has been used"),
        (late, "This link has expired"),
        (revoked, "This link is no longer valid"),
    ):
        page.goto(link(issued))
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.get_by_role("alert")).to_be_visible()
    page.goto("/invitation#not-a-link")
    expect(page.get_by_role("alert")).to_contain_text("not a valid link")
    page.get_by_role("link", name="Go to my studies").last.click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


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
    expect(other.get_by_text("open the link from your message once more")).to_be_visible()


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
    expect(page.get_by_text("You are signed in as researcher@example.org, and this link is for")).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_role("button", name="Sign out and go on with this link").click()
    expect(page.get_by_role("checkbox")).to_be_visible()
    assert not Membership.objects.filter(user__email=ERIN).exists()


def test_who_has_an_account_signs_in_with_it(open_page: OpenPage, study: BrowserStudy) -> None:
    User.objects.create_user(ERIN, PASSWORD)
    page = open_page()
    page.goto(link(invited(study.study)))
    page.get_by_role("checkbox").check()
    password = page.get_by_label("Your password", exact=True)
    password.fill("not that")
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_text("The password is wrong.")).to_be_visible()
    assert not Membership.objects.filter(user__email=ERIN).exists()
    password.fill(PASSWORD)
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_role("heading", name="Before you begin")).to_be_visible()


def test_an_admin_invites_a_list_and_sees_what_becomes_of_it(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.admin)
    page.goto("/studies/areas")
    page.get_by_role("button", name="Invite people").click()
    form = page.get_by_role("form", name="Invite people")
    form.get_by_label("E-mail addresses").fill("a@example.org\nnobody\nexpert@example.org")
    form.get_by_role("button", name="Make links").click()
    expect(form.get_by_role("alert")).to_contain_text("Line 2: nobody is no e-mail address")
    expect(form.get_by_role("alert")).to_contain_text("Line 3: expert@example.org is expert of this study already")
    form.get_by_label("E-mail addresses").fill("a@example.org\nb@example.org")
    form.get_by_role("button", name="Make links").click()
    links = page.get_by_role("region", name="2 links")
    expect(links).to_contain_text("This server sends no mail")
    address = links.locator("code").first.inner_text()
    page.get_by_role("button", name="I have sent them").click()
    expect(page.locator("code", has_text="/invitation#")).to_have_count(0)
    table = page.get_by_role("region", name="Invitations")
    expect(table.get_by_role("row").filter(has_text="Waiting")).to_have_count(2)
    email = Invitation.objects.get(digest=digest_of(address.split("#")[1])).email
    table.get_by_role("button", name=f"Revoke the invitation of {email}").click()
    expect(table.get_by_role("row").filter(has_text="Revoked")).to_have_count(1)
    visitor = open_page()
    visitor.goto("/invitation#" + address.split("#")[1])
    expect(visitor.get_by_role("heading", name="This link is no longer valid")).to_be_visible()


def test_a_researcher_sees_no_addresses_and_invites_nobody(open_page: OpenPage, study: BrowserStudy) -> None:
    invited(study.study)
    page = open_page(study.researcher)
    page.goto("/studies/areas")
    expect(page.get_by_role("heading", name="People")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("button", name="Invite people")).to_have_count(0)
    assert ERIN not in page.content()


def test_a_lost_password_is_replaced_by_a_new_access_link(open_page: OpenPage, study: BrowserStudy) -> None:
    elsewhere = open_page(study.expert.user)
    elsewhere.goto("/studies/areas/annotate")
    expect(elsewhere.get_by_role("heading", name="Before you begin")).to_be_visible()
    page = open_page(study.admin)
    page.goto("/studies/areas")
    page.get_by_role("button", name="New access link for Erin Expert").click()
    address = page.get_by_role("region", name="The link").locator("code").inner_text()
    visitor = open_page()
    visitor.goto("/invitation#" + address.split("#")[1])
    expect(visitor.get_by_role("heading", name="Choose a new password")).to_be_visible()
    visitor.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    visitor.get_by_role("button", name="Save the password and go on").click()
    expect(visitor.get_by_role("heading", name="Before you begin")).to_be_visible()
    study.expert.user.refresh_from_db()
    assert study.expert.user.check_password(NEW_PASSWORD)
    elsewhere.goto("/")
    expect(elsewhere.get_by_role("heading", name="Sign in")).to_be_visible()


# -- later visits


def test_a_later_visit_leads_straight_to_the_next_text_on_any_device(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    page.goto("/")
    page.get_by_role("button", name="Begin without practice").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    text = page.get_by_role("region", name="Text").inner_text()
    other = open_page()
    other.goto("/")
    other.get_by_label("E-mail address").fill(study.expert.user.email)
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("region", name="Text")).to_have_text(text)
    # The way to the list stays open.
    other.get_by_role("link", name=TITLE).click()
    expect(other.get_by_role("heading", name="My studies")).to_be_visible()


def test_who_takes_part_in_two_studies_chooses(open_page: OpenPage, study: BrowserStudy) -> None:
    other = designing.create_study(
        dataset=study.study.dataset, slug="second", title="A second study", instances_per_system=2, seed=3
    )
    add_member(study=other, user=study.expert.user, role=Role.EXPERT)
    designing.apply_plan(study=other)
    change_state(study=other, to=StudyState.OPEN)
    page = open_page(study.expert.user)
    page.goto("/")
    expect(page.get_by_role("link", name="A second study", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=TITLE, exact=True)).to_be_visible()


def test_the_practice_can_be_repeated_from_the_instructions_and_left_at_any_time(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    page.goto("/studies/areas/annotate")
    page.get_by_role("button", name="Begin without practice").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    text = page.get_by_role("region", name="Text").inner_text()
    page.get_by_role("button", name="Instructions").click()
    page.get_by_role("link", name="Practise once more").click()
    expect(page.get_by_text("Practice 1 of 2")).to_be_visible()
    expect(page.get_by_role("region", name="Text")).not_to_have_text(text)
    page.get_by_role("button", name="Leave the practice").click()
    expect(page.get_by_role("region", name="Text")).to_have_text(text)


@pytest.mark.parametrize(
    ("task", "names", "role"),
    [
        (Task.MULTICLASS, ("entailment", "neutral", "contradiction"), "radio"),
        (Task.ORDINAL, ("never", "rarely", "sometimes", "often", "always"), "radio"),
    ],
)
def test_the_practice_has_the_studys_own_labels_and_control(
    open_page: OpenPage, transactional_db: None, task: Task, names: tuple[str, ...], role: str
) -> None:
    expert = make_small_study(task=task, names=names)
    page = open_page(expert.user)
    page.goto("/studies/areas/practice")
    for _ in range(2):
        for name in names:
            expect(page.get_by_role(role, name=name, exact=True)).to_be_visible()  # type: ignore[arg-type]  # a role
        page.get_by_role(role, name=names[1], exact=True).check(force=True)  # type: ignore[arg-type]  # a role
        expect(page.get_by_role("status").filter(has_text="Another choice takes its place")).to_be_visible()
        page.get_by_role("button", name="Continue").click()
        bars = page.get_by_role("region", name="Distribution A").get_by_role("listitem")
        expect(bars.first).to_be_visible()
        for bar in bars.all_inner_texts():
            assert any(name in bar for name in names)
        page.keyboard.type("n1")
        page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="That was the practice")).to_be_visible()
    assert not LabelResponse.objects.exists()
