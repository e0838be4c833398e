"""Who administers the installation says what people may do, and sees what does not work."""

import re

from playwright.sync_api import expect

from annotations.models import User
from tests.browser.conftest import LAPTOP, PHONE, Axe, OpenPage, step, too_wide, wear
from tests.browser.study import BrowserStudy


def test_the_server_s_admin_gives_rights_invites_looks_after_it_and_is_told_what_an_erasure_takes(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    User.objects.filter(pk=study.admin.pk).update(is_superuser=True)
    page = open_page(study.admin)
    may_create = page.get_by_role("switch", name=re.compile("studies: researcher@example.org$"))
    with step("somebody may start studies from now on, and nothing else"):
        page.goto("/")
        page.get_by_role("link", name="Server", exact=True).click()
        expect(may_create).not_to_be_checked()
        may_create.press("Space")
        expect(may_create).to_be_checked()
        study.researcher.refresh_from_db()
        assert study.researcher.can_create_studies
        assert not study.researcher.can_import
    with step("another is invited"):
        page.get_by_role("textbox", name="E-mail addresses", exact=True).fill("new@example.org")
        page.get_by_role("button", name="Create links", exact=True).click()
        links = page.get_by_role("region", name=re.compile("[Ll]ink"))
        expect(links.get_by_text("new@example.org", exact=True)).to_be_visible()
        wear(page, PHONE)
        assert too_wide(page) == 0
    dialog = page.get_by_role("dialog", name=re.compile("Erin Expert"))
    goes = dialog.get_by_text("What goes", exact=True)
    with step("what an erasure would take is said, and nothing is erased by looking"):
        page.get_by_role("button", name=re.compile("^Erase .Erin Expert")).click()
        expect(goes).to_be_visible()
        assert not axe(page)
        dialog.get_by_role("radio", name=re.compile("erased too")).check()
        expect(goes).to_be_visible()
        assert not axe(page)
        assert too_wide(page) == 0
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert not User.objects.exclude(erased_at=None).exists()
    with step("what works and what does not is listed"):
        page.get_by_role("link", name="Health", exact=True).click()
        expect(page.get_by_role("listitem").filter(has_text=re.compile("^Works.*Database"))).to_be_visible()
        expect(page.get_by_role("heading", name=re.compile("works|attention"))).to_be_visible()
        for look in (PHONE, LAPTOP):
            wear(page, look)
            assert too_wide(page) == 0
