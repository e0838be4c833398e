"""The people of a study: an expert leaves and is taken back in, a role changes, and who has an account is added."""

import re

from playwright.sync_api import expect

from annotations.designing.lifecycle import change_state
from annotations.models import Role, StudyState, User
from annotations.people.membership.leaving import leave
from annotations.shown.profiles import PRESETS
from tests.browser.answering import chart, past_a_double_click
from tests.browser.conftest import LAPTOP, PHONE, Axe, OpenPage, every_look, flaws, step, too_wide, wear
from tests.browser.study import TITLE, BrowserStudy
from tests.worlds.answering import complete, taken


def test_an_expert_leaves_and_comes_back_a_role_changes_and_somebody_is_added(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    complete(taken(study.expert.user, "areas"))
    expert = open_page(study.expert.user)
    ended = expert.get_by_role("heading", level=1, name="Your part in this study has ended", exact=True)
    with step("an expert leaves, once they were asked"):
        expert.goto("/studies/areas/annotate")
        expert.get_by_role("button", name="Instructions", exact=True).click()
        expert.get_by_role("button", name="Leave this study", exact=True).click()
        dialog = expert.get_by_role("dialog", name="Leave this study?", exact=True)
        expect(dialog).to_contain_text(re.compile("answers.* stay"))
        assert not axe(expert)
        dialog.get_by_role("button", name="Leave the study", exact=True).click()
        expert.wait_for_url("**/")
    with step("their home page says what became of it, and whom to ask"):
        row = expert.get_by_role("main").get_by_role("listitem").filter(has_text=TITLE)
        expect(row).to_contain_text("You left this study on ")
        expect(row).to_contain_text("Your answer is kept.")
        asked = row.get_by_role("link", name=study.admin.email, exact=True)
        expect(asked).to_have_attribute("href", f"mailto:{study.admin.email}")
        assert flaws(expert, axe, *every_look(PHONE), *every_look(LAPTOP)) == []
    with step("and so does the study's address, from which they can still look at what they answered"):
        expert.goto("/studies/areas/annotate")
        expect(ended).to_be_visible()
        assert flaws(expert, axe, *every_look(PHONE), *every_look(LAPTOP)) == []
        expert.get_by_role("link", name="My answers", exact=True).click()
        expert.get_by_role("main").get_by_role("listitem").get_by_role("link").click()
        expect(chart(expert)).to_be_visible()

    page = open_page(study.admin)
    table = page.get_by_role("region", name="Members of the study", exact=True)
    find = page.get_by_label("Find a person", exact=True)
    with step("an admin finds who left, and asks them back"):
        page.goto("/studies/areas/people")
        expect(page.get_by_text(re.compile(r"\b4 experts\b")).first).to_be_visible()
        find.fill("erin")
        expect(table.get_by_role("row")).to_have_count(2)
        expect(table.get_by_role("row").filter(has_text="Erin Expert")).to_contain_text("Left")
        table.get_by_role("button", name="Ask back Erin Expert", exact=True).click()
        dialog = page.get_by_role("dialog", name=re.compile("Erin Expert"))
        dialog.get_by_role("button", name="Ask back", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="Erin Expert")).to_be_visible()
        study.expert.refresh_from_db()
        assert (study.expert.is_pending, study.expert.is_active) == (True, False)
        find.fill("")
    with step("and they are back once they accept it on their home page"):
        expert.goto("/")
        accept = expert.get_by_role("button", name=f"Accept: {TITLE}", exact=True)
        expect(accept).to_be_visible()
        assert flaws(expert, axe, *every_look(PHONE), *every_look(LAPTOP)) == []
        accept.click()
        expect(accept).to_be_hidden()
        expect(expert.get_by_role("link", name=TITLE, exact=True)).to_be_visible()
        study.expert.refresh_from_db()
        assert (study.expert.is_active, study.expert.role) == (True, Role.EXPERT)
    with step("who is removed with a text on the page reads that after their next answer"):
        expert.goto("/studies/areas/annotate")
        expect(expert.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        leave(member=study.expert, actor=study.admin)
        expert.get_by_role("checkbox").first.check()
        past_a_double_click(expert)
        expert.keyboard.press("Enter")
        expect(ended).to_be_visible()
        expect(expert.get_by_role("main")).to_contain_text("You were removed from this study on ")
        assert not axe(expert)
    role = table.get_by_label("Role of Robin Researcher", exact=True)
    with step("who has seen which side is which becomes no expert"):
        role.select_option("expert")
        dialog = page.get_by_role("dialog", name=re.compile("Robin Researcher"))
        dialog.get_by_role("button", name="Make expert", exact=True).click()
        expect(dialog.get_by_role("alert")).to_be_visible()
        dialog.get_by_role("button", name="Cancel", exact=True).click()
        assert study.study.memberships.get(user=study.researcher).role == Role.RESEARCHER
    with step("a researcher becomes an admin"):
        role.select_option("admin")
        page.get_by_role("dialog").get_by_role("button", name="Make admin", exact=True).click()
        expect(role).to_have_value("admin")
        assert study.study.memberships.get(user=study.researcher).role == Role.ADMIN

    User.objects.create_user("cleo@example.org", "violets and rain 17", name="Cleo")
    form = page.get_by_role("form", name="Add people with accounts", exact=True)
    with step("who has an account is added, and who has none is named"):
        page.get_by_role("button", name="Add people with accounts", exact=True).click()
        form.get_by_label("Their e-mail addresses", exact=True).fill("cleo@example.org\nnobody@example.org")
        form.get_by_role("button", name="Ask them", exact=True).click()
        expect(form.get_by_role("alert")).to_contain_text("nobody@example.org")
        assert not axe(page)
        form.get_by_label("Their e-mail addresses", exact=True).fill("cleo@example.org")
        form.get_by_role("button", name="Ask them", exact=True).click()
        expect(table.get_by_role("row").filter(has_text="Cleo")).to_be_visible()

    kept = page.get_by_role("region", name="How long names are kept", exact=True)
    with step("an admin says how long names are kept"):
        choice = kept.get_by_label("After closing, keep the names for", exact=True)
        expect(choice).to_have_value("server")
        choice.select_option("6 months")
        kept.get_by_role("button", name="Save", exact=True).click()
        expect(kept.get_by_role("status")).to_be_visible()
        study.study.refresh_from_db()
        assert study.study.identities_kept_months == 6
        wear(page, PHONE)
        assert too_wide(page) == 0
        assert not axe(page)
    with step("a researcher reads it, and has no say in it"):
        study.study.memberships.filter(user=study.researcher).update(role=Role.RESEARCHER)
        page = open_page(study.researcher)
        page.goto("/studies/areas/people")
        kept = page.get_by_role("region", name="How long names are kept", exact=True)
        expect(kept).to_contain_text("6 months")
        expect(kept.get_by_role("combobox")).to_have_count(0)


def test_what_the_study_asks_is_asked_once_before_the_first_text(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    change_state(study=study.study, to=StudyState.PAUSED)
    change_state(study=study.study, to=StudyState.OPEN)
    type(study.study).objects.update(profile_questions=[one.stored for one in PRESETS])
    study.study.memberships.filter(pk=study.expert.pk).update(owes_consent=True)
    page = open_page(study.expert.user)
    go_on = page.get_by_role("button", name="Continue", exact=True)
    agreement = page.get_by_label(re.compile("agree to take part"))
    with step("what is missing is said beside each field"):
        page.goto("/studies/areas/annotate")
        expect(agreement).to_be_visible()
        go_on.click()
        expect(agreement).to_have_accessible_description(re.compile("."))
        expect(page.locator("main [id$='-error']")).to_have_count(3)
    with step("a number is asked for where a number belongs"):
        agreement.check()
        page.get_by_label("Criminal law", exact=True).check()
        years = page.get_by_label(re.compile("how many years"))
        years.fill("many")
        go_on.click()
        expect(years).to_have_attribute("aria-invalid", "true")
        assert not axe(page)
        wear(page, PHONE)
        assert too_wide(page) == 0
    with step("once all is answered, it leads to the first text"):
        years.fill("7")
        go_on.click()
        expect(page.get_by_role("button", name=re.compile("^Begin "))).to_be_visible()
        study.expert.refresh_from_db()
        assert study.expert.profile == {"specialism": "Criminal law", "years_of_experience": 7}
    with step("who agreed to another text is asked again, and finds what they said"):
        type(study.study).objects.update(consent="Something else is saved, too.")
        page.reload()
        expect(agreement).to_be_visible()
        expect(page.get_by_label("Criminal law", exact=True)).to_be_checked()
        expect(years).to_have_value("7")
        assert flaws(page, axe, *every_look(PHONE)) == []
        agreement.check()
        go_on.click()
        expect(page.get_by_role("button", name=re.compile("^Begin "))).to_be_visible()
        assert study.study.consents.count() == 2
