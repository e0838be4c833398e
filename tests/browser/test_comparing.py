"""Step 2: two distributions that can be compared at one look, answered by whatever is at hand."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotations.models import Dataset, Instance, Study, System
from tests.browser.answering import begin, chart, label
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, OpenPage, step, wear
from tests.browser.study import BrowserStudy
from tests.browser.test_reading import box, in_sight


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


def test_both_distributions_are_compared_at_one_look(open_page: OpenPage, study: BrowserStudy) -> None:
    put_shares(study, human=FIVE, system=SIX)
    long = "A sentence of some length that is read on paper. " * 60
    page = open_page(study.expert.user)
    begin(page)
    page.get_by_role("checkbox", name="Tax", exact=True).check()
    label(page, "Health")
    with step("the own answer of step 1 stands beside"):
        own = page.get_by_role("region", name="You chose", exact=True).get_by_role("listitem")
        expect(own).to_have_text(["Health", "Tax"])
    for look in (LAPTOP, PHONE):
        wear(page, look)
        with step(f"the two stand on one axis, {look.width} pixels wide"):
            expect_one_axis(page)
    with step("on a phone both distributions and the answers are in sight together"):
        for part in [chart(page), page.get_by_role("radiogroup")]:
            assert in_sight(page, part)
        rows = chart(page).locator("tbody").get_by_role("row")
        assert rows.count() == 7  # every label that either side shows
        assert all(in_sight(page, row) for row in rows.all())
        # Nothing that has to be read is smaller than on a laptop's small print, and every answer can be hit.
        for radio in page.get_by_role("radiogroup").locator("label").all():
            assert box(radio)["height"] >= 44
            assert box(radio)["width"] >= 44
    wear(page, LAPTOP)
    slider = page.get_by_role("slider", name=study.study.question_certainty, exact=True)
    with step("nothing is preset, and what is not set is spoken"):
        unset = slider.get_attribute("aria-valuetext") or ""
        assert not any(character.isdigit() for character in unset)
        expect(slider).to_have_attribute("aria-valuemin", "0")
        expect(slider).to_have_attribute("aria-valuemax", "100")
        expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        slider.focus()  # focus alone sets nothing
        expect(slider).to_have_attribute("aria-valuetext", unset)
    with step("keys set the certainty, and it is spoken in a word and in hundredths"):
        for key, value in {"ArrowRight": 50, "ArrowLeft": 45, "End": 100, "Home": 0, "PageUp": 25, "4": 75}.items():
            page.keyboard.press(key)
            expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^[A-Z][a-z ]+\b.* {value}\b.* 100$"))
    with step("touching the scale sets it where it was touched"):
        wear(page, PHONE)
        slider.evaluate("e => e.scrollIntoView({ block: 'center' })")  # clear of the bar below, wherever the page stood
        first, last = (box(page.get_by_role("button", name=name, exact=True)) for name in ("Guessing", "Certain"))
        start, end = (one["x"] + one["width"] / 2 for one in (first, last))
        thumb = box(slider)
        page.mouse.click(start + (end - start) * 0.5, thumb["y"] + thumb["height"] / 2)
        expect(slider).to_have_attribute("aria-valuenow", re.compile("^(4[7-9]|5[0-3])$"))
        # The words stand below the points that they name.
        page.get_by_role("button", name="Certain", exact=True).click()
        expect(slider).to_have_attribute("aria-valuenow", "100")
        thumb = box(slider)
        assert abs(thumb["x"] + thumb["width"] / 2 - end) < 8
    page.keyboard.type("b4")
    page.emulate_media(forced_colors="active")
    for look in (PHONE, LAPTOP):
        wear(page, look)
        with step(f"in forced colours bars and choices can still be seen, {look.width} pixels wide"):
            expect_seen_without_colours(page)
    with step("on paper nothing is cut off or covered"):
        Instance.objects.update(segments=[{"name": "", "text": long}])
        page.emulate_media(forced_colors="none")
        page.reload()
        text = page.get_by_role("region", name="Text", exact=True).locator("[dir]")
        expect(text).to_contain_text("on paper")
        page.emulate_media(media="print")
        assert page.locator("header").evaluate("e => getComputedStyle(e).position") == "static"
        expect(page.locator("footer")).to_be_hidden()
        assert text.evaluate("e => e.scrollHeight - e.clientHeight") <= 1


def test_in_two_lists_each_side_has_its_own_order_and_an_empty_one_can_be_chosen(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    Study.objects.update(layout="separate")
    put_shares(study, human=FIVE, system=SIX)
    page = open_page(study.expert.user)
    begin(page)
    label(page, "Privacy")
    for look in (LAPTOP, PHONE):
        wear(page, look)
        with step(f"each side has its own order, in sight, {look.width} pixels wide"):
            expect_own_orders(page)
    with step("a label is marked on both sides, and an arrow moves on"):
        first = page.get_by_role("region", name="Side A", exact=True).get_by_role("listitem").first
        first.focus()
        expect(page.locator("li[data-marked]")).to_have_count(2)
        page.keyboard.press("ArrowDown")
        expect(first).not_to_have_attribute("data-marked", "true")
    with step("a side without bars says so and can be chosen"):
        Study.objects.update(layout="aligned")
        put_shares(study, human=FIVE, system={})
        page.reload()
        empty = chart(page).get_by_role("columnheader").filter(has_text="no share")
        expect(empty).to_have_count(1)
        for look in (LAPTOP, PHONE, DARK_PHONE):
            wear(page, look)
            expect(empty).to_be_in_viewport()
            letter, other = ("A", "B") if empty.inner_text().strip().startswith("A") else ("B", "A")
            page.keyboard.press(other.lower())
            empty.click()
            expect(page.get_by_role("radio", name=re.compile(f"^{letter} "), checked=True)).to_have_count(1)


def expect_one_axis(page: Page) -> None:

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


def expect_own_orders(page: Page) -> None:
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


def expect_seen_without_colours(page: Page) -> None:
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
