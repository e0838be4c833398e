"""Who sets a study up tries it as an expert: the very pages, by keyboard, and nothing is stored."""

import re

import pytest
from django.apps import apps
from playwright.sync_api import expect

from annotations.models import Label, Study, StudyState
from tests.browser.answering import chart
from tests.browser.conftest import DARK_PHONE, IN_EVERY_LOOK, Axe, Look, OpenPage, flaws, too_wide
from tests.browser.speaking import ARABIC
from tests.browser.study import BrowserStudy

BANNER = "Preview: nothing is saved"


def rows() -> dict[str, int]:
    return {model._meta.label: model._base_manager.count() for model in apps.get_models(include_auto_created=True)}


@IN_EVERY_LOOK
def test_a_draft_is_tried_as_an_expert_by_keyboard_and_nothing_is_stored(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, looks: list[Look]
) -> None:
    Study.objects.filter(pk=study.study.pk).update(state=StudyState.DRAFT, opened_at=None)
    page = open_page(study.researcher, look=looks[-1])
    found: dict[str, list[str]] = {}

    def look_at(what: str, *, is_preview: bool = True) -> None:
        if is_preview:
            expect(page.get_by_text(BANNER, exact=True)).to_be_in_viewport()
        found[what] = flaws(page, axe, *looks)

    page.goto("/studies/areas/design/asked")
    page.get_by_label("Instructions", exact=True).fill("Read **slowly**. <script>alert(1)</script>")
    written = page.get_by_role("region", name="Instructions as experts see them", exact=True)
    expect(written.locator("strong", has_text=re.compile("^slowly$"))).to_be_visible()
    expect(written).to_contain_text("<script>alert(1)</script>")
    page.get_by_label("Title", exact=True).focus()
    expect(page.get_by_text(re.compile("^Saved [0-9]"))).to_be_visible()
    look_at("writing", is_preview=False)
    before = rows()

    page.get_by_role("link", name="Try it as an expert", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What you agree to", exact=True)).to_be_visible()
    look_at("consent")
    page.get_by_role("button", name="Agree and continue", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Please tick this box if you want to take part.", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Agree and continue", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("main strong", has_text=re.compile("^slowly$"))).to_be_visible()
    look_at("welcome")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Practice 1 of 2", exact=True)).to_be_visible()
    look_at("practice")
    page.get_by_role("button", name="Leave the practice", exact=True).focus()
    page.keyboard.press("Enter")

    texts = set()
    chosen = Label.objects.filter(dataset=study.study.dataset, exclusive=False).first()
    assert chosen is not None
    for number in range(1, 6):
        expect(page).to_have_title(re.compile(f"Text {number}, step 1"))
        texts.add(page.get_by_role("region", name="Text", exact=True).inner_text())
        chip = page.get_by_role("checkbox", name=chosen.shown, exact=True)
        chip.focus()
        page.keyboard.press("Space")
        if number == 1:
            look_at("step-1")
            page.get_by_role("button", name="Report a problem", exact=True).click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_role("radio", name="Something else", exact=True).check()
            dialog.get_by_role("button", name="Send report", exact=True).click()
            expect(dialog.get_by_role("status")).to_contain_text("No report is sent, and nobody sees what you wrote")
            dialog.get_by_role("button", name="Back to the text", exact=True).click()
            chip.focus()
        page.keyboard.press("Enter")
        expect(page).to_have_title(re.compile(f"Text {number}, step 2"))
        if number == 1:
            expect(chart(page)).to_be_visible()
            look_at("step-2")
        page.keyboard.type("n3")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="That was the preview", exact=True)).to_be_visible()
    look_at("over")
    assert len(texts) == 5
    page.keyboard.press("Enter")
    page.wait_for_url("**/studies/areas/design")
    assert rows() == before
    assert not study.study.assignments.exclude(comparison_shown_at=None).exists()
    assert {what: barriers for what, barriers in found.items() if barriers} == {}


@pytest.mark.long
def test_a_preview_speaks_the_studys_language_and_runs_in_its_direction(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    Study.objects.filter(pk=study.study.pk).update(language="ar")
    page = open_page(study.admin, look=DARK_PHONE)
    page.goto("/studies/areas/design")
    page.get_by_role("link", name="Try it as an expert", exact=True).click()
    expect(page.get_by_text(ARABIC.say(BANNER), exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    assert too_wide(page) == 0
    page.get_by_role("link", name=ARABIC.say("Back to the design"), exact=True).click()
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
