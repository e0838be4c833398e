"""What the tests of an expert's page do on it, and what the page says about it."""

import re
from datetime import datetime

from playwright.sync_api import Locator, Page, Route, expect

ANNOTATE = "/studies/areas/annotate"
CUT = "The server cannot be reached."
SAVED = re.compile(r"^Saved \d\d:\d\d$")


def begin(page: Page) -> None:
    """Go to the study and past its instructions."""
    page.goto(ANNOTATE)
    pass_the_welcome(page)


def pass_the_welcome(page: Page) -> None:
    """To the first text, and until the server knows of it: another tab that asks sooner is welcomed too."""
    with page.expect_response("**/practised/"):
        page.get_by_role("button", name="Begin without practice", exact=True).click()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()


def choose(page: Page, name: str) -> None:
    """Step 1 with one label, given."""
    page.get_by_role("checkbox", name=name, exact=True).check()
    page.get_by_role("button", name="Continue", exact=True).click()


def past_a_double_click(page: Page) -> None:
    """In its first half second a step takes a click on its button for the second one of a double click."""
    page.wait_for_function("came => performance.now() - came > 500", arg=page.evaluate("performance.now()"))


def label(page: Page, name: str) -> None:
    """Step 1 with one label, up to step 2."""
    choose(page, name)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()


def prefer(page: Page, keys: str = "a5") -> None:
    """Step 2, given."""
    page.keyboard.type(keys)
    page.get_by_role("button", name="Submit", exact=True).click()


def chart(page: Page) -> Locator:
    """Both sides of step 2."""
    return page.get_by_role("region", name="Comparison of sides A and B", exact=True)


def text_of(page: Page) -> str:
    """The text alone, without what stands below it to unfold it."""
    return page.get_by_role("region", name="Text", exact=True).locator("[dir]").first.inner_text()


def state(page: Page, words: str | re.Pattern[str]) -> Locator:
    """What the top of the page says about what is saved."""
    whole = re.compile(f"^{re.escape(words)}$") if isinstance(words, str) else words
    return page.locator("header").get_by_role("status").filter(has_text=whole)


def expect_done(page: Page, count: int, of: int | None = None) -> None:
    """So many texts are done, as the top of the page counts them."""
    total = r"\d+" if of is None else of
    expect(page.locator("header").get_by_text(re.compile(rf"^{count} of {total} done\b"))).to_be_visible()


def expect_saved(page: Page, at: datetime) -> None:
    """The page shows this moment, which is the server's own, on the clock of its person (UTC here)."""
    expect(state(page, f"Saved {at:%H:%M}")).to_be_visible()


def expect_waiting(page: Page, count: int) -> None:
    words = "1 answer waiting" if count == 1 else f"{count} answers waiting"
    expect(state(page, f"Not saved yet ({words})")).to_be_visible()


def expect_held(page: Page, text: int) -> None:
    """Step 2 of this text, counted from 1, is still with the server."""
    waits = f"Step 2 of text {text} waits for the connection"
    expect(page.get_by_role("heading", name=waits, exact=True)).to_be_visible()


def cut(page: Page, address: str = "**/api/**") -> None:
    """Lose every request to these addresses. The browser still believes that it is online."""
    page.route(address, lose)


def mend(page: Page, address: str = "**/api/**") -> None:
    """Let the requests through again, and look at the page, as somebody does who has waited."""
    page.unroute(address, lose)
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")


def lose(route: Route) -> None:
    route.abort()
