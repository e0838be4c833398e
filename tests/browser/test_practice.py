"""The practice: again whenever wanted, left at any time, and always with the study's own labels."""

import pytest
from playwright.sync_api import expect

from annotations.models import LabelResponse, Task
from tests.browser.answering import ANNOTATE, chart
from tests.browser.conftest import OpenPage, step
from tests.browser.study import practised_expert


@pytest.mark.parametrize(
    ("task", "names"),
    [
        pytest.param(Task.MULTICLASS, ("entailment", "neutral", "contradiction"), id="multiclass"),
        pytest.param(
            Task.ORDINAL, ("never", "rarely", "sometimes", "often", "always"), id="ordinal", marks=pytest.mark.long
        ),
    ],
)
def test_the_practice_is_repeated_and_left_at_any_time_and_has_the_studys_own_labels(
    open_page: OpenPage, transactional_db: None, task: Task, names: tuple[str, ...]
) -> None:
    page = open_page(practised_expert(task=task, names=names).user)
    page.goto(ANNOTATE)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    region = page.get_by_role("region", name="Text", exact=True)
    text = region.text_content() or ""
    leave = page.get_by_role("button", name="Leave the practice", exact=True)

    with step("it is repeated from the instructions"):
        page.get_by_role("button", name="Instructions", exact=True).click()
        page.get_by_role("link", name="Practise once more", exact=True).click()
        expect(leave).to_be_visible()
        expect(region).not_to_have_text(text)
    with step("and left for the text where the expert was"):
        leave.click()
        expect(region).to_have_text(text)
    page.goto("/studies/areas/practice")
    for _ in range(2):
        with step("it has the study's own labels and control"):
            for name in names:
                expect(page.get_by_role("radio", name=name, exact=True)).to_be_visible()
            page.get_by_role("radio", name=names[1], exact=True).check(force=True)
            expect(page.get_by_role("status").filter(has_text="Choosing another replaces it")).to_be_visible()
            page.get_by_role("button", name="Continue", exact=True).click()
            bars = chart(page).locator("tbody").get_by_role("row")
            expect(bars.first).to_be_visible()
            for bar in bars.all_inner_texts():
                assert any(name in bar for name in names)
            page.keyboard.type("n1")
            page.get_by_role("button", name="Submit", exact=True).click()
    with step("nothing of it is stored"):
        expect(page.get_by_role("button", name="Go to the texts", exact=True)).to_be_visible()
        assert not LabelResponse.objects.exists()
