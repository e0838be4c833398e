"""A study from its title to its opening, in the browser."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Page, Route, expect

from annotations.designing.averaging import all_candidates
from annotations.models import Study, StudyState, User
from tests.browser.conftest import DARK_PHONE, EVERY_LOOK, LAPTOP, Look, OpenPage
from tests.browser.study import PASSWORD, BrowserStudy

SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
STEPS = ("data", "compared", "asked", "amount", "people", "analysis", "check")


@pytest.fixture
def founder(study: BrowserStudy) -> User:
    """Somebody who sees the dataset and may create studies, but runs none yet."""
    study.admin.user_permissions.add(Permission.objects.get(codename="add_study"))
    return study.admin


def draft(founder: User, study: BrowserStudy) -> Study:
    Study.objects.filter(pk=study.study.pk).update(state=StudyState.DRAFT, opened_at=None)
    return study.study


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["laptop", "dark phone"])
def test_a_draft_is_made_and_saved_as_it_is_typed_by_keyboard(
    open_page: OpenPage, study: BrowserStudy, founder: User, look: Look
) -> None:
    page = open_page(founder, look=look)
    page.goto("/")
    page.get_by_role("link", name="Start a study", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Create the draft", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Please enter a title for the study.", exact=True)).to_be_visible()
    page.get_by_label("Title", exact=True).focus()
    page.keyboard.type("Second study")
    page.get_by_role("radio", name="As in the original study", exact=True).check()
    page.get_by_label("Title", exact=True).focus()
    page.keyboard.press("Enter")  # the only dataset is chosen already
    page.wait_for_url("**/design")
    made = Study.objects.get(title="Second study")
    assert (made.state, made.dataset) == (StudyState.DRAFT, study.study.dataset)
    expect(page.get_by_role("heading", level=2, name="Data", exact=True)).to_be_visible()
    for name in ("What is compared", "What experts are asked"):
        page.get_by_role("link", name=f"Next: {name}", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()
    page.get_by_label("Instructions", exact=True).fill("Read *slowly*.")
    page.get_by_label("Title", exact=True).fill("Second study, better")
    expect(page.get_by_role("heading", level=1, name="Second study, better", exact=True)).to_be_visible()
    page.get_by_role("link", name="Next: How much", exact=True).click()
    page.get_by_label("Texts per system", exact=True).fill("2")
    page.get_by_label("Experts per comparison", exact=True).fill("3")
    expect(page.get_by_text(re.compile("12 comparisons, 36")).first).to_be_visible()
    page.get_by_role("link", name="Next: People", exact=True).click()  # what was typed last is not lost
    expect(page.get_by_text(re.compile("0 experts are taking part[.]"))).to_be_visible()
    page.goto(f"/studies/{made.slug}/design/check")
    page.get_by_role("button", name="Create the plan", exact=True).click()
    expect(page.get_by_role("button", name="Create a new plan", exact=True)).to_be_visible()
    assert made.comparisons.count() == 12
    made.refresh_from_db()
    assert (made.title, made.instructions) == ("Second study, better", "Read *slowly*.")
    assert (made.instances_per_system, made.experts_per_comparison) == (2, 3)


def test_what_is_refused_stands_beside_its_field(open_page: OpenPage, study: BrowserStudy, founder: User) -> None:
    draft(founder, study)
    page = open_page(founder)
    page.goto("/studies/areas/design/asked")
    page.get_by_label("First question, about the text", exact=True).fill("")
    page.get_by_label("Consent (optional)", exact=True).focus()
    field = page.get_by_label("First question, about the text", exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
    study.study.refresh_from_db()
    assert study.study.question_labels != ""


def test_two_people_who_edit_one_draft_are_told(open_page: OpenPage, study: BrowserStudy, founder: User) -> None:
    draft(founder, study)
    one, other = open_page(founder), open_page(study.researcher)
    for page in (one, other):
        page.goto("/studies/areas/design/asked")
        expect(page.get_by_label("Title", exact=True)).to_be_visible()
    one.get_by_label("Title", exact=True).fill("Mine")
    expect(one.get_by_role("heading", level=1, name="Mine", exact=True)).to_be_visible()
    other.get_by_label("Title", exact=True).fill("No, mine")
    expect(other.get_by_role("alert")).to_contain_text("Somebody else has changed this draft in the meantime")
    other.get_by_role("button", name="Reload the draft", exact=True).click()
    expect(other.get_by_label("Title", exact=True)).to_have_value("Mine")


def test_the_last_step_opens_the_study_once_and_says_what_follows(
    open_page: OpenPage, study: BrowserStudy, founder: User
) -> None:
    draft(founder, study)
    page = open_page(founder)
    page.goto("/studies/areas")
    page.get_by_role("link", name="Check and open this study", exact=True).click()
    page.get_by_role("button", name="Open the study for experts", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Experts can answer from now on.")
    dialog.get_by_role("button", name="Open the study for experts", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    study.study.refresh_from_db()
    assert study.study.state == StudyState.OPEN


def test_nobody_can_open_a_study_before_the_page_says_what_follows(
    open_page: OpenPage, study: BrowserStudy, founder: User
) -> None:
    draft(founder, study)
    page = open_page(founder)
    held: list[Route] = []
    page.route("**/transition/", lambda route: held.append(route))  # noqa: PLW0108  # it wants a function
    page.goto("/studies/areas/design/check")
    expect(page.get_by_role("region", name="Plan", exact=True)).to_contain_text("24 comparisons")
    opens = page.get_by_role("button", name="Open the study for experts", exact=True)
    expect(opens).to_have_count(0)
    held[0].continue_()
    expect(opens).to_be_visible()
    expect(page.get_by_text("Experts can answer from now on.", exact=True)).to_be_visible()


def test_the_analysis_plan_is_chosen_in_one_place_and_said_in_words(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Callable[[Page], list[str]]
) -> None:
    draft(founder, study)
    page = open_page(founder)
    page.goto("/studies/areas/design/analysis")
    expect(page.get_by_role("radio", name="No analysis plan", exact=True)).to_be_checked()
    page.get_by_role("radio", name="As in the original study", exact=True).check()
    plan = page.get_by_role("region", name="Planned analyses", exact=True)
    expect(plan).to_contain_text("the smallest p that it can give is")
    expect(plan.get_by_role("button", name=re.compile("^Remove “"))).to_have_count(4)
    expect(plan.get_by_text("Permutations", exact=True)).to_be_hidden()  # no parameters unless they are unfolded
    page.reload()
    expect(page.get_by_role("radio", name="As in the original study", exact=True)).to_be_checked()
    plan.get_by_role("button", name=re.compile("^Remove “")).last.click()
    expect(page.get_by_role("radio", name="Your own choice", exact=True)).to_be_checked()
    plan.get_by_text(re.compile("parameters and seed$")).first.click()
    expect(plan.get_by_text("Permutations", exact=True)).to_be_visible()
    assert axe(page) == []


@EVERY_LOOK
def test_no_step_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Callable[[Page], list[str]], look: Look
) -> None:
    draft(founder, study)
    page = open_page(founder, look=look)
    found: dict[str, list[str]] = {}
    for address in ("/studies/new", *(f"/studies/areas/design/{step}" for step in STEPS)):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        if folder := os.environ.get("HLV_PICTURES"):
            page.screenshot(path=Path(folder) / f"{address.split('/')[-1]}-{look.width}.png", full_page=True)
        sideways = page.evaluate(SIDEWAYS)
        found[address] = axe(page) + ([f"scrolls {sideways} pixels sideways"] if sideways > 0 else [])
    assert {address: barriers for address, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["laptop", "dark phone"])
def test_who_may_begin_is_offered_ways_to_and_nobody_else(
    open_page: OpenPage, axe: Callable[[Page], list[str]], transactional_db: None, look: Look
) -> None:
    first = User.objects.create_superuser("first@example.org", PASSWORD)
    page = open_page(first, look=look)
    page.goto("/")
    for way in ("Import a dataset", "Start a study", "Look at the demo"):
        expect(page.get_by_role("heading", name=way, exact=True)).to_be_visible()
    assert axe(page) == []
    page.get_by_role("link", name="Start a study", exact=True).click()
    expect(page.get_by_text("Import data", exact=True)).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_have_count(0)  # no form that cannot be sent
    nobody = open_page(User.objects.create_user("nobody@example.org", PASSWORD), look=look)
    nobody.goto("/")
    expect(nobody.get_by_text(re.compile("You are not part of a study yet[.]"))).to_be_visible()
    expect(nobody.get_by_role("link", name="Start a study", exact=True)).to_have_count(0)


def test_systems_and_the_way_to_draw_are_chosen_by_keyboard_with_what_each_costs(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Callable[[Page], list[str]]
) -> None:
    mine = draft(founder, study)
    names = [system.name for system in all_candidates(mine).systems]
    page = open_page(founder)
    page.goto("/studies/areas/design/compared")
    chosen = page.get_by_role("status").filter(has_text=re.compile("chosen$"))
    expect(chosen).to_have_text(f"{len(names)} of {len(names)} chosen")
    page.get_by_role("button", name="Choose none", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^Choose at least one system[.]"))).to_be_visible()
    page.get_by_label("Find a system", exact=True).fill(names[0])
    page.get_by_role("button", name="Choose all found", exact=True).click()
    expect(chosen).to_have_text(f"1 of {len(names)} chosen")
    expect(page.get_by_text(re.compile("^Saved "))).to_be_visible()
    page.get_by_role("radio", name="In steps of 10%", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.get_by_text(re.compile("points on average")).first).to_be_visible()
    page.get_by_label("Draw labels with a share above", exact=True).fill("5")
    page.get_by_role("radio", name="Draw another text instead", exact=True).check()
    assert axe(page) == []
    page.get_by_role("link", name="Next: What experts are asked", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="What experts are asked", exact=True)).to_be_visible()
    page.get_by_role("link", name="Back: What is compared", exact=True).click()
    expect(page.get_by_role("radio", name="In steps of 10%", exact=True)).to_be_checked()
    expect(chosen).to_have_text(f"1 of {len(names)} chosen")
    mine.refresh_from_db()
    assert (mine.systems, mine.display_step, mine.display_threshold, mine.give_aways) == (
        names[:1],
        0.1,
        0.05,
        "redraw",
    )
