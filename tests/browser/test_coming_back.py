"""Whoever has one study to answer is led straight there, and no other page shows on the way."""

from playwright.sync_api import expect

from tests.browser.answering import pass_the_welcome
from tests.browser.conftest import OpenPage
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


def test_on_the_way_to_the_only_study_no_other_page_shows(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page()
    page.add_init_script(HEADINGS)
    welcome = page.get_by_role("heading", name="Before you begin", exact=True)
    page.goto("/")
    page.get_by_label("E-mail address", exact=True).fill(study.expert.user.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(welcome).to_be_visible()
    assert page.evaluate("() => window.headings") == ["Sign in", "Before you begin"]
    page.goto("/")
    expect(welcome).to_be_visible()
    assert page.evaluate("() => window.headings") == ["Before you begin"]


def test_a_page_is_gone_as_soon_as_the_address_is_another(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    page.goto("/")
    page.get_by_role("link", name=TITLE, exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    after_the_click = page.get_by_role("link", name=f"Begin: {TITLE}", exact=True).evaluate(
        """async (link) => {
            link.click();
            await null;
            return [location.pathname, document.querySelector("h1")?.textContent ?? "no heading"];
        }"""
    )
    assert after_the_click == ["/studies/areas/annotate", "no heading"]
    expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()


def test_a_later_visit_leads_straight_to_the_next_text_on_any_device(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    page.goto("/")
    pass_the_welcome(page)
    text = page.get_by_role("region", name="Text", exact=True).inner_text()
    other = open_page()
    other.goto("/")
    other.get_by_label("E-mail address", exact=True).fill(study.expert.user.email)
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Sign in", exact=True).click()
    expect(other.get_by_role("region", name="Text", exact=True)).to_have_text(text)
    # The way to the list stays open.
    other.get_by_role("link", name=TITLE, exact=True).click()
    expect(other.get_by_role("heading", name="My studies", exact=True)).to_be_visible()


def test_who_takes_part_in_two_studies_chooses(open_page: OpenPage, study: BrowserStudy) -> None:
    other = make_study(dataset=study.study.dataset, slug="second", title="A second study", instances_per_system=2)
    make_expert(other, study.expert.user.email)
    plan_and_open(other)
    page = open_page(study.expert.user)
    page.goto("/")
    expect(page.get_by_role("link", name="A second study", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=TITLE, exact=True)).to_be_visible()
