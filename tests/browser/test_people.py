"""The people of a study: an expert leaves and is taken back in, a role changes, and who has an account is added."""

import re

from playwright.sync_api import expect

from annotations.designing.lifecycle import change_state
from annotations.models import Role, StudyState, User
from annotations.profiles import PRESETS
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.test_arriving import Axe


def test_an_expert_leaves_and_comes_back_and_a_role_changes(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    expert = open_page(study.expert.user)
    expert.goto("/studies/areas/annotate")
    expert.get_by_role("button", name="Instructions", exact=True).click()
    expert.get_by_role("button", name="Leave this study", exact=True).click()
    dialog = expert.get_by_role("dialog", name="Leave this study?", exact=True)
    expect(dialog).to_contain_text("The answers that you have given stay in the study.")
    assert not axe(expert)
    dialog.get_by_role("button", name="Leave the study", exact=True).click()
    expert.wait_for_url("**/")

    page = open_page(study.admin)
    page.goto("/studies/areas/people")
    expect(page.get_by_text("None of the 4 experts have started.", exact=True)).to_be_visible()
    table = page.get_by_role("region", name="Members of the study", exact=True)
    page.get_by_label("Find a person", exact=True).fill("erin")
    expect(table.get_by_role("row")).to_have_count(2)
    expect(table.get_by_role("row").filter(has_text="Erin Expert")).to_contain_text("Left")
    table.get_by_role("button", name="Add Erin Expert back", exact=True).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Add .Erin Expert. back to the study[?]$"))
    dialog.get_by_role("button", name="Add back", exact=True).click()
    expect(page.get_by_text(re.compile("Erin Expert. now takes part as an expert[.]$"))).to_be_visible()
    page.get_by_label("Find a person", exact=True).fill("")

    table.get_by_label("Role of Robin Researcher", exact=True).select_option("expert")
    dialog = page.get_by_role("dialog", name=re.compile("^Make .Robin Researcher. an expert[?]$"))
    dialog.get_by_role("button", name="Make expert", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("could see which side is which")
    dialog.get_by_role("button", name="Cancel", exact=True).click()
    table.get_by_label("Role of Robin Researcher", exact=True).select_option("admin")
    page.get_by_role("dialog").get_by_role("button", name="Make admin", exact=True).click()
    expect(table.get_by_label("Role of Robin Researcher", exact=True)).to_have_value("admin")
    assert study.study.memberships.get(user=study.researcher).role == Role.ADMIN

    User.objects.create_user("cleo@example.org", "violets and rain 17", name="Cleo")
    page.get_by_role("button", name="Add people with accounts", exact=True).click()
    form = page.get_by_role("form", name="Add people with accounts", exact=True)
    form.get_by_label("Their e-mail addresses", exact=True).fill("cleo@example.org\nnobody@example.org")
    form.get_by_role("button", name="Add them", exact=True).click()
    expect(form.get_by_role("alert")).to_contain_text("nobody@example.org has no account here")
    assert not axe(page)
    form.get_by_label("Their e-mail addresses", exact=True).fill("cleo@example.org")
    form.get_by_role("button", name="Add them", exact=True).click()
    expect(page.get_by_text("1 person added.", exact=True)).to_be_visible()
    expect(table.get_by_role("row").filter(has_text="Cleo")).to_contain_text("not started")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    assert not axe(page)


def test_an_admin_says_how_long_names_are_kept(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    page = open_page(study.researcher)
    page.goto("/studies/areas/people")
    kept = page.get_by_role("region", name="How long names are kept", exact=True)
    expect(kept).to_contain_text("are kept until an admin of the server erases them.")
    expect(kept.get_by_role("combobox")).to_have_count(0)

    page = open_page(study.admin)
    page.goto("/studies/areas/people")
    kept = page.get_by_role("region", name="How long names are kept", exact=True)
    choice = kept.get_by_label("After closing, keep the names for", exact=True)
    expect(choice).to_have_value("server")
    choice.select_option("6 months")
    kept.get_by_role("button", name="Save", exact=True).click()
    expect(kept.get_by_role("status")).to_have_text("Saved")
    expect(kept).to_contain_text("are erased 6 months after the study is closed.")
    study.study.refresh_from_db()
    assert study.study.identities_kept_months == 6
    assert not axe(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    assert not axe(page)


def test_what_the_study_asks_is_asked_once_before_the_first_text(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    change_state(study=study.study, to=StudyState.PAUSED)
    change_state(study=study.study, to=StudyState.OPEN)
    type(study.study).objects.update(profile_questions=[one.stored for one in PRESETS])
    study.study.memberships.filter(pk=study.expert.pk).update(owes_consent=True)
    page = open_page(study.expert.user)
    page.goto("/studies/areas/annotate")
    expect(page.get_by_role("heading", name="What you agree to", exact=True)).to_be_visible()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text("Please tick this box if you want to take part.", exact=True)).to_be_visible()
    expect(page.get_by_text("Please answer this question.", exact=True)).to_have_count(2)
    page.get_by_label("I have read this, and I agree to take part.", exact=True).check()
    page.get_by_label("Criminal law", exact=True).check()
    years = page.get_by_label("For how many years have you worked in this field?", exact=True)
    years.fill("many")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text("Please give a number of 0 or more.", exact=True)).to_be_visible()
    assert not axe(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    years.fill("7")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
    study.expert.refresh_from_db()
    assert study.expert.profile == {"specialism": "Criminal law", "years_of_experience": 7}
