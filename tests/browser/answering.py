"""What the tests of an expert's page do on it, and what the page says about it."""

import re
from datetime import datetime

from playwright.sync_api import Locator, Page, Route, expect

ANNOTATE = "/studies/areas/annotate"
CUT = "The server cannot be reached."


def begin(page: Page) -> None:
    """Go to the study and past its instructions."""
    page.goto(ANNOTATE)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


def choose(page: Page, name: str) -> None:
    """Step 1 with one label, given."""
    page.get_by_role("checkbox", name=name, exact=True).check()
    page.get_by_role("button", name="Continue").click()


def label(page: Page, name: str) -> None:
    """Step 1 with one label, up to step 2."""
    choose(page, name)
    expect(page.get_by_role("button", name="Submit")).to_be_visible()


def prefer(page: Page, keys: str = "a5") -> None:
    """Step 2, given."""
    page.keyboard.type(keys)
    page.get_by_role("button", name="Submit").click()


def text_of(page: Page) -> str:
    """The text alone, without what stands below it to unfold it."""
    return page.get_by_role("region", name="Text").locator("[dir]").first.inner_text()


def state(page: Page, words: str | re.Pattern[str]) -> Locator:
    """What the top of the page says about what is saved."""
    return page.locator("header").get_by_role("status").filter(has_text=words)


def expect_saved(page: Page, at: datetime) -> None:
    """The page shows this moment, which is the server's own, on the clock of its person (UTC here)."""
    expect(state(page, f"Saved {at:%H:%M}")).to_be_visible()


def expect_waiting(page: Page, count: int) -> None:
    words = "1 answer waits" if count == 1 else f"{count} answers wait"
    expect(state(page, f"Not saved yet ({words})")).to_be_visible()


def cut(page: Page, address: str = "**/api/**") -> None:
    """Lose every request to these addresses. The browser still believes that it is online."""
    page.route(address, lose)


def mend(page: Page, address: str = "**/api/**") -> None:
    """Let the requests through again, and look at the page, as somebody does who has waited."""
    page.unroute(address, lose)
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")


def lose(route: Route) -> None:
    route.abort()
