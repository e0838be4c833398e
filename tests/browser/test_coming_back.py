"""Whoever has one study to answer is led straight there, and no other page shows on the way."""

from playwright.sync_api import expect

from tests.browser.answering import pass_the_welcome, text_of
from tests.browser.conftest import OpenPage, step
from tests.browser.study import PASSWORD, TITLE, BrowserStudy
from tests.worlds.studies import make_expert, make_study, plan_and_open

# Every heading that was on the page, however shortly.
HEADINGS = """
    window.headings = [];
    new MutationObserver(() => {
        const heading = document.querySelector("h1")?.textContent;
        if (heading && heading !== window.headings.at(-1)) window.headings.push(heading);
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""


def test_an_expert_is_led_to_what_they_answer_on_any_device_and_chooses_among_studies(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page()
    page.add_init_script(HEADINGS)
    welcome = page.get_by_role("heading", name="Before you begin", exact=True)
    mine = page.get_by_role("heading", name="My studies", exact=True)
    with step("on the way to the only study no other page shows, after signing in"):
        page.goto("/")
        page.get_by_label("E-mail address", exact=True).fill(study.expert.user.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(welcome).to_be_visible()
        assert page.evaluate("() => window.headings") == ["Sign in", "Before you begin"]
    with step("nor for who is signed in"):
        page.goto("/")
        expect(welcome).to_be_visible()
        assert page.evaluate("() => window.headings") == ["Before you begin"]
    with step("a page is gone as soon as the address is another"):
        page.get_by_role("link", name=TITLE, exact=True).click()
        expect(mine).to_be_visible()
        after_the_click = page.get_by_role("link", name=f"Begin: {TITLE}", exact=True).evaluate(
            """async (link) => {
                link.click();
                await null;
                return [location.pathname, document.querySelector("h1")?.textContent ?? "no heading"];
            }"""
        )
        assert after_the_click == ["/studies/areas/annotate", "no heading"]
        expect(welcome).to_be_visible()
    with step("a later visit leads straight to the next text, on any device"):
        pass_the_welcome(page)
        other = open_page(study.expert.user)
        other.goto("/")
        expect(other.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        assert text_of(other) == text_of(page)
    with step("who takes part in two studies chooses"):
        second = make_study(dataset=study.study.dataset, slug="second", title="A second study", instances_per_system=2)
        make_expert(second, study.expert.user.email)
        plan_and_open(second)
        page.goto("/")
        expect(page.get_by_role("link", name=second.title, exact=True)).to_be_visible()
        expect(page.get_by_role("link", name=TITLE, exact=True)).to_be_visible()
