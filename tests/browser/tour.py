"""Every state in which an expert can find the pages, one after the other: for looking at each of them alike.

    for name, page in tour(open_page, study, look):
        ...

What looks at a state must leave it as it is.
"""

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import Instance, Role, Study, StudyState
from annotations.people import inviting
from annotations.people.addresses import read_addresses
from tests.browser.answering import ANNOTATE, CUT, begin, cut, expect_done, label, mend, past_a_double_click
from tests.browser.conftest import Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.worlds.answering import complete_all

ALL = (
    "invitation-wrong", "invitation", "welcome-invited", "practice", "practice-step-2", "practice-over",
    "sign-in", "home", "welcome", "step-1", "step-1-search", "step-1-missing", "report", "instructions", "pause",
    "step-2", "step-2-answered", "offline", "held", "elsewhere", "change-last", "long-text", "study-paused", "finished",
    "guess",
)  # fmt: skip

LONG = (
    "My landlord says I must leave in two weeks because his son wants the flat. I have a lease until March and have "
    "always paid. He came in yesterday without asking and told my daughter that we would find our things on the "
    "street.\n\n"
) * 6


def tour(open_page: OpenPage, study: BrowserStudy, look: Look) -> Iterator[tuple[str, Page]]:
    """Name and page of every state in `ALL`, in that order."""
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
    page.get_by_role("checkbox").check()
    page.get_by_label("Choose a password", exact=True).fill("violets and rain 17")
    page.get_by_role("button", name="Agree and continue", exact=True).click()
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
    page.get_by_role("button", name="Close", exact=True).click()
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
    expect(page.get_by_role("heading", name="Step 2 of text 3 waits for the connection", exact=True)).to_be_visible()
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
