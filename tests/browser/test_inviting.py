"""An admin invites people, sees what becomes of it, and gives back a lost way in."""

from pathlib import Path

from playwright.sync_api import expect

from annotations.models import Invitation
from annotations.people.links import digest_of
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_arriving import ERIN, NEW_PASSWORD, Axe, invited


def test_an_admin_invites_a_list_and_sees_what_becomes_of_it(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.admin)
    page.goto("/studies/areas/people")
    page.get_by_role("button", name="Invite people", exact=True).click()
    form = page.get_by_role("form", name="Invite people", exact=True)
    form.get_by_label("E-mail addresses", exact=True).fill("a@example.org\nnobody\nexpert@example.org")
    form.get_by_role("button", name="Create links", exact=True).click()
    expect(form.get_by_role("alert")).to_contain_text("Line 2: nobody is not an e-mail address")
    expect(form.get_by_role("alert")).to_contain_text(
        "Line 3: expert@example.org already has the role expert in this study"
    )
    form.get_by_label("E-mail addresses", exact=True).fill("email;name\na@example.org;Ann")
    expect(form.get_by_role("status")).to_have_text("This is read as a table, with the columns email, name and role.")
    rows = b"email,name\na@example.org,Ann\nb@example.org,Ben"
    page.locator("input[type=file]").set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": rows})
    expect(form.get_by_label("E-mail addresses", exact=True)).to_be_disabled()
    # A double click makes one link each, and shows them.
    form.get_by_role("button", name="Create links", exact=True).dblclick()
    links = page.get_by_role("region", name="2 links", exact=True)
    expect(links).to_contain_text("This server does not send e-mail")
    address = links.locator("code").first.inner_text()
    expect(links.get_by_role("button", name="Copy all links", exact=True)).to_be_visible()
    with page.expect_download() as saving:
        links.get_by_role("link", name="Save all as CSV", exact=True).click()
    saved = Path(saving.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert saved[0] == '"email","name","link","subject","text"'
    assert saved[1].startswith(f'"a@example.org","Ann","{address}"')
    page.get_by_role("button", name="I have sent them", exact=True).click()
    expect(page.locator("code", has_text="/invitation#")).to_have_count(0)
    table = page.get_by_role("region", name="Invitations", exact=True)
    expect(table.get_by_role("row").filter(has_text="Waiting")).to_have_count(2)
    email = Invitation.objects.get(digest=digest_of(address.split("#")[1])).email
    table.get_by_role("button", name=f"Revoke the invitation for {email}", exact=True).click()
    expect(table.get_by_role("row").filter(has_text="Revoked")).to_have_count(1)
    reminding = page.get_by_role("region", name="Remind people", exact=True)
    reminding.get_by_role("button", name="Remind them", exact=True).click()
    expect(reminding.get_by_role("status").first).to_contain_text("Send this message yourself.")
    assert "/invitation#" in reminding.locator("pre").inner_text()
    reminding.get_by_role("button", name="Remind them", exact=True).click()
    expect(reminding.get_by_role("status").first).to_contain_text("1 person was already reminded in the last 24 hours.")
    assert not axe(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    table.get_by_role("checkbox", name="Choose b@example.org", exact=True).check()
    page.get_by_role("button", name="Revoke 1 invitation", exact=True).click()
    expect(table.get_by_role("row").filter(has_text="Revoked")).to_have_count(2)
    visitor = open_page()
    visitor.goto("/invitation#" + address.split("#")[1])
    expect(visitor.get_by_role("heading", name="This link is no longer valid", exact=True)).to_be_visible()


def test_a_researcher_sees_no_addresses_and_invites_nobody(open_page: OpenPage, study: BrowserStudy) -> None:
    invited(study.study)
    page = open_page(study.researcher)
    page.goto("/studies/areas/people")
    expect(page.get_by_role("heading", name="People", exact=True)).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("button", name="Invite people", exact=True)).to_have_count(0)
    assert ERIN not in page.content()


def test_a_lost_password_is_replaced_by_a_new_access_link(open_page: OpenPage, study: BrowserStudy) -> None:
    elsewhere = open_page(study.expert.user)
    elsewhere.goto("/studies/areas/annotate")
    expect(elsewhere.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    page = open_page(study.admin)
    page.goto("/studies/areas/people")
    page.get_by_role("button", name="New access link for Erin Expert", exact=True).click()
    address = page.get_by_role("region", name="The link", exact=True).locator("code").inner_text()
    visitor = open_page()
    visitor.goto("/invitation#" + address.split("#")[1])
    expect(visitor.get_by_role("heading", name="Choose a new password", exact=True)).to_be_visible()
    visitor.get_by_label("Choose a password", exact=True).fill(NEW_PASSWORD)
    visitor.get_by_role("button", name="Save the password and continue", exact=True).click()
    expect(visitor.get_by_role("heading", name="Before you begin", exact=True)).to_be_visible()
    study.expert.user.refresh_from_db()
    assert study.expert.user.check_password(NEW_PASSWORD)
    elsewhere.goto("/")
    expect(elsewhere.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
