"""A researcher says by which words a label is found; an expert who types one finds it and is told by which."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.designing.label_names import find_labels_by
from annotations.models import LabelResponse
from annotations.people.members import practised
from tests.browser.answering import ANNOTATE, begin, past_a_double_click
from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.speaking import ARABIC, GERMAN, Speech, expert_in
from tests.browser.study import BrowserStudy
from tests.browser.test_datasets import owned

HOUSING = "Housing and residential tenancies"


def test_words_that_are_given_on_the_datasets_page_are_stored(
    open_page: OpenPage, axe: Callable[[Page], list[str]], study: BrowserStudy
) -> None:
    dataset = owned(study)
    page = open_page(study.admin)
    page.goto("/datasets/mine/labels")
    page.get_by_label("Search words for Consumer law, separated by commas", exact=True).fill("refund, warranty,")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("✓ Saved", exact=True)).to_be_visible()
    assert dataset.labels.get(name="Consumer law").search_words == ["refund", "warranty"]
    assert axe(page) == []


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_an_expert_finds_a_label_by_another_word_and_is_told_by_which(
    open_page: OpenPage, axe: Callable[[Page], list[str]], study: BrowserStudy, look: Look
) -> None:
    label = study.study.dataset.labels.get(name=HOUSING)
    find_labels_by(dataset=study.study.dataset, words={label.position: ["tenant", "landlord"]})
    page = open_page(study.expert.user, look=look)
    begin(page)
    page.keyboard.type("landl")
    expect(page.get_by_role("checkbox")).to_have_count(1)
    expect(page.get_by_role("checkbox", name=f"landlord → {HOUSING}", exact=True)).to_be_visible()
    assert axe(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox", name=HOUSING, exact=True)).to_be_checked()
    past_a_double_click(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider")).to_be_visible()
    assert LabelResponse.objects.get(assignment__expert=study.expert).labels == [label.position]


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize(
    ("speech", "typed", "word", "name"),
    [(GERMAN, "kuendig", "Kündigung", "Mietrecht"), (ARABIC, "مستاجر", "المُستأجِر", "قانون الإيجار")],
    ids=["de", "ar"],
)
def test_it_works_in_german_and_arabic(open_page: OpenPage, speech: Speech, typed: str, word: str, name: str) -> None:
    person = expert_in(speech)
    label = person.study.dataset.labels.get(name=name)
    find_labels_by(dataset=person.study.dataset, words={label.position: [word]})
    practised(user=person.user, slug=person.study.slug)
    page = open_page(person.user)
    page.goto(ANNOTATE)
    page.get_by_label(speech.say("Type to find a label. Enter chooses the first match."), exact=True).fill(typed)
    expect(page.get_by_role("checkbox")).to_have_count(1)
    expect(page.get_by_role("checkbox", name=f"{word} → {name}", exact=True)).to_be_visible()
