"""No barrier that axe calls serious, in any state of an expert's pages, in both colours, on a laptop and a phone."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from playwright.sync_api import Page, expect

from annotations.importing.memory.tables import LabelSet, Segment
from annotations.models import Layout, Task
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS
from tests.browser.answering import begin, chart, label
from tests.browser.conftest import DARK_PHONE, EVERY_LOOK, LAPTOP, PHONE, Look, OpenPage
from tests.browser.sight import Showing
from tests.browser.study import BrowserStudy
from tests.browser.tour import ALL, tour
from tests.worlds.comparisons import Pair, demo_tasks, task_for

Axe = Callable[[Page], list[str]]
LOW_LAPTOP = Look(1280, 657)
TEXT = "My landlord wants the flat back. I have a lease until March.\n\n" * 8


@EVERY_LOOK
def test_no_state_of_an_experts_page_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    found: dict[str, list[str]] = {}
    for name, page in tour(open_page, study, look):
        # Colours change in a moment, but not at once: axe must not see one of the last state and one of this.
        page.wait_for_function("() => document.getAnimations().length === 0")
        sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[name] = axe(page) + ([f"scrolls {sideways} pixels sideways"] if sideways > 0 else [])
    assert tuple(found) == ALL
    assert {name: barriers for name, barriers in found.items() if barriers} == {}


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("look", [LOW_LAPTOP, DARK_PHONE], ids=["laptop", "dark-phone"])
def test_whatever_step_2_has_to_show_it_has_no_serious_barrier(open_page: OpenPage, axe: Axe, look: Look) -> None:
    user, (like,) = demo_tasks(1)
    page = open_page(user, look=look)
    showing = Showing(page)
    found: dict[str, list[str]] = {}
    for name, pair in whatever_step_2_shows().items():
        for layout in Layout.values:
            task = task_for(pair, like)
            showing.show(task | {"study": task["study"] | {"layout": layout}})
            state = f"{name}, {layout}"
            found[state] = axe(page)
            if name in {"folded", "scrolling"} and layout == Layout.ALIGNED:
                assert has(page, "data-folds", "data-scrolls") == [name == "folded", name == "scrolling"], state
            if name == "folded" and layout == Layout.ALIGNED:
                chart(page).get_by_role("button", expanded=False).click()
                found[f"{state}, unfolded"] = axe(page)
    if look is DARK_PHONE:
        page.get_by_role("button", name="Show the whole text", exact=True).click()
        expect(page.get_by_role("button", name="Back to the question", exact=True)).to_be_visible()
        found["text open"] = axe(page)
    assert {state: barriers for state, barriers in found.items() if barriers} == {}


def whatever_step_2_shows() -> dict[str, Pair]:
    """Every kind of comparison, by name."""
    areas = LabelSet(names=LABELS, task=Task.MULTILABEL, exclusive=EXCLUSIVE_LABEL)
    scale = LabelSet(("Not at all", "A little", "Fairly", "Very"), Task.ORDINAL, values=(0.0, 1.0, 2.0, 3.0))
    rise = np.linspace(0.3, 0.9, len(LABELS))
    few = np.zeros(len(LABELS))
    few[[3, 8, 20]] = 0.8, 0.5, 0.2
    small = np.where(np.arange(len(LABELS)) % 5 == 0, 0.7, 0.12)
    return {
        "folded": pair(areas, small, np.roll(small, 5)),
        "scrolling": pair(areas, rise, rise[::-1]),
        "identical": pair(areas, few, few),
        "an empty side": pair(areas, few, np.zeros(len(LABELS))),
        "ordinal": pair(scale, [0.1, 0.2, 0.3, 0.4], [0.4, 0.4, 0.2, 0.0]),
    }


def pair(labels: LabelSet, a: ArrayLike, b: ArrayLike) -> Pair:
    return Pair("drawn", labels, np.asarray(a), np.asarray(b), 100, [Segment("", TEXT)])


def has(page: Page, *marks: str) -> list[bool]:
    found: list[bool] = chart(page).evaluate("(one, marks) => marks.map(mark => one.hasAttribute(mark))", list(marks))
    return found


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["laptop", "dark-phone"])
def test_what_is_said_of_a_report_and_of_a_skipped_text_has_no_serious_barrier(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, look: Look
) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    dialog = page.get_by_role("dialog", name="Report a problem", exact=True)
    send = dialog.get_by_role("button", name="Send report", exact=True)
    page.get_by_role("button", name="Report a problem", exact=True).click()
    send.click()
    expect(dialog.get_by_text("Please choose what fits best.", exact=True)).to_be_visible()
    found = {"nothing chosen": axe(page)}
    dialog.get_by_role("radio", name="Something else", exact=True).check()
    send.click()
    expect(dialog.get_by_text("Thank you. The organisers will see your report.", exact=True)).to_be_visible()
    found["sent"] = axe(page)
    dialog.get_by_role("button", name="Back to the text", exact=True).click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Report a problem", exact=True).click()
    dialog.get_by_role("radio", name="The text is distressing", exact=True).check()
    dialog.get_by_role("checkbox", name="Skip this text and show me the next one", exact=True).check()
    send.click()
    expect(page.get_by_text(re.compile("Here is the next text[.]$"))).to_be_visible()
    expect(dialog).to_have_count(0)
    found["skipped"] = axe(page)
    assert {state: barriers for state, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_no_step_scrolls_sideways(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    label(page, "Litigation and dispute resolution")
    assert page.evaluate(overflow) == 0


def test_the_skip_link_leads_past_the_header(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the main content", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_colours_follow_the_system_and_the_choice_is_kept(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user, look=DARK_PHONE)
    page.goto("/")
    root = page.locator("html")
    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    page.get_by_role("button", name="Switch to light colours", exact=True).click()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
    page.reload()
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")
