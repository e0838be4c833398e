"""An admin adds places to a study that runs, pauses a system and resumes it; each is asked once, and an event."""

import re

from playwright.sync_api import Locator, expect

from annotations.models import Event, EventKind
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, step, too_wide
from tests.browser.study import BrowserStudy


def confirm(asked: Locator, what: str) -> None:
    """Press Enter on the button that a dialog puts first, once it has the focus."""
    button = asked.get_by_role("button", name=what, exact=True)
    expect(button).to_be_focused()
    button.page.keyboard.press("Enter")


def test_a_running_study_gets_places_and_its_systems_are_paused_and_resumed(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin, look=DARK_PHONE)
    asked = page.get_by_role("dialog")
    events = Event.objects.filter(study=study.study)
    with step("the plan is read on a phone, and its texts are found"):
        page.goto("/studies/areas/design")
        page.locator("summary", has_text=re.compile("^All comparisons$")).click()
        table = page.get_by_role("region", name="Comparisons in the plan", exact=True)
        expect(table.get_by_role("row")).to_have_count(1 + min(25, study.study.comparisons.count()))
        page.get_by_label("Find a text in the plan", exact=True).fill("there is no such text")
        expect(table).to_have_count(0)
        page.get_by_label("Find a text in the plan", exact=True).fill("")
        expect(table).to_be_visible()
        expect(page.get_by_role("button", name="Archive this study", exact=True)).to_be_visible()
        assert axe(page) == []
        assert too_wide(page) == 0
    with step("places are added by keyboard, after saying how many"):
        before = study.study.assignments.count()
        expect(page.get_by_role("status").filter(has_text=re.compile(r"^24 .* 24 "))).to_be_visible()
        page.get_by_role("button", name="Add places", exact=True).press("Enter")
        expect(asked).to_contain_text(re.compile(r"\b1\b"))
        confirm(asked, "Add the places")
        expect(asked).to_have_count(0)
        assert study.study.assignments.count() == before + 24
        assert events.filter(kind=EventKind.PLACES_ADDED).exists()
    first = study.study.comparisons.order_by("second_system__model", "second_system__method").first()
    assert first is not None
    system = first.second_system.name
    pause = page.get_by_role("button", name=f"Pause {system}", exact=True)
    resume = page.get_by_role("button", name=f"Resume {system}", exact=True)
    with step("a system is paused"):
        pause.press("Enter")
        confirm(asked, f"Pause {system}")
        expect(resume).to_be_visible()
        expect(asked).to_have_count(0)
        assert study.study.comparisons.filter(is_paused=True).count() == 4
        assert events.filter(kind=EventKind.SYSTEM_PAUSED).exists()
        assert axe(page) == []
        assert too_wide(page) == 0
    with step("and resumed"):
        resume.press("Enter")
        confirm(asked, f"Resume {system}")
        expect(pause).to_be_visible()
        assert not study.study.comparisons.filter(is_paused=True).exists()
        assert events.filter(kind=EventKind.SYSTEM_RESUMED).exists()
