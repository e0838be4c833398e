"""The list of every sentence is whole, and nothing in it is said as nobody would say it."""

import re

import pytest

from tests.sentences import API, Sentence, every_sentence, of_catalogue

UNNATURAL = {
    r"\ba response each\b|\bone row a\b|\brow a response\b": "one row per response",
    r"\bfor who\b|\bby who\b": "for people who",
    r"\btaken up\b": "started",
    r"\bmend(?:ed|s)?\b": "fix",
    r"\bnames the human side rightly\b|\bnames \S+ rightly\b": "guesses the human side correctly",
    r"\blooks at nothing but\b": "from the rounded numbers alone",
    r"\brightly\b": "correctly",
    r"\btaken over\b|\btake (?:it|them) out\b": "copied; remove",
    r"\bthis is no (?:list|address|language)\b": "this is not a",
    r"\bwent with (?:it|them)\b": "deleted with it",
    r"\bsomeone\b|\bno one\b": "somebody, nobody",
    r"\blog in(?:to)?\b(?! as)|\borganizers?\b|\bcan't\b|\bemails\b": "sign in, organisers, cannot, e-mail",
}
"""What a reader tripped over, and what to write instead."""


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return every_sentence()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("frontend/src/features/annotate/", "Which"),
        ("annotations/", "There is"),
        ("metaeval/analyses/", "The"),
        ("metaeval/analyses/power/methods.txt", "by permutation"),
        ("metaeval/documents/report/texts/", "Experts saw one text at a time."),
        ("hlvstudy/", "log"),
        ("annotations/management/", "the"),
        (API, "The"),
    ],
)
def test_pages_messages_reports_commands_and_the_api_are_in_the_list(
    sentences: list[Sentence], place: str, said: str
) -> None:
    assert any(sentence.place.startswith(place) and said in sentence.text for sentence in sentences)


def test_no_sentence_is_in_the_list_twice(sentences: list[Sentence]) -> None:
    texts = [sentence.text for sentence in sentences]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("pattern", UNNATURAL)
def test_nothing_is_said_as_nobody_would_say_it(sentences: list[Sentence], pattern: str) -> None:
    found = [f"{sentence.place}: {sentence.text}" for sentence in sentences if re.search(pattern, sentence.text, re.I)]
    assert found == [], f"write: {UNNATURAL[pattern]}"


def test_every_sentence_of_the_catalogue_is_in_the_list(sentences: list[Sentence]) -> None:
    assert {sentence.text for sentence in of_catalogue()} <= {sentence.text for sentence in sentences}
