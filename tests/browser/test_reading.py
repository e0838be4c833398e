"""Texts of every kind read well, what is chosen stays in sight, and the action stays in its place."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import Instance
from tests.browser.answering import begin, label, past_a_double_click
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, step
from tests.browser.study import BrowserStudy

BOTH = pytest.mark.parametrize("look", [LAPTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["laptop", "phone"])
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
HEBREW = "בעל הבית אומר שאני חייב לעזוב בתוך שבועיים."
FAMILY = "\U0001f468‍\U0001f469‍\U0001f467 \U0001f1e6\U0001f1fa"
NASTY = f"<script>alert(1)</script> & <b>bold</b> &amp;\n\n  two spaces, {FAMILY}, {HEBREW} and then\tleft to right"
WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 4


def put(study: BrowserStudy, *segments: tuple[str, str], **fields: str) -> None:
    """The same text in every instance."""
    named = [{"name": name, "text": text} for name, text in segments]
    Instance.objects.filter(dataset=study.study.dataset).update(segments=named, **fields)


def box(element: Locator) -> dict[str, float]:
    found = element.bounding_box()
    assert found is not None
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}  # type: ignore[dict-item]  # Playwright's box is a TypedDict


def in_sight(page: Page, element: Locator) -> bool:
    """Between the two bars that stay in place."""
    here, header, footer = box(element), box(page.locator("header")), box(page.locator("footer"))
    return here["y"] >= header["bottom"] - 1 and here["bottom"] <= footer["y"] + 1


@BOTH
def test_texts_stay_as_they_are_and_neither_the_choice_nor_the_action_goes_out_of_sight(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    put(study, ("Premise", NASTY), ("Hypothesis", f"{WORD}\n{HEBREW}"))
    page = open_page(study.expert.user, look=look)
    begin(page)
    region = page.get_by_role("region", name="Text", exact=True)
    go = page.get_by_role("button", name="Continue", exact=True)
    submit = page.get_by_role("button", name="Submit", exact=True)
    places = [box(go)]

    with step("segments, markup, line breaks, emoji and both directions stay as they are"):
        assert region.locator("script, b, img").count() == 0
        expect(region.get_by_role("heading", name="Premise", exact=True)).to_be_visible()
        assert region.locator("[dir] div div").all_inner_texts() == [NASTY, f"{WORD}\n{HEBREW}"]
        assert page.evaluate(OVERFLOW) == 0
        assert box(region)["right"] <= look.width
    past_a_double_click(page)
    go.click()
    expect(page.get_by_text(re.compile("^Choose at least one label"))).to_be_visible()
    places.append(box(go))
    with step("the first choice moves no chip from under the pointer"):
        family = page.get_by_role("checkbox", name="Family law", exact=True)
        family.scroll_into_view_if_needed()
        before = box(family)
        family.evaluate("input => input.click()")  # a driver that moves to it may scroll
        expect(family).to_be_checked()
        after = box(family)
        assert (before["x"], before["y"]) == (after["x"], after["y"])
        family.evaluate("input => input.click()")
    with step("what is chosen stays in sight while searching and scrolling, and is taken away there"):
        for name in ("Banking and finance", "Trusts/equity"):
            page.get_by_role("checkbox", name=name, exact=True).check()
        expect(page.get_by_role("status").filter(has_text="2 chosen")).to_contain_text("Trusts/equity")
        page.get_by_role("checkbox", name="Not a legal issue", exact=True).scroll_into_view_if_needed()
        places.append(box(go))
        chosen = page.locator("main button", has_text="Banking and finance")
        assert in_sight(page, chosen)
        page.keyboard.type("privacy")
        expect(page.get_by_role("checkbox")).to_have_count(1)
        assert in_sight(page, chosen)
        assert in_sight(page, page.locator("main button", has_text="Trusts/equity"))
        page.locator("main button", has_text="Trusts/equity").click()
        expect(page.get_by_role("status").filter(has_text="1 chosen")).to_be_attached()
        page.keyboard.press("Escape")
        expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    label(page, "Privacy")
    assert page.evaluate(OVERFLOW) == 0
    places.append(box(submit))
    page.keyboard.type("a3")
    places.append(box(submit))
    with step("the action is always in the same place"):
        assert len({(round(one["right"]), round(one["bottom"])) for one in places}) == 1, places


@pytest.mark.long
@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_a_text_of_8000_characters_reads_in_a_column_of_about_70(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    sentence = "My landlord says I must leave in two weeks because his son wants the flat. "
    long = (sentence * 120)[:8000]
    put(study, ("", long))
    page = open_page(study.expert.user, look=look)
    begin(page)
    text = page.get_by_role("region", name="Text", exact=True)
    assert text.inner_text().strip() == long.strip()
    lines = text.locator("[dir] div div").evaluate(
        """element => {
            const range = document.createRange(), tops = new Map();
            const node = element.firstChild;
            for (let i = 0; i < 3000; i++) {
                range.setStart(node, i); range.setEnd(node, i + 1);
                const top = Math.round(range.getBoundingClientRect().top);
                tops.set(top, (tops.get(top) ?? 0) + 1);
            }
            return [...tops.values()].slice(0, -1);
        }"""
    )
    assert len(lines) > 20
    assert max(lines) <= 80
    if look is LAPTOP:
        assert sum(lines) / len(lines) > 55
    assert page.evaluate(OVERFLOW) == 0
    question = page.get_by_role("heading", level=1)
    if look is LAPTOP:  # beside the text, wherever that is scrolled to
        page.mouse.move(300, 400)
        page.mouse.wheel(0, 1500)
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_in_viewport()
        assert in_sight(page, question)
        assert in_sight(page, page.get_by_role("checkbox", name="Banking and finance", exact=True))
    else:  # below the text: one touch away
        jump = page.get_by_role("button", name="↓ Which areas of law, if any, does this text touch?", exact=True)
        assert in_sight(page, question) is False
        jump.click()
        expect(jump).to_have_count(0)
        assert in_sight(page, question)


@pytest.mark.long
def test_a_right_to_left_text_in_a_left_to_right_study_runs_its_own_way(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    put(study, ("", HEBREW), language="he", direction="rtl")
    study.study.language, study.study.direction = "en", "ltr"
    study.study.save()
    page = open_page(study.expert.user)
    begin(page)
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    text = page.get_by_role("region", name="Text", exact=True)
    expect(text.locator("[lang=he]")).to_have_attribute("dir", "rtl")
    start = text.locator("[dir] div div").evaluate(
        "element => { const r = document.createRange(); r.setStart(element.firstChild, 0);"
        "r.setEnd(element.firstChild, 1); return r.getBoundingClientRect().right; }"
    )
    assert abs(box(text)["right"] - start) < 40  # the first letter stands at the right edge


@pytest.mark.long
def test_a_chip_that_gets_the_focus_is_not_hidden_by_what_stays_in_place(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user, look=PHONE)
    begin(page)
    page.get_by_role("checkbox", name="Not a legal issue", exact=True).focus()
    for _ in range(40):
        page.keyboard.press("ArrowUp")
        focused = page.locator("label:has(input:focus)")
        if focused.count() == 0:
            break
        here, bar = box(focused), box(page.get_by_role("textbox"))
        assert here["y"] >= bar["bottom"]
        assert in_sight(page, focused)
    else:
        pytest.fail("the arrows never reached the search field")
    expect(page.get_by_role("textbox")).to_be_focused()
