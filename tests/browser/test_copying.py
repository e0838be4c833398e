"""A set-up is used again, as a copy and as a file; and a study is put away and deleted, in the browser."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from django.contrib.auth.models import Permission
from playwright.sync_api import Page, expect

from annotations.models import Study, StudyState
from tests.browser.conftest import DARK_PHONE, OpenPage
from tests.browser.study import BrowserStudy

SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_a_study_is_copied_downloaded_started_from_its_file_put_away_and_deleted(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], tmp_path: Path
) -> None:
    founder = study.admin
    founder.user_permissions.add(Permission.objects.get(codename="add_study"))
    page = open_page(founder)
    page.goto("/studies/areas/design")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download set-up", exact=True).click()
    file = tmp_path / "setup.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["format"] == "hlvstudy-setup"
    page.get_by_label("Title of the copy", exact=True).fill("The copy")
    page.get_by_role("button", name="Copy this study", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/studies/the-copy/design")
    expect(page.get_by_role("heading", level=1, name="The copy", exact=True)).to_be_visible()
    copy = Study.objects.get(slug="the-copy")
    assert (copy.state, copy.instances_per_system) == (StudyState.DRAFT, study.study.instances_per_system)

    page.goto("/studies/the-copy/design/amount")
    picture = page.get_by_role("region", name="Power by number of texts", exact=True)
    expect(picture.locator("svg")).to_be_visible()
    page.goto("/studies/new")
    page.get_by_role("radio", name="A set-up file", exact=True).check()
    page.get_by_role("button", name="Create the draft", exact=True).click()
    expect(page.get_by_text("Please choose a set-up file.", exact=True)).to_be_visible()
    wrong = tmp_path / "wrong.json"
    wrong.write_text(file.read_text().replace('"display_threshold": ', '"display_treshold": '))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("^Set-up file")).click()
    chooser.value.set_files(wrong)
    page.get_by_role("button", name="Create the draft", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("display_treshold")
    assert axe(page) == []
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("^Set-up file")).click()
    chooser.value.set_files(file)
    page.get_by_label("Title", exact=True).fill("From a file")
    page.get_by_role("button", name="Create the draft", exact=True).click()
    page.wait_for_url("**/studies/from-a-file/design")

    page.get_by_role("button", name="Archive this study", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Archive this study", exact=True).click()
    expect(page.get_by_text(re.compile("^This study is archived"))).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", name="From a file", exact=True)).to_have_count(0)
    page.get_by_text("1 archived study", exact=True).click()
    page.get_by_role("link", name="From a file", exact=True).click()
    page.get_by_role("button", name="Restore this study", exact=True).click()
    page.get_by_role("button", name="Delete this study", exact=True).click()
    go = dialog.get_by_role("button", name="Delete permanently", exact=True)
    expect(go).to_be_disabled()
    dialog.get_by_label("To delete the study, type from-a-file", exact=True).fill("from-a-file")
    go.click()
    expect(page.get_by_role("heading", name="The copy", exact=True)).to_be_visible()
    assert not Study.objects.filter(slug="from-a-file").exists()


def test_the_plan_and_the_end_of_the_design_page_are_read_on_a_phone(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    page = open_page(study.admin, look=DARK_PHONE)
    page.goto("/studies/areas/design")
    page.locator("summary", has_text=re.compile("^All comparisons$")).click()
    table = page.get_by_role("region", name="Comparisons in the plan", exact=True)
    expect(table.get_by_role("row")).to_have_count(1 + min(25, study.study.comparisons.count()))
    page.get_by_label("Find a text in the plan", exact=True).fill("there is no such text")
    expect(page.get_by_text("No matches.", exact=True)).to_be_visible()
    page.get_by_label("Find a text in the plan", exact=True).fill("")
    expect(table).to_be_visible()
    expect(page.get_by_role("button", name="Archive this study", exact=True)).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(SIDEWAYS) <= 0
