"""The demo as a newcomer meets it: a role with one click, what to look at in it, and the way into another."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from annotations.models import Event, EventKind
from tests.browser.conftest import (
    IN_EVERY_LOOK,
    PHONE,
    Axe,
    Look,
    OpenPage,
    every_look,
    flaws,
    settled,
    step,
)
from tests.browser.study import BrowserStudy
from tests.browser.test_every_page import superuser

ROLES = {"expert": 4, "researcher": 5, "admin": 5}
"""How many stops each has."""


@pytest.fixture
def demo(study: BrowserStudy, settings: Any) -> BrowserStudy:
    """The study as the demo's: on this machine, with its three people."""
    settings.HLV_DEMO = True
    superuser(study)
    return study


@IN_EVERY_LOOK
def test_each_role_is_one_click_away_and_shows_its_tour(
    open_page: OpenPage, demo: BrowserStudy, axe: Axe, settings: Any, looks: list[Look]
) -> None:
    page = open_page(look=looks[-1])
    tour = page.get_by_role("complementary", name="Tour of the demo", exact=True)
    stops = tour.get_by_role("listitem")
    begin = page.get_by_role("button", name="Begin without practice", exact=True)
    found: dict[str, list[str]] = {}

    def look_at(name: str) -> None:
        settled(page)
        found[name] = flaws(page, axe, *looks)

    page.goto("/")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    look_at("sign-in")
    for role, count in ROLES.items():
        with step(f"the {role}: one click, a tour, and a way into another role"):
            page.get_by_role("button", name=f"Step in as the {role}", exact=True).click()
            expect(tour.get_by_text(f"Demo: you are the {role}.", exact=True)).to_be_visible()
            expect(stops).to_have_count(count)
            look_at(role)
            if role == "expert":
                expect(begin).to_be_visible()
            else:
                tour.get_by_role("link").nth(1).click()
                expect(tour.locator("[aria-current=step]")).to_have_count(1)
                expect(stops).to_have_count(count)
                look_at(f"{role}, first stop")
            tour.get_by_role("link", name="Step into another role", exact=True).click()
            expect(page.get_by_role("button", name="Step in as the expert", exact=True)).to_be_visible()
            look_at("roles")
    assert Event.objects.filter(kind=EventKind.STEPPED_IN).count() == len(ROLES)
    assert {name: here for name, here in found.items() if here} == {}

    with step("an expert's steps have no tour that takes their room"):
        page.get_by_role("button", name="Step in as the expert", exact=True).click()
        begin.click()
        expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        expect(tour).to_have_count(0)
        expect(page.get_by_text(re.compile("^Demo: you are the "))).to_have_count(0)
        page.get_by_role("link", name=demo.study.title, exact=True).click()
    with step("whoever has seen enough hides the tour, and it stays hidden until it is shown"):
        tour.get_by_role("button", name="Hide the tour", exact=True).press("Enter")
        expect(stops).to_have_count(0)
        page.goto("/account")
        show = tour.get_by_role("button", name="Show the tour", exact=True)
        expect(show).to_be_visible()
        expect(stops).to_have_count(0)
        show.press("Enter")
        expect(stops).to_have_count(ROLES["expert"])
    with step("elsewhere there is nothing of it"):
        settings.HLV_DEMO = False
        page = open_page()
        page.goto("/")
        expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Step in"))).to_have_count(0)
        page.goto("/demo")
        expect(page.get_by_role("heading", name="Page not found", exact=True)).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_every_stop_is_there(open_page: OpenPage, demo: BrowserStudy, role: str) -> None:
    """By keyboard, one after the other, as the line on each page leads."""
    page = open_page()
    page.goto("/")
    page.get_by_role("button", name=f"Step in as the {role}", exact=True).press("Enter")
    tour = page.get_by_role("complementary", name="Tour of the demo", exact=True)
    for place in range(ROLES[role]):
        tour.get_by_role("listitem").nth(place).get_by_role("link").press("Enter")
        expect(tour.get_by_role("listitem").nth(place).locator("[aria-current=step]")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Page not found")
        # A page that is still arriving moves the focus to its title, and the next key would be lost.
        settled(page)
        expect(page.get_by_role("alert")).to_have_count(0)


SPOKEN = {
    "de": ("Als Fachperson ansehen", "Rundgang durch die Demo"),
    "ar": ("الدخول في دور الخبرة", "جولة في العرض التجريبي"),
}


@pytest.mark.long
@pytest.mark.parametrize("language", SPOKEN)
def test_it_speaks_the_reader_s_language(open_page: OpenPage, demo: BrowserStudy, axe: Axe, language: str) -> None:
    button, tour = SPOKEN[language]
    page = open_page(language=language, look=PHONE)
    page.goto("/")
    expect(page.get_by_role("button", name=button, exact=True)).to_be_visible()
    settled(page)
    assert flaws(page, axe, *every_look(PHONE)) == []
    page.get_by_role("button", name=button, exact=True).click()
    # A study's own pages speak the study's language, and the tour on them with it: all else speaks the reader's.
    expect(page.get_by_role("complementary", name="Tour of the demo", exact=True)).to_be_visible()
    page.goto("/account")
    expect(page.get_by_role("complementary", name=tour, exact=True)).to_be_visible()
