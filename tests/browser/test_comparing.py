"""Step 2: two distributions that can be compared at one look, answered by whatever is at hand."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotations.models import Dataset, Instance, Study, System, Task
from tests.browser.answering import ANNOTATE, begin, chart, label
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy, practised_expert
from tests.browser.test_reading import BOTH, box, in_sight


def put_shares(study: BrowserStudy, *, human: dict[int, float], system: dict[int, float]) -> None:
    """The same two distributions for every instance, by position of the label."""
    dataset = study.study.dataset
    shape = (dataset.instances.count(), dataset.labels.count())

    def matrix(shares: dict[int, float]) -> Any:
        one = np.zeros(shape)
        for position, share in shares.items():
            one[:, position] = share
        return one

    Dataset.objects.filter(pk=dataset.pk).update(gold=matrix(human))
    System.objects.filter(dataset=dataset).update(predictions=matrix(system))
    Instance.objects.filter(dataset=dataset).update(parts=5)


FIVE = {1: 1.0, 7: 0.8, 12: 0.6, 14: 0.4, 25: 0.2}
SIX = {1: 0.8, 7: 0.8, 11: 0.6, 14: 0.4, 19: 0.4, 25: 0.2}


def to_step_2(page: Page) -> None:
    begin(page)
    label(page, "Privacy")


def test_on_a_phone_both_distributions_and_the_answers_are_in_sight_together(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    put_shares(study, human=FIVE, system=SIX)
    page = open_page(study.expert.user, look=PHONE)
    to_step_2(page)
    for part in [chart(page), page.get_by_role("radiogroup")]:
        assert in_sight(page, part)
    rows = chart(page).locator("tbody").get_by_role("row")
    assert rows.count() == 7  # every label that either side shows
    assert all(in_sight(page, row) for row in rows.all())
    # Nothing that has to be read is smaller than on a laptop's small print, and every answer can be hit.
    for radio in page.get_by_role("radiogroup").locator("label").all():
        assert box(radio)["height"] >= 44
        assert box(radio)["width"] >= 44


@BOTH
def test_the_two_stand_on_one_axis(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    put_shares(study, human=FIVE, system=SIX)
    page = open_page(study.expert.user, look=look)
    to_step_2(page)
    scales, starts, means = [], set(), []
    for row in chart(page).locator("tbody").get_by_role("row").all():
        bars = row.locator("i")
        left, _, _, right = row.get_by_role("cell").all_inner_texts()
        values = [int(text.removesuffix("%") or 0) for text in (left, right)]
        for number, value in enumerate(values):
            track = box(bars.nth(number).locator(".."))
            assert box(bars.nth(number))["width"] == pytest.approx(track["width"] * value / 100, abs=1)
            scales.append(track["width"])
        starts.add((round(box(bars.nth(0))["right"]), round(box(bars.nth(1))["x"])))
        means.append(sum(values))
    assert len(scales) == 14
    assert max(scales) - min(scales) < 1
    assert len(starts) == 1  # A's bars end, and B's begin, at the labels
    assert means == sorted(means, reverse=True)


@BOTH
def test_in_two_lists_each_side_has_its_own_order_and_a_label_is_marked_on_both(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    Study.objects.update(layout="separate")
    put_shares(study, human=FIVE, system=SIX)
    page = open_page(study.expert.user, look=look)
    to_step_2(page)
    scales = []
    for side in "AB":
        region = page.get_by_role("region", name=f"Side {side}", exact=True)
        assert in_sight(page, region)
        bars, values = region.locator("li i"), region.locator("li > span:last-child")
        shares = [int(text.removesuffix("%")) for text in values.all_inner_texts()]
        assert shares == sorted(shares, reverse=True)
        for number, value in enumerate(shares):
            track = box(bars.nth(number).locator(".."))
            assert box(bars.nth(number))["width"] == pytest.approx(track["width"] * value / 100, abs=1)
            scales.append(track["width"])
    assert len(scales) == 11
    assert max(scales) - min(scales) < 1
    first = page.get_by_role("region", name="Side A", exact=True).get_by_role("listitem").first
    first.focus()
    expect(page.locator("li[data-marked]")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(first).not_to_have_attribute("data-marked", "true")


def test_a_scale_shows_all_its_points_in_their_own_order(open_page: OpenPage, transactional_db: None) -> None:
    names = ("1", "2", "3", "4", "5", "6", "7")
    page = open_page(practised_expert(task=Task.ORDINAL, names=names).user)
    page.goto(ANNOTATE)
    page.get_by_role("radio", name="3", exact=True).check(force=True)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(chart(page).get_by_role("rowheader")).to_have_text(list(names))


@pytest.mark.parametrize("look", [LAPTOP, PHONE, DARK_PHONE], ids=["laptop", "phone", "dark"])
def test_a_side_without_bars_says_so_and_can_be_chosen(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    put_shares(study, human=FIVE, system={})
    page = open_page(study.expert.user, look=look)
    to_step_2(page)
    empty = chart(page).get_by_role("columnheader").filter(has_text="no share large enough to show")
    expect(empty).to_have_count(1)
    letter = empty.inner_text().strip()[0]
    empty.click()
    expect(page.get_by_role("radio", name=f"{letter} is more accurate", exact=True)).to_be_checked()


def test_the_own_answer_of_step_1_stands_beside(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    begin(page)
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    label(page, "Health")
    expect(page.get_by_role("region", name="You chose", exact=True).get_by_role("listitem")).to_have_text(
        ["Health", "Tax"]
    )


def test_what_is_not_set_is_spoken_and_nothing_is_preset(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    to_step_2(page)
    slider = page.get_by_role("slider", name=study.study.question_certainty, exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "not answered")
    expect(slider).to_have_attribute("aria-valuemin", "0")
    expect(slider).to_have_attribute("aria-valuemax", "100")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    slider.focus()  # focus alone sets nothing
    expect(slider).to_have_attribute("aria-valuetext", "not answered")
    for key, told in {
        "ArrowRight": "Fairly sure, 50 of 100",
        "ArrowLeft": "Fairly sure, 45 of 100",
        "End": "Certain, 100 of 100",
        "Home": "Guessing, 0 of 100",
        "PageUp": "Unsure, 25 of 100",
        "4": "Sure, 75 of 100",
    }.items():
        page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuetext", told)


def test_touching_the_scale_sets_it_where_it_was_touched(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user, look=PHONE)
    to_step_2(page)
    slider = page.get_by_role("slider")
    slider.evaluate("e => e.scrollIntoView({ block: 'center' })")  # clear of the bar below, wherever the page stood
    first, last = (box(page.get_by_role("button", name=name, exact=True)) for name in ("Guessing", "Certain"))
    start, end = (one["x"] + one["width"] / 2 for one in (first, last))
    thumb = box(slider)
    page.mouse.click(start + (end - start) * 0.75, thumb["y"] + thumb["height"] / 2)
    expect(slider).to_have_attribute("aria-valuenow", re.compile("^7[2-8]$"))
    # The words stand below the points that they name.
    page.get_by_role("button", name="Certain", exact=True).click()
    expect(slider).to_have_attribute("aria-valuenow", "100")
    thumb = box(slider)
    assert abs(thumb["x"] + thumb["width"] / 2 - end) < 8


@BOTH
def test_in_forced_colours_bars_and_choices_can_still_be_seen(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    put_shares(study, human=FIVE, system=SIX)
    page = open_page(study.expert.user, look=look)
    to_step_2(page)
    page.emulate_media(forced_colors="active")
    page.keyboard.type("b4")
    paint = (
        chart(page)
        .locator("i")
        .first.evaluate(
            "bar => [getComputedStyle(bar).backgroundColor, getComputedStyle(bar.closest('section')).backgroundColor]"
        )
    )
    assert paint[0] != paint[1]
    chosen, other = (
        page.get_by_role("radio", name=name, exact=True).evaluate("e => getComputedStyle(e.parentElement).outlineStyle")
        for name in ("B is more accurate", "A is more accurate")
    )
    assert (chosen, other) == ("solid", "none")


def test_on_paper_nothing_is_cut_off_or_covered(open_page: OpenPage, study: BrowserStudy) -> None:
    put_shares(study, human=FIVE, system=SIX)
    long = "A sentence of some length that is read on paper. " * 60
    Instance.objects.update(segments=[{"name": "", "text": long}])
    page = open_page(study.expert.user)
    to_step_2(page)
    page.emulate_media(media="print")
    assert page.locator("header").evaluate("e => getComputedStyle(e).position") == "static"
    expect(page.locator("footer")).to_be_hidden()
    text = page.get_by_role("region", name="Text", exact=True).locator("[dir]")
    assert text.evaluate("e => e.scrollHeight - e.clientHeight") <= 1
