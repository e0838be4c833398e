"""A study in a language that runs from right to left."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_annotating import begin, label

ARABIC = "يقول المالك إنه يجب علي أن أغادر خلال أسبوعين."


def test_a_right_to_left_study_mirrors_the_page_and_the_keys(open_page: OpenPage, study: BrowserStudy) -> None:
    for instance in study.study.dataset.instances.all():
        instance.segments = [{"name": "", "text": ARABIC}]
        instance.language, instance.direction = "ar", "rtl"
        instance.save(update_fields=["segments", "language", "direction"])
    page = open_page(study.expert.user)
    begin(page)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("region", name="Text").locator("[lang=ar]")).to_have_attribute("dir", "rtl")
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
    page.goto("/")
    expect(page.get_by_role("heading", name="My studies")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
