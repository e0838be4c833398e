"""How certain experts are is asked in the study's own words, which fit beside the slider at every width."""

import pytest
from playwright.sync_api import expect

from annotations.designing.presets import wordings
from annotations.models import Study, Task
from annotations.people.membership.members import practised
from tests.browser.answering import ANNOTATE, past_a_double_click
from tests.browser.conftest import LAPTOP, PHONE, Axe, OpenPage, flaws
from tests.browser.speaking import ARABIC, GERMAN, Speech, expert_in

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.long]


@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=lambda one: one.code)
def test_the_originals_question_stands_beside_the_slider_and_names_it(
    open_page: OpenPage, axe: Axe, speech: Speech
) -> None:
    person = expert_in(speech)
    (original,) = [one for one in wordings(Task.MULTILABEL, speech.code) if one.is_original]
    Study.objects.update(question_certainty=original.question_certainty, language=speech.code)
    practised(user=person.user, slug=person.study.slug)
    for look in (LAPTOP, PHONE):
        page = open_page(person.user, look=look)
        page.goto(ANNOTATE)
        if look is LAPTOP:
            page.get_by_role("checkbox").first.check()
            past_a_double_click(page)
            page.keyboard.press("Enter")
        question = page.get_by_role("heading", name=original.question_certainty, exact=True)
        expect(question).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("slider", name=original.question_certainty, exact=True)).to_be_in_viewport()
        expect(question.locator("bdi")).to_have_attribute("lang", speech.code)
        assert flaws(page, axe) == []
        page.context.close()
