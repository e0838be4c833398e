"""What researchers and admins do in the browser."""

import csv
import io

from playwright.sync_api import expect

from annotations.models import EventKind, StudyState
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, step, too_wide
from tests.browser.study import PASSWORD, TITLE, BrowserStudy


def test_each_role_signs_in_and_finds_what_is_theirs(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page()

    def stands(heading: str) -> None:
        expect(page.get_by_role("heading", level=1, name=heading, exact=True)).to_be_visible()

    def sign_in(email: str, password: str) -> None:
        page.get_by_label("E-mail address", exact=True).fill(email)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_role("button", name="Sign in", exact=True).click()

    with step("a wrong password is refused"):
        page.goto("/")
        sign_in(study.admin.email, "not the password")
        expect(page.get_by_role("alert")).to_be_visible()
        stands("Sign in")
    # Address, the way from the list of studies, what is found there, and the way back to the list.
    ways = [
        (study.expert.user.email, f"Begin: {TITLE}", "Before you begin", TITLE),
        (study.researcher.email, f"View: {TITLE}", TITLE, "HLV Study"),
        (study.admin.email, f"View: {TITLE}", TITLE, "HLV Study"),
    ]
    for email, way, there, back in ways:
        with step(f"{email} signs in, finds the study, and signs out"):
            sign_in(email, PASSWORD)
            if email == study.expert.user.email:  # who answers one study only is led straight there
                stands(there)
                page.get_by_role("link", name=back, exact=True).click()
            stands("My studies")
            page.get_by_role("link", name=way, exact=True).click()
            stands(there)
            page.get_by_role("link", name=back, exact=True).click()
            stands("My studies")
            page.get_by_role("button", name="Sign out", exact=True).click()
            stands("Sign in")


def test_a_study_is_read_paused_and_its_history_taken(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    page = open_page(study.researcher)
    with step("the design shows the plan, says that the data are simulated, and offers a researcher nothing to change"):
        page.goto("/studies/areas/design")
        expect(page.get_by_role("heading", level=1, name=TITLE, exact=True)).to_be_visible()
        expect(page.get_by_text("Simulated data", exact=True).first).to_be_visible()
        table = page.get_by_role("region", name="Texts and answers per system", exact=True)
        expect(table.get_by_role("row")).to_have_count(1 + study.study.dataset.systems.count())
        expect(page.get_by_role("button", name="Pause", exact=True)).to_have_count(0)

    page = open_page(study.admin, look=DARK_PHONE)
    with step("an admin pauses the study after being told what follows"):
        page.goto("/studies/areas")
        page.get_by_role("button", name="Pause", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Nothing is lost")
        dialog.get_by_role("button", name="Pause", exact=True).click()
        expect(page.get_by_role("button", name="Open the study for experts", exact=True)).to_be_visible()
        study.study.refresh_from_db()
        assert study.study.state == StudyState.PAUSED
    with step("the history tells who did what, and can be narrowed"):
        page.get_by_role("link", name="History", exact=True).click()
        told = page.get_by_role("listitem").filter(has_text="Ada Admin")
        planned = told.filter(has_text=str(study.study.comparisons.count()))
        expect(planned).to_be_visible()
        page.get_by_label("What was done", exact=True).select_option(EventKind.STATE_CHANGED)
        expect(planned).to_have_count(0)
        expect(told.first).to_be_visible()
        page.get_by_label("Up to", exact=True).fill("2001-01-01")
        expect(told).to_have_count(0)
        page.get_by_role("button", name="Show everything", exact=True).click()
        expect(planned).to_be_visible()
        page.get_by_text("Details", exact=True).first.click()
        assert axe(page) == []
        assert too_wide(page) == 0
    with step("the whole log is taken as a table"):
        with page.expect_download() as log:
            page.get_by_role("link", name="Download all as CSV", exact=True).click()
        rows = list(csv.DictReader(io.StringIO(log.value.path().read_text(encoding="utf-8-sig"))))
        assert EventKind.STATE_CHANGED in {value for row in rows for value in row.values()}
