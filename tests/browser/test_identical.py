"""Two sides that look the same are one chart with the two answers that there are: by mouse, by keyboard, on a phone."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment, SystemTable
from annotations.models import Instance, Membership, PreferenceResponse, Study, Task
from annotations.people.membership.members import practised
from tests.browser.answering import ANNOTATE, chart, past_a_double_click
from tests.browser.conftest import IN_EVERY_LOOK, Axe, Look, OpenPage, flaws
from tests.browser.study import lone_expert

pytestmark = pytest.mark.usefixtures("transactional_db")
SAID = {
    "en": "Here A and B are the same. Please say whether they are accurate.",
    "de": "Hier sind A und B gleich. Bitte sagen Sie, ob sie zutreffen.",
    "ar": "A وB متطابقان هنا. حددوا من فضلكم هل هما دقيقان.",
}


def expert(**settings: str) -> Membership:
    """Of a study in which the people of two texts said what the system predicts, but for what rounding takes away."""
    gold = np.array([[0.4, 0.8, 0.0], [0.2, 0.6, 0.0]])
    table = DatasetTable(
        labels=LabelSet(("Housing", "Privacy", "Tax"), Task.MULTILABEL),
        instances=[InstanceRow(f"text-{n}", (Segment("", f"It rains {n}."),)) for n in range(2)],
        gold=gold,
    )
    system = SystemTable(model="Zebrafish", method="Quagga", Q=gold + 0.04)
    found = lone_expert(table, [system], title="Areas of law, a test", instances_per_system=2, **settings)
    assert set(found.study.comparisons.values_list("identical", flat=True)) == {True}
    practised(user=found.user, slug=found.study.slug)
    return found


def to_step_2(page: Page) -> None:
    page.get_by_role("checkbox").first.check()
    past_a_double_click(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider")).to_be_visible()


@IN_EVERY_LOOK
def test_one_chart_two_answers_and_keys_that_take_no_side(open_page: OpenPage, axe: Axe, looks: list[Look]) -> None:
    page = open_page(expert().user, look=looks[-1])
    page.goto(ANNOTATE)
    to_step_2(page)
    expect(page.get_by_text(SAID["en"], exact=True)).to_be_visible()
    rows = chart(page).locator("tbody").get_by_role("row")
    assert rows.count() > 0
    for row in rows.all():
        left, _, _, right = row.get_by_role("cell").all_inner_texts()
        assert left == right != ""
    answers = page.get_by_role("radiogroup")
    expect(answers.get_by_role("radio")).to_have_count(2)
    expect(answers).to_have_accessible_name(f"{Study.objects.get().question_preference} {SAID['en']}")
    assert flaws(page, axe, *looks) == []
    for key in "ab":
        page.keyboard.press(key)
        expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.keyboard.press("Enter")
    expect(
        page.get_by_text(re.compile(re.escape("Still to answer: whether both are accurate and how certain you are")))
    ).to_be_visible()
    page.keyboard.type("o")
    expect(page.get_by_role("radio", name="Both are accurate", exact=True)).to_be_checked()
    page.keyboard.type("n4")
    past_a_double_click(page)
    page.keyboard.press("Enter")
    to_step_2(page)
    assert [one.choice for one in PreferenceResponse.objects.all()] == ["neither"]


@pytest.mark.long
@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_it_is_said_in_the_studys_language_and_stands_in_its_direction(
    open_page: OpenPage, axe: Axe, language: str, direction: str
) -> None:
    person = expert(language=language)
    Instance.objects.update(language=language, direction=direction)
    page = open_page(person.user)
    page.goto(ANNOTATE)
    to_step_2(page)
    expect(page.get_by_text(SAID[language], exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("dir", direction)
    assert axe(page) == []
    page.keyboard.type("o5")
    past_a_double_click(page)
    page.keyboard.press("Enter")
    to_step_2(page)
    assert PreferenceResponse.objects.get().choice == "both"
