"""A set-up is used again, as a copy and as a file; and a study is put away and deleted, in the browser."""

import json
import re
from pathlib import Path

from django.contrib.auth.models import Permission
from playwright.sync_api import Page, expect

from annotations.models import Study, StudyState
from tests.browser.conftest import WORKER_TIME, Axe, OpenPage, step
from tests.browser.study import BrowserStudy


def give(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("^Set-up file")).click()
    chooser.value.set_files(file)


def test_a_study_is_copied_downloaded_started_from_its_file_put_away_and_deleted(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, tmp_path: Path
) -> None:
    founder = study.admin
    founder.user_permissions.add(Permission.objects.get(codename="add_study"))
    page = open_page(founder)
    file = tmp_path / "setup.json"
    with step("the set-up is downloaded"):
        page.goto("/studies/areas/design")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download set-up", exact=True).click()
        download.value.save_as(file)
        assert json.loads(file.read_text())["format"] == "hlvstudy-setup"
    with step("a copy is a draft with the same set-up"):
        page.get_by_label("Title of the copy", exact=True).fill("The copy")
        page.get_by_role("button", name="Copy this study", exact=True).press("Enter")
        page.wait_for_url("**/studies/the-copy/design")
        expect(page.get_by_role("heading", level=1, name="The copy", exact=True)).to_be_visible()
        copy = Study.objects.get(slug="the-copy")
        assert (copy.state, copy.instances_per_system) == (StudyState.DRAFT, study.study.instances_per_system)
    with step("a draft shows its power"):
        page.goto("/studies/the-copy/design/amount")
        picture = page.get_by_role("region", name="Power by number of texts", exact=True)
        expect(picture.locator("svg")).to_be_visible(timeout=WORKER_TIME)
    create = page.get_by_role("button", name="Create the draft", exact=True)
    with step("a file that is missing or wrong is refused, with the field that is wrong"):
        page.goto("/studies/new")
        page.get_by_role("radio", name="A set-up file", exact=True).check()
        create.click()
        expect(page.get_by_role("button", name=re.compile("^Set-up file"))).to_have_attribute("aria-invalid", "true")
        wrong = tmp_path / "wrong.json"
        wrong.write_text(file.read_text().replace('"display_threshold": ', '"display_treshold": '))
        give(page, wrong)
        create.click()
        expect(page.get_by_role("alert")).to_contain_text("display_treshold")
        assert axe(page) == []
    with step("a study is started from the file"):
        give(page, file)
        page.get_by_label("Title", exact=True).fill("From a file")
        create.click()
        page.wait_for_url("**/studies/from-a-file/design")
    mine = Study.objects.filter(slug="from-a-file")
    dialog = page.get_by_role("dialog")
    with step("it is put away, after a question"):
        page.get_by_role("button", name="Archive this study", exact=True).click()
        dialog.get_by_role("button", name="Archive this study", exact=True).click()
        restore = page.get_by_role("button", name="Restore this study", exact=True)
        expect(restore).to_be_visible()
        assert mine.get().archived_at
    with step("it is found among the archived ones, and taken back"):
        page.goto("/")
        expect(page.get_by_role("heading", name="From a file", exact=True)).to_have_count(0)
        page.get_by_text("1 archived study", exact=True).click()
        page.get_by_role("link", name="From a file", exact=True).click()
        restore.click()
        expect(restore).to_have_count(0)
        assert not mine.get().archived_at
    with step("it is deleted only by somebody who typed its name"):
        page.get_by_role("button", name="Delete this study", exact=True).click()
        go = dialog.get_by_role("button", name="Delete permanently", exact=True)
        expect(go).to_be_disabled()
        dialog.get_by_role("textbox").fill("from-a-file")
        go.click()
        expect(page.get_by_role("heading", name="The copy", exact=True)).to_be_visible()
        assert not mine.exists()
