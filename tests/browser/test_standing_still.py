"""Nothing moves from under the pointer: neither labels nor answers nor the footer, whatever is chosen or said."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.models import Instance
from tests.browser.answering import ANNOTATE, begin, label, pass_the_welcome, past_a_double_click
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage, step
from tests.browser.study import BrowserStudy

LOW, WIDE = Look(1366, 657), Look(1920, 1080)
LONG = "My landlord has not returned my deposit for eleven weeks. I have written three times.\n" * 40

PLACES = """selector => [...document.querySelectorAll(selector)].filter(one => one.getClientRects().length).map(one => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left, top, width, height];
})"""
STEP_2 = "main h1, section[data-layout], section[data-layout] tbody *, #answers label, #certainty button, footer button"


def places(page: Page, selector: str) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(PLACES, selector)
    return found


@pytest.mark.parametrize(
    "look",
    [LOW, *(pytest.param(look, marks=pytest.mark.long) for look in (LAPTOP, PHONE))],
    ids=["low", "laptop", "phone"],
)
def test_neither_choosing_nor_answering_moves_anything(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    page = open_page(study.expert.user, look=look)
    begin(page)
    heights = [places(page, "footer")] if look is not PHONE else []
    with step("choosing a label moves none of 33"):
        watched = "main label, main h1, main input[type=text], footer, footer button"
        before, moved = places(page, watched), []
        chips = page.get_by_role("checkbox")
        names = [chip.evaluate("input => input.parentElement.textContent") for chip in chips.all()]
        assert len(names) == 33
        # By the element's own click: a driver that moves to it would scroll, and so move everything.
        for place in [*range(33), *range(33)]:
            page.evaluate("place => document.querySelectorAll('main label input')[place].click()", place)
            after = places(page, watched)
            moved += [(names[place], one, other) for one, other in zip(before, after, strict=True) if one != other]
        assert moved == []
    page.get_by_role("checkbox", name="Privacy", exact=True).check()
    heights += [places(page, "footer")] if look is not PHONE else []
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    before = places(page, STEP_2)
    heights.append(places(page, "footer"))
    with step("answering moves nothing"):
        for keys in ("", "a", "b", "o", "n", "1", "5"):
            page.keyboard.type(keys)
            if not keys:
                past_a_double_click(page)
                page.get_by_role("button", name="Submit", exact=True).click()
            assert places(page, STEP_2) == before, keys
            heights.append(places(page, "footer"))
        page.get_by_role("button", name="Undo", exact=True).click()
        assert places(page, STEP_2) == before
    with step("the footer keeps its height"):
        assert all(one == heights[0] for one in heights)


@pytest.mark.long
def test_long_and_short_texts_have_one_layout_and_what_was_chosen_stays_in_sight(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    for look in (LOW, LAPTOP, WIDE):
        found = []
        for text in ("A short text.", LONG):
            Instance.objects.filter(dataset=study.study.dataset).update(segments=[{"name": "", "text": text}])
            page = open_page(study.expert.user, look=look)
            page.goto(ANNOTATE)
            if look is LOW and not found:
                pass_the_welcome(page)
            expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
            found.append(places(page, "header, main section, main h1, main label, footer, footer button"))
            page.context.close()
        assert found[0] == found[1], look
    page = open_page(study.expert.user, look=LOW)
    page.goto(ANNOTATE)
    label(page, "Privacy")
    with step("beside a long text, what was chosen stays in sight"):
        expect(page.get_by_role("region", name="You chose", exact=True)).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_on_a_wide_screen_every_button_stays_within_the_contents_width(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user, look=WIDE)
    begin(page)

    def check(name: str) -> None:
        edges = page.evaluate(
            """() => [...document.querySelectorAll("header > *, footer > *, main > form")].map(one => {
                const { left, right } = one.getBoundingClientRect();
                return [left, right];
            }).filter(([left, right]) => right > left)"""
        )
        main = page.evaluate(
            """() => {
                const main = document.querySelector("main"), style = getComputedStyle(main);
                const { left, right } = main.getBoundingClientRect();
                return [left + parseFloat(style.paddingLeft), right - parseFloat(style.paddingRight)];
            }"""
        )
        assert min(left for left, _ in edges) >= main[0] - 1
        assert max(right for _, right in edges) <= main[1] + 1
        button = page.get_by_role("button", name=name, exact=True).bounding_box()
        assert button
        assert abs(button["x"] + button["width"] - main[1]) <= 1

    check("Continue")
    label(page, "Privacy")
    check("Submit")


@pytest.mark.long
def test_the_title_is_whole_where_there_is_room(open_page: OpenPage, study: BrowserStudy) -> None:
    study.study.title = "What lawyers and models say about problems of everyday life, round 2"
    study.study.save()
    for look in (LOW, LAPTOP, WIDE):
        page = open_page(study.expert.user, look=look)
        page.goto(ANNOTATE)
        title = page.locator("header a").filter(has_text=study.study.title)
        expect(title).to_be_visible()
        assert title.evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.long
def test_on_six_cold_loads_no_text_is_painted_in_another_font(open_page: OpenPage, study: BrowserStudy) -> None:
    """Each with an empty cache, on lines on which the font comes at once or late."""
    for delay in (0, 0, 0, 300, 300, 1000):
        page = open_page(study.expert.user)
        late(page, delay)
        page.add_init_script(
            """window.painted = [];
            new PerformanceObserver(list => painted.push(...list.getEntries().map(one => one.startTime)))
                .observe({ type: "largest-contentful-paint", buffered: true });"""
        )
        page.goto(ANNOTATE)
        expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
        page.wait_for_function("() => painted.length > 0")
        came, first = page.evaluate(
            """() => [
                performance.getEntriesByType("resource").find(one => one.name.endsWith(".woff2")).responseEnd,
                Math.min(...painted),
            ]"""
        )
        assert first >= came, delay
        assert page.evaluate("() => document.fonts.check('600 20px \"Source Sans 3\"')")
        family = page.evaluate("() => getComputedStyle(document.querySelector('h1')).fontFamily")
        assert family.startswith('"Source Sans 3"')
        page.close()


def late(page: Page, milliseconds: int) -> None:
    """Let the font come so much later."""

    def hold(route: Route) -> None:
        page.wait_for_timeout(milliseconds)
        route.continue_()

    page.route("**/*.woff2", hold)
