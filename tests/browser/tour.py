"""Every state in which an expert can find the pages, one after the other: for looking at each of them alike.

    for name, page in tour(open_page, study, look):
        ...

What looks at a state must leave it as it is.
"""

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import Instance, Role, Session, Study, StudyState
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from tests.browser.answering import (
    ANNOTATE,
    CUT,
    begin,
    choose,
    cut,
    expect_done,
    expect_held,
    expect_waiting,
    label,
    mend,
    past_a_double_click,
)
from tests.browser.conftest import Look, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy
from tests.worlds.answering import complete_all

ALL = (
    "invitation-wrong", "invitation", "welcome-invited", "practice", "practice-step-2", "practice-over",
    "sign-in", "home", "welcome", "step-1", "step-1-search", "step-1-missing", "report", "instructions", "pause",
    "step-2", "step-2-answered", "offline", "held", "elsewhere", "change-last", "long-text", "study-paused", "finished",
    "guess",
)  # fmt: skip
WITHOUT_PICTURE = (
    "weak-password", "practice-step-2-answered", "report-missing", "report-sent", "not-accepted", "sign-in-again",
    "skipped",
)  # fmt: skip
"""What comes between them: the documentation does not show it."""

LONG = (
    "My landlord says I must leave in two weeks because his son wants the flat. I have a lease until March and have "
    "always paid. He came in yesterday without asking and told my daughter that we would find our things on the "
    "street.\n\n"
) * 6


def tour(open_page: OpenPage, study: BrowserStudy, look: Look) -> Iterator[tuple[str, Page]]:
    """Name and page of every state, in the order of `ALL`."""
    yield from arriving(open_page, study, look)
    page = open_page(look=look)
    page.goto("/login")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    yield "sign-in", page
    page = open_page(study.expert.user, look=look)
    page.goto(ANNOTATE)
    expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
    page.get_by_role("link", name=study.study.title, exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=f"Begin: {study.study.title}", exact=True)).to_be_visible()
    yield "home", page
    page.goto(ANNOTATE)
    expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
    yield "welcome", page
    begin(page)
    yield from answering(page)
    yield from troubles(open_page, study, page, look)
    yield from ending(study, page)


def arriving(open_page: OpenPage, study: BrowserStudy, look: Look) -> Iterator[tuple[str, Page]]:
    page = open_page(look=look)
    page.goto("/invitation#nonsense")
    expect(page.get_by_role("alert")).to_be_visible()
    yield "invitation-wrong", page
    issued = inviting.invite(
        study=study.study,
        addresses=read_addresses("new-expert@example.org"),
        role=Role.EXPERT,
        actor=study.admin,
    )[0]
    page.goto(f"/invitation#{issued.token}")
    expect(page.get_by_role("checkbox")).to_be_visible()
    yield "invitation", page
    go = page.get_by_role("button", name="Agree and continue", exact=True)
    page.get_by_role("checkbox").check()
    page.locator("#password").fill("short")
    go.click()
    expect(page.locator("#password")).to_have_attribute("aria-invalid", "true")
    yield "weak-password", page
    page.locator("#password").fill("violets and rain 17")
    go.click()
    expect(page.get_by_role("button", name="Practise with two short texts", exact=True)).to_be_visible()
    yield "welcome-invited", page
    page.get_by_role("button", name="Practise with two short texts", exact=True).click()
    for number in (1, 2):
        expect(page.get_by_text(f"Practice {number} of 2", exact=True)).to_be_visible()
        if number == 1:
            yield "practice", page
        label(page, "Privacy")
        if number == 1:
            yield "practice-step-2", page
        page.keyboard.type("b4")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "75")
        if number == 1:
            yield "practice-step-2-answered", page
        page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("button", name="Go to the texts", exact=True)).to_be_visible()
    yield "practice-over", page


def answering(page: Page) -> Iterator[tuple[str, Page]]:
    yield "step-1", page
    for name in ("Privacy", "Employees and volunteers"):
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.keyboard.type("law")
    expect(page.get_by_role("checkbox", name="Tax", exact=True)).to_have_count(0)
    yield "step-1-search", page
    page.keyboard.press("Escape")
    for name in ("Privacy", "Employees and volunteers"):
        page.get_by_role("checkbox", name=name, exact=True).uncheck()
    past_a_double_click(page)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text(re.compile("^Choose at least one label"))).to_be_visible()
    yield "step-1-missing", page
    page.get_by_role("button", name="Report a problem", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "report", page
    page.get_by_role("button", name="Send report", exact=True).click()
    expect(page.get_by_text("Please choose what fits best.", exact=True)).to_be_visible()
    yield "report-missing", page
    page.get_by_role("radio", name="Something else", exact=True).check()
    page.get_by_role("button", name="Send report", exact=True).click()
    expect(page.get_by_text("Thank you. The organisers will see your report.", exact=True)).to_be_visible()
    yield "report-sent", page
    page.get_by_role("button", name="Back to the text", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Instructions", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "instructions", page
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()
    yield "pause", page
    page.get_by_role("button", name="Resume", exact=True).click()
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    label(page, "Employees and volunteers")
    yield "step-2", page
    page.keyboard.type("a4")
    # Both keys have arrived: axe looks at colours over several frames, and must not see two states in one.
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Sure, 75 of 100")
    yield "step-2-answered", page
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()


def troubles(open_page: OpenPage, study: BrowserStudy, page: Page, look: Look) -> Iterator[tuple[str, Page]]:
    label(page, "Privacy")
    cut(page)
    page.keyboard.type("b5")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text(CUT, exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    yield "offline", page
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect_held(page, 3)
    yield "held", page
    mend(page)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    second = page.context.new_page()
    second.goto(ANNOTATE)
    expect(second.get_by_role("heading", level=1)).to_be_visible()
    yield "elsewhere", second
    second.close()
    page.keyboard.type("n2")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 3)
    page.get_by_role("button", name="Change my last answer", exact=True).click()
    expect(page.get_by_role("button", name="Save the change", exact=True)).to_be_visible()
    yield "change-last", page
    page.get_by_role("button", name="Back without a change", exact=True).click()
    cut(page)
    choose(page, "Tax")
    expect_waiting(page, 1)
    change_state(study=study.study, to=StudyState.PAUSED)
    mend(page)
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("heading", name="The study is paused", exact=True)).to_be_visible()
    yield "not-accepted", page
    change_state(study=study.study, to=StudyState.OPEN)
    Session.objects.all().delete()
    page.get_by_role("button", name="Send it again", exact=True).click()
    password = page.get_by_role("dialog").get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    yield "sign-in-again", page
    password.fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    page.get_by_role("button", name="Report a problem", exact=True).click()
    page.get_by_role("radio", name="The text is distressing", exact=True).check()
    page.get_by_role("checkbox", name="Skip this text and show me the next one", exact=True).check()
    page.get_by_role("button", name="Send report", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("status").filter(has_text="Here is the next text.")).to_be_visible()
    yield "skipped", page


def ending(study: BrowserStudy, page: Page) -> Iterator[tuple[str, Page]]:
    Instance.objects.filter(dataset=study.study.dataset).update(segments=[{"name": "", "text": LONG}])
    page.goto(ANNOTATE)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    yield "long-text", page
    change_state(study=study.study, to=StudyState.PAUSED)
    page.reload()
    expect(page.get_by_role("heading", name="The study is paused", exact=True)).to_be_visible()
    yield "study-paused", page
    change_state(study=study.study, to=StudyState.OPEN)
    Study.objects.filter(pk=study.study.pk).update(asks_guess=True)
    complete_all(study.expert.user, study.study.slug)
    page.reload()
    expect(page.get_by_role("heading", name="That was the last text. Thank you.", exact=True)).to_be_visible()
    yield "finished", page
    page.get_by_role("button", name="Guess", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile(r"^Which side came from people\? \(1 of \d\)$"))).to_be_visible()
    yield "guess", page
