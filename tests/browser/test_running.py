"""An admin adds places to a study that runs, pauses a system and resumes it; each is asked once, and an event."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import Event, EventKind
from tests.browser.conftest import DARK_PHONE, LAPTOP, Look, OpenPage
from tests.browser.study import BrowserStudy


def confirm(asked: Locator, what: str) -> None:
    """Press Enter on the button that a dialog puts first, once it has the focus."""
    button = asked.get_by_role("button", name=what, exact=True)
    expect(button).to_be_focused()
    button.page.keyboard.press("Enter")


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["laptop", "dark-phone"])
def test_places_are_added_and_a_system_is_paused_and_resumed_while_a_study_runs(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    page = open_page(study.admin, look=look)
    page.goto("/studies/areas/design")
    before = study.study.assignments.count()
    expect(page.get_by_text(re.compile("more places in 24 comparisons"))).to_be_visible()
    page.get_by_role("button", name="Add places", exact=True).press("Enter")
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("Each comparison is shown to 1 more expert.")
    confirm(asked, "Add the places")
    expect(asked).to_have_count(0)
    assert study.study.assignments.count() == before + 24
    name = study.study.comparisons.order_by("second_system__model", "second_system__method").first()
    assert name is not None
    system = name.second_system.name
    page.get_by_role("button", name=f"Pause {system}", exact=True).press("Enter")
    expect(asked).to_contain_text("They can still answer the comparison they have open")
    confirm(asked, f"Pause {system}")
    resume = page.get_by_role("button", name=f"Resume {system}", exact=True)
    expect(resume).to_be_visible()
    expect(asked).to_have_count(0)
    assert study.study.comparisons.filter(is_paused=True).count() == 4
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    resume.press("Enter")
    confirm(asked, f"Resume {system}")
    expect(page.get_by_role("button", name=f"Pause {system}", exact=True)).to_be_visible()
    assert not study.study.comparisons.filter(is_paused=True).exists()
    kinds = {EventKind.PLACES_ADDED, EventKind.SYSTEM_PAUSED, EventKind.SYSTEM_RESUMED}
    assert kinds <= set(Event.objects.filter(study=study.study).values_list("kind", flat=True))
