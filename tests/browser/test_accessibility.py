"""No barrier that axe calls serious, in any state of an expert's pages, in both colours, on a laptop and a phone."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from playwright.sync_api import Page, expect

from annotations.importing.memory.tables import LabelSet, Segment
from annotations.models import Layout, Task
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS
from tests.browser.answering import chart
from tests.browser.conftest import DARK_PHONE, IN_EVERY_LOOK, Axe, Look, OpenPage, flaws
from tests.browser.sight import Showing
from tests.browser.study import BrowserStudy
from tests.browser.tour import ALL, WITHOUT_PICTURE, tour
from tests.worlds.comparisons import Pair, demo_tasks, task_for

LOW_LAPTOP = Look(1280, 657)
TEXT = "My landlord wants the flat back. I have a lease until March.\n\n" * 8


@IN_EVERY_LOOK
def test_no_state_of_an_experts_page_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, looks: list[Look]
) -> None:
    found = {name: flaws(page, axe, *looks) for name, page in tour(open_page, study, looks[-1])}
    assert sorted(found) == sorted([*ALL, *WITHOUT_PICTURE])
    assert {name: here for name, here in found.items() if here} == {}


@pytest.mark.long
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
