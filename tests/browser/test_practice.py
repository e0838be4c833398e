"""The practice: again whenever wanted, left at any time, and always with the study's own labels."""

import pytest
from playwright.sync_api import expect

from annotations.models import LabelResponse, Task
from tests.browser.answering import chart, pass_the_welcome
from tests.browser.conftest import OpenPage
from tests.browser.study import BrowserStudy, practised_expert


def test_the_practice_can_be_repeated_from_the_instructions_and_left_at_any_time(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.expert.user)
    page.goto("/studies/areas/annotate")
    pass_the_welcome(page)
    text = page.get_by_role("region", name="Text", exact=True).inner_text()
    page.get_by_role("button", name="Instructions", exact=True).click()
    page.get_by_role("link", name="Practise once more", exact=True).click()
    expect(page.get_by_text("Practice 1 of 2", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Text", exact=True)).not_to_have_text(text)
    page.get_by_role("button", name="Leave the practice", exact=True).click()
    expect(page.get_by_role("region", name="Text", exact=True)).to_have_text(text)


@pytest.mark.parametrize(
    ("task", "names", "role"),
    [
        (Task.MULTICLASS, ("entailment", "neutral", "contradiction"), "radio"),
        (Task.ORDINAL, ("never", "rarely", "sometimes", "often", "always"), "radio"),
    ],
)
def test_the_practice_has_the_studys_own_labels_and_control(
    open_page: OpenPage, transactional_db: None, task: Task, names: tuple[str, ...], role: str
) -> None:
    expert = practised_expert(task=task, names=names)
    page = open_page(expert.user)
    page.goto("/studies/areas/practice")
    for _ in range(2):
        for name in names:
            expect(page.get_by_role(role, name=name, exact=True)).to_be_visible()  # a role
        page.get_by_role(role, name=names[1], exact=True).check(force=True)  # a role
        expect(page.get_by_role("status").filter(has_text="Choosing another replaces it")).to_be_visible()
        page.get_by_role("button", name="Continue", exact=True).click()
        bars = chart(page).locator("tbody").get_by_role("row")
        expect(bars.first).to_be_visible()
        for bar in bars.all_inner_texts():
            assert any(name in bar for name in names)
        page.keyboard.type("n1")
        page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", name="That was the practice", exact=True)).to_be_visible()
    assert not LabelResponse.objects.exists()
