"""The demo as a newcomer meets it: a role with one click, what to look at in it, and the way into another."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Event, EventKind
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy

SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
ROLES = {"expert": 4, "researcher": 5, "admin": 5}
"""How many stops each has."""


@pytest.fixture
def demo(study: BrowserStudy, settings: Any) -> BrowserStudy:
    """The study as the demo's: on this machine, with its three people."""
    settings.HLV_DEMO = True
    study.admin.is_superuser = True
    study.admin.save()
    return study


def picture(page: Page, name: str, look: Look) -> None:
    """For who wants to look at it: HLV_LOOK names the folder."""
    if folder := os.environ.get("HLV_LOOK"):
        page.screenshot(path=Path(folder) / f"{name}-{look.width}-{look.scheme}.png", full_page=True)


def looked_at(page: Page, name: str, look: Look, axe: Callable[[Page], list[str]]) -> None:
    page.wait_for_load_state("networkidle")
    picture(page, name, look)
    assert axe(page) == [], name
    assert page.evaluate(SIDEWAYS) == 0, name


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE, PHONE, Look(1280, 900, "dark")], ids=str)
def test_each_role_is_one_click_away_and_shows_its_tour(
    open_page: OpenPage, demo: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    page = open_page(look=look)
    page.goto("/")
    expect(page.get_by_role("heading", name="Step into a role", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    looked_at(page, "sign-in", look, axe)
    for role, stops in ROLES.items():
        page.get_by_role("button", name=f"Step in as the {role}", exact=True).click()
        tour = page.get_by_role("complementary", name="Tour of the demo", exact=True)
        expect(tour.get_by_text(f"Demo: you are the {role}.", exact=True)).to_be_visible()
        expect(tour.get_by_role("listitem")).to_have_count(stops)
        looked_at(page, role, look, axe)
        if role == "expert":
            expect(page.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
        else:
            tour.get_by_role("link").nth(1).click()
            expect(tour.locator("[aria-current=step]")).to_have_count(1)
            expect(tour.get_by_role("listitem")).to_have_count(stops)
            looked_at(page, f"{role}-first-stop", look, axe)
        tour.get_by_role("link", name="Step into another role", exact=True).click()
        expect(page.get_by_role("heading", name="Step into a role", exact=True)).to_be_visible()
        looked_at(page, "roles", look, axe)
    assert Event.objects.filter(kind=EventKind.STEPPED_IN).count() == len(ROLES)


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
        expect(page.get_by_text("Loading…", exact=True)).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_count(0)


def test_the_experts_steps_have_no_tour_that_takes_their_room(open_page: OpenPage, demo: BrowserStudy) -> None:
    page = open_page(look=Look(1366, 657))
    page.goto("/")
    page.get_by_role("button", name="Step in as the expert", exact=True).click()
    page.get_by_role("button", name="Begin without practice", exact=True).click()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect(page.get_by_role("complementary", name="Tour of the demo", exact=True)).to_have_count(0)
    expect(page.get_by_text(re.compile("^Demo: you are the "))).to_have_count(0)
    page.get_by_role("link", name=demo.study.title, exact=True).click()
    expect(page.get_by_role("link", name="Step into another role", exact=True)).to_be_visible()


def test_whoever_has_seen_enough_hides_the_tour_and_it_stays_hidden(open_page: OpenPage, demo: BrowserStudy) -> None:
    page = open_page()
    page.goto("/")
    page.get_by_role("button", name="Step in as the researcher", exact=True).click()
    tour = page.get_by_role("complementary", name="Tour of the demo", exact=True)
    tour.get_by_role("button", name="Hide the tour", exact=True).press("Enter")
    expect(tour.get_by_role("listitem")).to_have_count(0)
    page.goto("/datasets")
    expect(tour.get_by_role("button", name="Show the tour", exact=True)).to_be_visible()
    expect(tour.get_by_role("listitem")).to_have_count(0)
    tour.get_by_role("button", name="Show the tour", exact=True).press("Enter")
    expect(tour.get_by_role("listitem")).to_have_count(ROLES["researcher"])


SPOKEN = {
    "de": ("Als Fachperson ansehen", "Rundgang durch die Demo"),
    "ar": ("الدخول في دور الخبرة", "جولة في العرض التجريبي"),
}


@pytest.mark.parametrize("language", SPOKEN)
def test_it_speaks_the_reader_s_language(
    open_page: OpenPage, demo: BrowserStudy, axe: Callable[[Page], list[str]], language: str
) -> None:
    button, tour = SPOKEN[language]
    page = open_page(language=language, look=PHONE)
    page.goto("/")
    expect(page.get_by_role("button", name=button, exact=True)).to_be_visible()
    looked_at(page, f"sign-in-{language}", PHONE, axe)
    page.get_by_role("button", name=button, exact=True).click()
    # A study's own pages speak the study's language, and the tour on them with it: all else speaks the reader's.
    expect(page.get_by_role("complementary", name="Tour of the demo", exact=True)).to_be_visible()
    page.goto("/account")
    expect(page.get_by_role("complementary", name=tour, exact=True)).to_be_visible()


def test_elsewhere_there_is_nothing_of_it(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page()
    page.goto("/")
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Step in"))).to_have_count(0)
    page.goto("/demo")
    expect(page.get_by_role("heading", name="Page not found", exact=True)).to_be_visible()
