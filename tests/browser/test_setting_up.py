"""A study from its title to its opening, in the browser."""

import os
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Page, Route, expect

from annotations.designing.averaging import all_candidates
from annotations.models import Study, StudyState, User
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Axe, Look, OpenPage, settled, step, too_wide, wear
from tests.browser.study import PASSWORD, BrowserStudy

STEPS = ("data", "compared", "asked", "amount", "people", "analysis", "check")
DARK = Look(LAPTOP.width, LAPTOP.height, "dark")


@pytest.fixture
def founder(study: BrowserStudy) -> User:
    """Somebody who sees the dataset and may create studies, but runs none yet."""
    study.admin.user_permissions.add(Permission.objects.get(codename="add_study"))
    return study.admin


def draft(study: BrowserStudy) -> Study:
    Study.objects.filter(pk=study.study.pk).update(state=StudyState.DRAFT, opened_at=None)
    return study.study


def stands(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()


def test_a_draft_is_made_by_keyboard_and_saved_as_it_is_typed(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Axe
) -> None:
    page = open_page(founder, look=DARK_PHONE)
    title = page.get_by_label("Title", exact=True)
    with step("a study without a title is refused"):
        page.goto("/")
        page.get_by_role("link", name="Start a study", exact=True).press("Enter")
        page.get_by_role("button", name="Create the draft", exact=True).press("Enter")
        expect(title).to_have_attribute("aria-invalid", "true")
        assert axe(page) == []
    with step("with one it is a draft of the only dataset"):
        title.focus()
        page.keyboard.type("Second study")
        page.get_by_role("radio", name="As in the original study", exact=True).check()
        title.press("Enter")
        page.wait_for_url("**/design")
        made = Study.objects.get(title="Second study")
        assert (made.state, made.dataset) == (StudyState.DRAFT, study.study.dataset)
        stands(page, "Data")
        assert axe(page) == []
    for name in ("What is compared", "What experts are asked"):
        with step(f"the keyboard leads on to: {name}"):
            page.get_by_role("link", name=f"Next: {name}", exact=True).press("Enter")
            stands(page, name)
            settled(page)
            assert axe(page) == []
            assert too_wide(page) == 0
    with step("what is typed is saved, also what was typed last"):
        page.get_by_label("Instructions", exact=True).fill("Read *slowly*.")
        title.fill("Second study, better")
        expect(page.get_by_role("heading", level=1, name="Second study, better", exact=True)).to_be_visible()
        page.get_by_role("link", name="Next: How much", exact=True).click()
        page.get_by_label("Texts per system", exact=True).fill("2")
        page.get_by_label("Experts per comparison", exact=True).fill("3")
        expect(page.get_by_text(re.compile(r"\b12\b.*\b36\b")).first).to_be_visible()
        assert axe(page) == []
        page.get_by_role("link", name="Next: People", exact=True).click()
        expect(page.get_by_text(re.compile("^0 experts"))).to_be_visible()
        assert axe(page) == []
    with step("the plan is made from it"):
        page.goto(f"/studies/{made.slug}/design/check")
        page.get_by_role("button", name="Create the plan", exact=True).click()
        expect(page.get_by_role("button", name="Create a new plan", exact=True)).to_be_visible()
        assert axe(page) == []
        assert made.comparisons.count() == 12
        made.refresh_from_db()
        assert (made.title, made.instructions) == ("Second study, better", "Read *slowly*.")
        assert (made.instances_per_system, made.experts_per_comparison) == (2, 3)


def test_two_people_edit_one_draft(open_page: OpenPage, study: BrowserStudy, founder: User) -> None:
    draft(study)
    mine, other = open_page(founder), open_page(study.researcher)
    for page in (mine, other):
        page.goto("/studies/areas/design/asked")
        expect(page.get_by_label("Title", exact=True)).to_be_visible()
    with step("what is refused stands beside its field, and is not stored"):
        field = mine.get_by_label(re.compile("^First question"))
        kept = field.input_value()
        field.fill("")
        mine.get_by_label("Consent (optional)", exact=True).focus()
        expect(field).to_have_attribute("aria-invalid", "true")
        study.study.refresh_from_db()
        assert study.study.question_labels != ""
        field.fill(kept)
        expect(field).not_to_have_attribute("aria-invalid", "true")
    with step("who was overtaken is told, and overwrites nothing"):
        mine.get_by_label("Title", exact=True).fill("Mine")
        expect(mine.get_by_role("heading", level=1, name="Mine", exact=True)).to_be_visible()
        other.get_by_label("Title", exact=True).fill("No, mine")
        reload = other.get_by_role("alert").get_by_role("button")
        expect(reload).to_be_visible()
        study.study.refresh_from_db()
        assert study.study.title == "Mine"
        reload.click()
        expect(other.get_by_label("Title", exact=True)).to_have_value("Mine")


def test_systems_and_the_way_to_draw_are_chosen_by_keyboard_with_what_each_costs(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Axe
) -> None:
    mine = draft(study)
    names = [system.name for system in all_candidates(mine).systems]
    page = open_page(founder)
    chosen = page.get_by_role("status").filter(has_text=re.compile("chosen$"))
    in_tenths = page.get_by_role("radio", name="In steps of 10%", exact=True)
    with step("systems are chosen, at least one"):
        page.goto("/studies/areas/design/compared")
        expect(chosen).to_have_text(f"{len(names)} of {len(names)} chosen")
        page.get_by_role("button", name="Choose none", exact=True).press("Enter")
        expect(page.get_by_text(re.compile("at least one"))).to_be_visible()
        page.get_by_label("Find a system", exact=True).fill(names[0])
        page.get_by_role("button", name="Choose all found", exact=True).click()
        expect(chosen).to_have_text(f"1 of {len(names)} chosen")
        expect(page.get_by_text(re.compile("^Saved "))).to_be_visible()
    with step("the way to draw is chosen, and what it costs is said"):
        held: list[Route] = []
        on_its_way = True

        def hold(route: Route) -> None:
            if on_its_way and route.request.method == "PATCH":
                held.append(route)
            else:
                route.continue_()

        page.route("**/api/v1/studies/areas/", hold)
        in_tenths.press("Space")
        expect(page.get_by_text(re.compile("points on average")).first).to_be_visible()
        page.get_by_label("Draw labels with a share above", exact=True).fill("5")
        page.get_by_role("radio", name="Draw another text instead", exact=True).check()
        assert axe(page) == []
    with step("it is all there after going on and back, while it is being saved and afterwards"):
        for _ in range(2):
            page.get_by_role("link", name="Next: What experts are asked", exact=True).click()
            stands(page, "What experts are asked")
            page.get_by_role("link", name="Back: What is compared", exact=True).click()
            expect(in_tenths).to_be_checked()
            expect(chosen).to_have_text(f"1 of {len(names)} chosen")
            on_its_way = False
            while held:
                held.pop().continue_()
            expect(page.get_by_text(re.compile("^Saved "))).to_be_visible()
        mine.refresh_from_db()
        assert mine.systems == names[:1]
        assert (mine.display_step, mine.display_threshold, mine.give_aways) == (0.1, 0.05, "redraw")


def test_analyses_are_planned_and_the_study_is_opened_once(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Axe
) -> None:
    draft(study)
    page = open_page(founder)
    plan = page.get_by_role("region", name="Planned analyses", exact=True)
    remove = plan.get_by_role("button", name=re.compile("^Remove “"))
    original = page.get_by_role("radio", name="As in the original study", exact=True)
    with step("an analysis is added to the plan from its settings"):
        page.goto("/studies/areas/results?ask=preference_correlation")
        page.get_by_role("button", name="Add to the analysis plan", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="1")).to_be_visible()
        page.goto("/studies/areas/design/analysis")
        expect(plan).to_contain_text("Preference correlation")
        expect(remove).to_have_count(1)
        remove.click()
        expect(page.get_by_role("radio", name="No analysis plan", exact=True)).to_be_checked()
    with step("or all of the original study's are, with what they can find"):
        original.check()
        expect(plan).to_contain_text(re.compile(r"\bp\b.* [.]\d"))
        expect(remove).to_have_count(4)
        page.reload()
        expect(original).to_be_checked()
    with step("fewer are a choice of one's own; parameters are unfolded"):
        expect(plan.get_by_text("Permutations", exact=True)).to_be_hidden()
        remove.last.click()
        expect(page.get_by_role("radio", name="Your own choice", exact=True)).to_be_checked()
        plan.locator("summary").first.click()
        expect(plan.get_by_text("Permutations", exact=True)).to_be_visible()
        assert axe(page) == []
    opening = page.get_by_role("button", name="Open the study for experts", exact=True)
    with step("nobody can open the study before the page says what follows"):
        held: list[Route] = []
        page.route("**/transition/", lambda route: held.append(route))  # noqa: PLW0108  # it wants a function
        page.goto("/studies/areas/design/check")
        comparisons = str(study.study.comparisons.count())
        expect(page.get_by_role("region", name="Plan", exact=True)).to_contain_text(comparisons)
        expect(opening).to_have_count(0)
        held[0].continue_()
        expect(opening).to_be_visible()
        expect(page.get_by_text(re.compile("from now on"))).to_be_visible()
        page.unroute("**/transition/")
    with step("the last step opens it, after a question"):
        page.goto("/studies/areas")
        page.get_by_role("link", name="Check and open this study", exact=True).click()
        opening.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("from now on")
        dialog.get_by_role("button", name="Open the study for experts", exact=True).click()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        study.study.refresh_from_db()
        assert study.study.state == StudyState.OPEN
    with step("from then on the plan is fixed"):
        page.goto("/studies/areas/design/analysis")
        expect(page.get_by_text(re.compile("^Fixed when"))).to_be_visible()
        expect(remove).to_have_count(0)
        page.goto("/studies/areas/results?ask=preference_correlation")
        expect(page.get_by_role("button", name="Run analysis", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Add to the analysis plan", exact=True)).to_have_count(0)


def test_who_may_begin_is_offered_ways_to_and_nobody_else(
    open_page: OpenPage, axe: Axe, transactional_db: None
) -> None:
    page = open_page(User.objects.create_superuser("first@example.org", PASSWORD), look=DARK_PHONE)
    with step("whoever runs the server is offered all ways to begin"):
        page.goto("/")
        for way in ("Import a dataset", "Start a study", "Look at the demo"):
            expect(page.get_by_role("heading", name=way, exact=True)).to_be_visible()
        assert axe(page) == []
    with step("without data there is no form that cannot be sent"):
        page.get_by_role("link", name=re.compile("^Start ")).click()
        expect(page.get_by_text("Import data", exact=True)).to_be_visible()
        expect(page.get_by_label("Title", exact=True)).to_have_count(0)
    with step("who may not begin is offered no way to"):
        nobody = open_page(User.objects.create_user("nobody@example.org", PASSWORD))
        nobody.goto("/")
        expect(nobody.get_by_text(re.compile("not part of a study"))).to_be_visible()
        expect(nobody.get_by_role("link", name=re.compile("^Start "))).to_have_count(0)


@pytest.mark.long
def test_no_step_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, founder: User, axe: Axe
) -> None:
    draft(study)
    page = open_page(founder)
    barriers: dict[str, list[str]] = {}
    for address in ("/studies/new", *(f"/studies/areas/design/{name}" for name in STEPS)):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        settled(page)
        for look in (LAPTOP, DARK, PHONE, DARK_PHONE):
            wear(page, look)
            if folder := os.environ.get("HLV_PICTURES"):
                page.screenshot(path=Path(folder) / f"{address.split('/')[-1]}-{look.width}.png", full_page=True)
            at = f"{address}, {look.scheme}, {look.width} pixels wide"
            barriers[at] = axe(page) + ([f"scrolls {too_wide(page)} pixels sideways"] if too_wide(page) > 0 else [])
    assert {at: some for at, some in barriers.items() if some} == {}
