"""An admin invites people, sees what becomes of it, and gives back a lost way in."""

import re
from pathlib import Path

from playwright.sync_api import expect

from annotations.models import Invitation
from annotations.people.invitations.links import digest_of
from tests.browser.conftest import PHONE, Axe, OpenPage, settled, step, too_wide, wear
from tests.browser.study import BrowserStudy

NEW_PASSWORD = "violets and rain 17"
PEOPLE = "/studies/areas/people"


def test_an_admin_invites_a_list_and_sees_what_becomes_of_it(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin)
    form = page.get_by_role("form", name="Invite people", exact=True)
    addresses = form.get_by_label("E-mail addresses", exact=True)
    create = form.get_by_role("button", name="Create links", exact=True)
    with step("who cannot be invited is named with their line"):
        page.goto(PEOPLE)
        page.get_by_role("button", name="Invite people", exact=True).click()
        addresses.fill("a@example.org\nnobody\nexpert@example.org")
        create.click()
        expect(form.get_by_role("alert")).to_contain_text(re.compile("2: nobody.*3: expert@example.org", re.DOTALL))
        assert axe(page) == []
        assert not Invitation.objects.exists()
    with step("a table is known for one"):
        addresses.fill("email;name\na@example.org;Ann")
        expect(form.get_by_role("status")).to_contain_text("email")
        rows = b"email,name\na@example.org,Ann\nb@example.org,Ben"
        page.locator("input[type=file]").set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": rows})
        expect(addresses).to_be_disabled()
    with step("a double click makes one link each, and shows them"):
        create.dblclick()
        links = page.get_by_role("region", name="2 links", exact=True)
        expect(links).to_contain_text("not send e-mail")
        address = links.locator("code").first.inner_text()
        expect(links.get_by_role("button", name="Copy all links", exact=True)).to_be_visible()
        assert Invitation.objects.count() == 2
        assert axe(page) == []
    with step("all links are saved as a table, and are gone from the page once they are sent"):
        with page.expect_download() as saving:
            links.get_by_role("link", name="Save all as CSV", exact=True).click()
        saved = Path(saving.value.path()).read_text(encoding="utf-8-sig").splitlines()
        assert saved[0] == '"email","name","link","subject","text"'
        assert saved[1].startswith(f'"a@example.org","Ann","{address}"')
        page.get_by_role("button", name="I have sent them", exact=True).click()
        expect(page.locator("code", has_text="/invitation#")).to_have_count(0)
    table = page.get_by_role("region", name="Invitations", exact=True)
    with step("what becomes of each is seen, and one is revoked"):
        expect(table.get_by_role("row").filter(has_text="Waiting")).to_have_count(2)
        email = Invitation.objects.get(digest=digest_of(address.split("#")[1])).email
        table.get_by_role("button", name=f"Revoke the invitation for {email}", exact=True).click()
        expect(table.get_by_role("row").filter(has_text="Revoked")).to_have_count(1)
    with step("who waits is reminded once a day, by a message to send oneself"):
        reminding = page.get_by_role("region", name="Remind people", exact=True)
        remind = reminding.get_by_role("button", name="Remind them", exact=True)
        remind.click()
        expect(reminding.locator("pre")).to_contain_text("/invitation#")
        remind.click()
        expect(reminding.get_by_role("status").first).to_contain_text("24")
    with step("several are revoked at once, on a phone"):
        assert not axe(page)
        wear(page, PHONE)
        assert too_wide(page) == 0
        table.get_by_role("checkbox", name="Choose b@example.org", exact=True).check()
        page.get_by_role("button", name="Revoke 1 invitation", exact=True).click()
        expect(table.get_by_role("row").filter(has_text="Revoked")).to_have_count(2)
    with step("a revoked link lets nobody in"):
        visitor = open_page()
        visitor.goto("/invitation#" + address.split("#")[1])
        expect(visitor.get_by_role("heading", level=1)).to_be_visible()
        expect(visitor.get_by_label("Choose a password", exact=True)).to_have_count(0)
    with step("a researcher sees no addresses and invites nobody"):
        reader = open_page(study.researcher)
        reader.goto(PEOPLE)
        expect(reader.get_by_role("heading", name="People", exact=True)).to_be_visible()
        settled(reader)
        expect(reader.get_by_role("button", name="Invite people", exact=True)).to_have_count(0)
        assert email not in reader.content()


def test_a_lost_password_is_replaced_by_a_new_access_link(open_page: OpenPage, study: BrowserStudy) -> None:
    elsewhere = open_page(study.expert.user)
    elsewhere.goto("/studies/areas/annotate")
    expect(elsewhere.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    with step("an admin makes a link"):
        page = open_page(study.admin)
        page.goto(PEOPLE)
        page.get_by_role("button", name="New access link for Erin Expert", exact=True).click()
        address = page.get_by_role("region", name="The link", exact=True).locator("code").inner_text()
    with step("whoever has it chooses a password, and goes on where they were"):
        visitor = open_page()
        visitor.goto("/invitation#" + address.split("#")[1])
        visitor.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
        visitor.get_by_role("button", name="Save the password and continue", exact=True).click()
        expect(visitor.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
        study.expert.user.refresh_from_db()
        assert study.expert.user.check_password(NEW_PASSWORD)
    with step("whoever was signed in with the old one is so no more"):
        elsewhere.goto("/")
        expect(elsewhere.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
