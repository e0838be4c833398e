"""The questions that come with the app speak the words of the experts' pages (docs/reference/words.md)."""

import re

import pytest

from annotations.designing.presets import LANGUAGES, wordings
from annotations.models import Task

SETTLED = {"en": "accurately", "de": "Beschreibung", "ar": "الوصفين"}
NEVER = {
    "en": r"\b(distribution|description|answer|pair)",
    "de": r"Darstellung|Verteilung|Labels?\b|genauer|Sicherheit",
    "ar": r"العرضين|توزيع|جانب|يقين|زوج",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", Task.values)
def test_every_wording_calls_the_sides_and_the_labels_as_the_pages_do(task: str, language: str) -> None:
    for wording in wordings(task, language):
        assert SETTLED[language] in wording.question_preference
        for question in wording.questions.values():
            assert not re.search(NEVER[language], question), question
