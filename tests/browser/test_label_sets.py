"""Label sets of which a text has exactly one: the right control for each, and the keys that go with it."""

import re

import pytest
from playwright.sync_api import expect

from annotations.models import LabelResponse, Task
from tests.browser.answering import ANNOTATE, chart, past_a_double_click
from tests.browser.conftest import Axe, OpenPage, step
from tests.browser.study import practised_expert

pytestmark = pytest.mark.usefixtures("transactional_db")


def test_one_label_of_few_is_chosen_from_radio_chips(open_page: OpenPage, axe: Axe) -> None:
    expert = practised_expert(task=Task.MULTICLASS, names=("Entailment", "Neutral", "Contradiction"))
    page = open_page(expert.user)
    radios = page.get_by_role("radio")
    with step("few labels need no search field, and every part of a text has its name"):
        page.goto(ANNOTATE)
        expect(radios).to_have_count(3)
        expect(page.get_by_role("textbox")).to_have_count(0)
        expect(page.get_by_role("region", name="Text", exact=True)).to_contain_text("Hypothesis")
    with step("nothing chosen is not taken"):
        past_a_double_click(page)
        page.get_by_role("button", name="Continue", exact=True).click()
        expect(page.get_by_role("contentinfo").get_by_text(re.compile("one label"))).to_be_visible()
        assert axe(page) == []
        assert not LabelResponse.objects.exists()
    with step("the newest choice is the only one, and Enter gives it"):
        page.get_by_role("radio", name="Neutral", exact=True).check()
        page.get_by_role("radio", name="Entailment", exact=True).check()
        expect(page.get_by_role("radio", checked=True)).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert LabelResponse.objects.get().labels == [0]


def test_a_point_of_a_scale_is_chosen_by_digit_or_arrow_in_the_scales_order(open_page: OpenPage, axe: Axe) -> None:
    names = ("Never", "Rarely", "Often", "Always", "1", "2", "3")
    expert = practised_expert(task=Task.ORDINAL, names=names)
    page = open_page(expert.user)
    with step("the scale stands in its order"):
        page.goto(ANNOTATE)
        expect(page.get_by_role("radiogroup").get_by_role("radio")).to_have_count(len(names))
        expect(page.get_by_role("radiogroup")).to_have_text("".join(names))
    with step("a digit chooses, and an arrow moves"):
        page.keyboard.press("2")
        expect(page.get_by_role("radio", name="Rarely", exact=True)).to_be_checked()
        page.get_by_role("radio", name="Rarely", exact=True).focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("radio", name="Often", exact=True)).to_be_checked()
        assert axe(page) == []
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
        assert LabelResponse.objects.get().labels == [2]
    with step("step 2 shows all points of the scale in their own order"):
        expect(chart(page).get_by_role("rowheader")).to_have_text(list(names))
