"""Label sets of which a text has exactly one: the right control for each, and the keys that go with it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.models import LabelResponse, Task
from tests.browser.answering import past_a_double_click
from tests.browser.conftest import OpenPage
from tests.browser.study import practised_expert

pytestmark = pytest.mark.usefixtures("transactional_db")
ANNOTATE = "/studies/areas/annotate"


def test_one_label_of_few_is_chosen_from_radio_chips_without_a_search_field(
    open_page: OpenPage, axe: Callable[[Page], list[str]]
) -> None:
    expert = practised_expert(task=Task.MULTICLASS, names=("Entailment", "Neutral", "Contradiction"))
    page = open_page(expert.user)
    page.goto(ANNOTATE)
    radios = page.get_by_role("radio")
    expect(radios).to_have_count(3)
    expect(page.get_by_role("textbox")).to_have_count(0)
    expect(page.get_by_role("region", name="Text", exact=True)).to_contain_text("Hypothesis")
    past_a_double_click(page)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text("Choose one label.", exact=True)).to_be_visible()
    assert axe(page) == []
    page.get_by_role("radio", name="Neutral", exact=True).check()
    page.get_by_role("radio", name="Entailment", exact=True).check()
    expect(page.get_by_role("radio", checked=True)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert LabelResponse.objects.get().labels == [0]


def test_a_point_of_a_scale_is_chosen_by_digit_or_arrow_in_the_scales_order(
    open_page: OpenPage, axe: Callable[[Page], list[str]]
) -> None:
    expert = practised_expert(task=Task.ORDINAL, names=("Never", "Rarely", "Often", "Always"))
    page = open_page(expert.user)
    page.goto(ANNOTATE)
    scale = page.get_by_role("radiogroup")
    expect(scale).to_have_text("NeverRarelyOftenAlways")
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Rarely", exact=True)).to_be_checked()
    page.get_by_role("radio", name="Rarely", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Often", exact=True)).to_be_checked()
    assert axe(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    assert LabelResponse.objects.get().labels == [2]
