"""Who administers the installation says what people may do, on a page, at both widths."""

import re

import pytest
from playwright.sync_api import expect

from annotations.models import User
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_arriving import Axe


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_an_admin_lets_somebody_start_studies_and_invites_another(
    open_page: OpenPage, study: BrowserStudy, look: Look
) -> None:
    User.objects.filter(pk=study.admin.pk).update(is_superuser=True)
    page = open_page(study.admin, look=look)
    page.goto("/")
    page.get_by_role("link", name="Server", exact=True).click()
    may_create = page.get_by_role("switch", name="Can create studies: researcher@example.org", exact=True)
    expect(may_create).not_to_be_checked()
    may_create.focus()
    page.keyboard.press("Space")
    expect(may_create).to_be_checked()
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    page.get_by_role("textbox", name="E-mail addresses", exact=True).fill("new@example.org")
    page.get_by_role("button", name="Create links", exact=True).click()
    expect(
        page.get_by_role("region", name=re.compile("[Ll]ink")).get_by_text("new@example.org", exact=True)
    ).to_be_visible()
    assert User.objects.get(pk=study.researcher.pk).can_create_studies
    assert not User.objects.get(pk=study.researcher.pk).can_import


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_an_admin_sees_what_does_not_work_and_what_to_do(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    User.objects.filter(pk=study.admin.pk).update(is_superuser=True)
    page = open_page(study.admin, look=look)
    page.goto("/system/people")
    page.get_by_role("link", name="Health", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("Everything works|needs? attention"))).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text=re.compile("^Works.*Database"))).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_what_an_erasure_would_take_is_said_in_a_dialog_without_barriers(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    User.objects.filter(pk=study.admin.pk).update(is_superuser=True)
    page = open_page(study.admin, look=PHONE)
    page.goto("/system/people")
    page.get_by_role("button", name=re.compile("^Erase .Erin Expert.…$")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Erase .Erin Expert.$"))
    expect(dialog.get_by_text("What goes", exact=True)).to_be_visible()
    assert not axe(page)
    dialog.get_by_role("radio", name="Are erased too", exact=True).check()
    expect(dialog.get_by_text("What goes", exact=True)).to_be_visible()
    assert not axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert not User.objects.exclude(erased_at=None).exists()
