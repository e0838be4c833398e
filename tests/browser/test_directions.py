"""A study whose texts run from right to left, in a language that the interface does not speak."""

import pytest
from playwright.sync_api import expect

from annotations.models import Instance
from tests.browser.answering import ANNOTATE, begin, label
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import TITLE, BrowserStudy

pytestmark = pytest.mark.long

PERSIAN = "صاحبخانه می‌گوید که باید ظرف دو هفته خانه را تخلیه کنم."


def test_a_right_to_left_study_mirrors_the_page_and_the_keys(open_page: OpenPage, study: BrowserStudy) -> None:
    for instance in study.study.dataset.instances.all():
        instance.segments = [{"name": "", "text": PERSIAN}]
        instance.language, instance.direction = "fa", "rtl"
        instance.save(update_fields=["segments", "language", "direction"])
    page = open_page(study.expert.user)
    begin(page)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("region", name="Text", exact=True).locator("[lang=fa]")).to_have_attribute("dir", "rtl")
    # The first chip stands at the right, and the left arrow goes on to the next.
    chips = page.get_by_role("checkbox")
    first, second = chips.nth(0).bounding_box(), chips.nth(1).bounding_box()
    assert first
    assert second
    assert first["x"] > second["x"]
    chips.nth(0).focus()
    page.keyboard.press("ArrowLeft")
    expect(chips.nth(1)).to_be_focused()
    label(page, "Privacy")
    page.keyboard.press("5")
    thumb, rail = page.get_by_role("slider").bounding_box(), page.locator("#certainty").bounding_box()
    assert thumb
    assert rail
    assert thumb["x"] < rail["x"] + rail["width"] / 2
    page.get_by_role("link", name=TITLE, exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("dir", "ltr")


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_in_a_right_to_left_study_both_steps_are_the_mirror_image(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    """Every part of the page stands as far from the right as it stood from the left, give or take a pixel.

    But A is left and B is right in every language, in the chart and among the answers.
    """
    Instance.objects.update(segments=[{"name": "", "text": "A text."}])
    places: dict[str, list[dict[str, float]]] = {}
    for direction in ("ltr", "rtl"):
        Instance.objects.update(direction=direction, language="en" if direction == "ltr" else "fa")
        page = open_page(study.expert.user, look=look)
        page.goto(ANNOTATE)
        begun = page.get_by_role("button", name="Begin without practice", exact=True).or_(
            page.get_by_role("button", name="Submit", exact=True)
        )
        expect(begun).to_be_visible()
        if page.get_by_role("button", name="Begin without practice", exact=True).is_visible():
            page.get_by_role("button", name="Begin without practice", exact=True).click()
            label(page, "Privacy")
        expect(page.locator("html")).to_have_attribute("dir", direction)
        page.keyboard.type("a4")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "75")
        page.evaluate("() => window.scrollTo(0, 0)")  # how far it was scrolled is not what is mirrored
        places[direction] = page.evaluate(PLACES)
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        order = [one["left"] for one in page.evaluate(PLACES_OF_ANSWERS)]
        assert order == sorted(order)
        sides = [page.locator(f"thead [data-side={side}]").bounding_box() for side in ("a", "b")]
        assert sides[0]
        assert sides[1]
        assert sides[0]["x"] < sides[1]["x"]
    assert len(places["ltr"]) == len(places["rtl"]) > 16
    for one, other in zip(places["ltr"], places["rtl"], strict=True):
        assert abs(one["left"] - (look.width - other["right"])) <= 2, (one, other)
        assert abs(one["top"] - other["top"]) <= 2, (one, other)


PLACES = """() => [...document.querySelectorAll(
    "header > *, main section, main li, #certainty *, main h1, #answers, footer button"
)].filter((element) => element.getClientRects().length > 0).map((element) => {
    const { left, right, top } = element.getBoundingClientRect();
    return { name: `${element.tagName} ${element.textContent.slice(0, 30)}`, left, right, top };
})"""
PLACES_OF_ANSWERS = PLACES.replace(
    "header > *, main section, main li, #certainty *, main h1, #answers, footer button", "#answers label"
)
