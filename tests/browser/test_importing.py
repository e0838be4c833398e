"""Bring data in through the browser: check, mend, import."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import Dataset, User
from tests.browser.conftest import PHONE, WORKER_TIME, OpenPage, step, too_wide, wear, work_off
from tests.browser.study import PASSWORD
from tests.conftest import ROOT


@pytest.fixture
def importer(transactional_db: None) -> User:
    return User.objects.create_superuser("root@example.org", PASSWORD)


def give(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(file)


def check(page: Page) -> None:
    page.get_by_role("button", name="Check the files", exact=True).click()


def goes_on(page: Page, slug: str) -> Locator:
    """Where somebody goes on who has imported this dataset."""
    return page.get_by_role("main").locator(f"a[href='/datasets/{slug}/import']")


@pytest.mark.usefixtures("celery_worker_process")
def test_a_dataset_is_checked_mended_and_imported_by_a_worker(
    open_page: OpenPage, importer: User, tmp_path: Path
) -> None:
    page = open_page(importer)
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    rows = ["instance,text,label,probability", "1,One.,yes,0.75", "1,One.,no,0.25", "2,Two.,yes,0.5"]
    bad.write_text("\n".join([*rows, "2,Two.,no,1.5"]) + "\n")
    good.write_text("\n".join([*rows, "2,Two.,no,0.5"]) + "\n")
    with step("what is wrong is named with its file and its value, and cannot be imported"):
        page.goto("/imports")
        page.get_by_label("Short name", exact=True).fill("two-texts")
        give(page, bad)
        check(page)
        problem = page.get_by_role("row").filter(has_text="bad.csv")
        expect(problem).to_contain_text("1.5", timeout=WORKER_TIME)
        expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    with step("the mended file is imported"):
        give(page, good)
        check(page)
        page.get_by_role("button", name="Import", exact=True).click(timeout=WORKER_TIME)
        expect(goes_on(page, "two-texts")).to_be_visible(timeout=WORKER_TIME)
        assert Dataset.objects.get(slug="two-texts").instances.count() == 2


def test_choices_about_a_file_are_made_and_mended_under_the_same_name(
    open_page: OpenPage, importer: User, tmp_path: Path
) -> None:
    page = open_page(importer)
    importing = page.get_by_role("button", name="Import", exact=True)
    names = page.get_by_label("New names for labels (optional)", exact=True)
    with step("a label without a new name is refused beside its field"):
        page.goto("/imports")
        page.get_by_label("Short name", exact=True).fill("from-label-studio")
        names.fill("yes=urgent\nno\nunsure=later")
        give(page, ROOT / "tests" / "fixtures" / "tools" / "label_studio" / "export.json")
        check(page)
        expect(names).to_have_attribute("aria-invalid", "true")
    with step("what a tool's export leaves open is asked for"):
        names.fill("yes=urgent\nno=later\nunsure=later")
        check(page)
        work_off()
        expect(page.get_by_role("row").filter(has_text="export.json")).to_contain_text("3 criteria")
        expect(importing).to_have_count(0)
        page.get_by_role("button", name="Show the options for Label Studio", exact=True).click()
        page.get_by_label("Criterion", exact=True).fill("urgent")
        check(page)
        work_off()
        expect(importing).to_be_visible()
    with step("what was left out and what was renamed is said before anything is stored"):
        expect(page.get_by_role("listitem").filter(has_text=re.compile(r"\b3\b.* skipped"))).to_be_visible()
        expect(
            page.get_by_role("listitem").filter(has_text=re.compile("'urgent'.*'yes'.*'later'.*'no', 'unsure'"))
        ).to_be_visible()
        assert not Dataset.objects.filter(slug="from-label-studio").exists()
        wear(page, PHONE)
        assert too_wide(page) <= 0
    with step("the labels have their new names"):
        importing.click()
        work_off()
        expect(goes_on(page, "from-label-studio")).to_be_visible()
        labels = Dataset.objects.get(slug="from-label-studio").labels
        assert list(labels.values_list("name", flat=True)) == ["urgent", "later"]

    file = tmp_path / "scale.csv"
    file.write_text("instance,annotator,label\n" + "".join(f"{n},ann,{n}\n" for n in (1, 2, 3, 7, 10)))
    with step("numbers as labels look like a scale, and the page says how to say so"):
        page.goto("/imports")
        page.get_by_label("Short name", exact=True).fill("scale")
        give(page, file)
        check(page)
        work_off()
        expect(page.get_by_text(re.compile(re.escape("'1;2;3;4;5;6;7;8;9;10'")))).to_be_visible()
        importing.click()
        work_off()
        expect(goes_on(page, "scale")).to_be_visible()
        assert Dataset.objects.get(slug="scale").task != "ordinal"
    with step("a wrong choice is mended under the same name"):
        page.get_by_label("Format", exact=True).select_option(label="Table")
        page.get_by_label("Kind of task", exact=True).select_option("ordinal")
        page.get_by_label("Replace data with the same name", exact=True).check()
        check(page)
        work_off()
        expect(page.get_by_role("listitem").filter(has_text="replaced")).to_be_visible()
        importing.click()
        work_off()
        expect(goes_on(page, "scale")).to_be_visible()
        assert Dataset.objects.get(slug="scale").task == "ordinal"
