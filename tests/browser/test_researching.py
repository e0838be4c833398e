"""What researchers and admins do in the browser."""

import csv
import io

from playwright.sync_api import Page, expect

from annotations.models import StudyState
from tests.browser.conftest import OpenPage
from tests.browser.study import PASSWORD, TITLE, BrowserStudy


def test_each_role_signs_in_and_finds_what_is_theirs(open_page: OpenPage, study: BrowserStudy) -> None:
    # Address, the way from the list of studies, what is found there, and the way back to the list.
    ways = [
        (study.expert.user.email, f"Begin: {TITLE}", "Before you begin", TITLE),
        (study.researcher.email, f"View: {TITLE}", TITLE, "HLV Study"),
        (study.admin.email, f"View: {TITLE}", TITLE, "HLV Study"),
    ]
    for email, way, found, back in ways:
        page = open_page()

        def stands(heading: str, page: Page = page) -> None:
            expect(page.get_by_role("heading", level=1, name=heading, exact=True)).to_be_visible()

        page.goto("/")
        page.get_by_label("E-mail address", exact=True).fill(email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        if email == study.expert.user.email:  # who answers one study only is led straight there
            stands(found)
            page.get_by_role("link", name=back, exact=True).click()
        stands("My studies")
        page.get_by_role("link", name=way, exact=True).click()
        stands(found)
        page.get_by_role("link", name=back, exact=True).click()
        stands("My studies")
        page.get_by_role("button", name="Sign out", exact=True).click()
        stands("Sign in")


def test_a_wrong_password_is_refused_in_plain_words(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page()
    page.goto("/login")
    page.get_by_label("E-mail address", exact=True).fill(study.admin.email)
    page.get_by_label("Password", exact=True).fill("not the password")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The e-mail address or the password is wrong.")


def test_an_expert_cannot_open_the_researchers_pages(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    for address in ("/studies/areas", "/studies/areas/people", "/studies/areas/history", "/studies/areas/results"):
        page.goto(address)
        expect(page.get_by_role("alert").first).to_be_visible()
        assert not any(word in page.content() for word in study.sources)


def test_the_design_shows_the_plan_and_says_that_the_data_are_simulated(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas/design")
    expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()
    expect(page.get_by_text("Simulated data", exact=True).first).to_be_visible()
    table = page.get_by_role("region", name="Texts and answers per system", exact=True)
    expect(table.get_by_role("row")).to_have_count(1 + study.study.dataset.systems.count())
    expect(page.get_by_role("button", name="Pause", exact=True)).to_have_count(0)


def test_an_admin_pauses_a_study_after_being_told_what_follows(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.admin)
    page.goto("/studies/areas")
    page.get_by_role("button", name="Pause", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing is lost")
    dialog.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Open the study for experts", exact=True)).to_be_visible()
    study.study.refresh_from_db()
    assert study.study.state == StudyState.PAUSED
    page.goto("/studies/areas/history")
    expect(page.get_by_text("Ada Admin paused the study.", exact=True)).to_be_visible()


def test_an_export_is_asked_for_and_the_log_that_says_so_can_be_downloaded(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas/export")
    page.get_by_role("button", name="Create the file", exact=True).click()
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()  # that it is taken: test_exporting.py
    page.goto("/studies/areas/history")
    with page.expect_download() as log:
        page.get_by_role("link", name="Download all as CSV", exact=True).click()
    rows = list(csv.DictReader(io.StringIO(log.value.path().read_text(encoding="utf-8-sig"))))
    assert "exported" in {value for row in rows for value in row.values()}
