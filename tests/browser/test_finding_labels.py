"""A researcher says by which words a label is found; an expert who types one finds it and is told by which."""

import pytest
from playwright.sync_api import expect

from annotations.designing.label_names import find_labels_by
from annotations.models import LabelResponse
from annotations.people.membership.members import practised
from tests.browser.answering import ANNOTATE, begin, past_a_double_click
from tests.browser.conftest import IN_EVERY_LOOK, Axe, Look, OpenPage, flaws, step
from tests.browser.speaking import ARABIC, GERMAN, Speech, expert_in
from tests.browser.study import BrowserStudy
from tests.browser.test_every_page import superuser
from tests.worlds.full import make_full_dataset

HOUSING = "Housing and residential tenancies"


@IN_EVERY_LOOK
def test_a_researcher_gives_words_by_which_an_expert_finds_a_label_and_is_told_by_which(
    open_page: OpenPage, axe: Axe, study: BrowserStudy, looks: list[Look]
) -> None:
    with step("words that are given on the dataset's page are stored"):
        dataset = make_full_dataset("mine")
        page = open_page(superuser(study))
        page.goto("/datasets/mine/labels")
        page.get_by_label("Search words for Consumer law, separated by commas", exact=True).fill("refund, warranty,")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("✓ Saved", exact=True)).to_be_visible()
        assert dataset.labels.get(name="Consumer law").search_words == ["refund", "warranty"]
        assert axe(page) == []
    label = study.study.dataset.labels.get(name=HOUSING)
    find_labels_by(dataset=study.study.dataset, words={label.position: ["tenant", "landlord"]})
    page = open_page(study.expert.user, look=looks[-1])
    begin(page)
    with step("an expert who types one finds the label, and is told by which word"):
        page.keyboard.type("landl")
        expect(page.get_by_role("checkbox")).to_have_count(1)
        expect(page.get_by_role("checkbox", name=f"landlord → {HOUSING}", exact=True)).to_be_visible()
        assert flaws(page, axe, *looks) == []
        page.keyboard.press("Enter")
        expect(page.get_by_role("checkbox", name=HOUSING, exact=True)).to_be_checked()
        past_a_double_click(page)
        page.keyboard.press("Enter")
        expect(page.get_by_role("slider")).to_be_visible()
        assert LabelResponse.objects.get(assignment__expert=study.expert).labels == [label.position]


@pytest.mark.long
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
