"""Presets that choose every setting at once, and wordings to choose from for the questions, by task and language.

A task's first wording is its default and names no domain: a study about emotions must not ask about areas of law. For
a language without wordings here, a study starts with the English ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext_noop

from annotations.models import Assigning, Compares, Dataset, GiveAways, Runs, Task

QUESTIONS = ("question_labels", "question_preference", "share_meaning", "question_certainty")
LANGUAGES = ("en", "de", "ar")
FALLBACK = "en"
ORIGINAL_TEXTS, ORIGINAL_EXPERTS = 28, 4


@dataclass(frozen=True, slots=True)
class Preset:
    """A named preset. `settings` are those that do not depend on a dataset; `in_words` describes it to the reader."""

    name: str
    title: str
    sentence: str
    settings: dict[str, Any]

    def in_words(self) -> tuple[str, str]:
        return translation.gettext(self.title), translation.gettext(self.sentence).format(
            texts=ORIGINAL_TEXTS, experts=ORIGINAL_EXPERTS
        )


_SHARED = {
    "compares": Compares.HUMAN_VS_SYSTEM.value,
    "runs": Runs.AVERAGED.value,
    "assigning": Assigning.OPEN_POOL.value,
    "display_threshold": 0.1,
    "display_step": None,
    "instances_per_system": ORIGINAL_TEXTS,
    "experts_per_comparison": ORIGINAL_EXPERTS,
}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "safe",
            gettext_noop("Safe defaults"),
            gettext_noop(
                "Compares what people said with what each system predicted, drawn so that the "
                "numbers do not reveal which is which. At the end, experts guess which side came "
                "from people, so that you can show that they did not know."
            ),
            _SHARED | {"give_aways": GiveAways.KEEP.value, "asks_guess": True},
        ),
        Preset(
            "original",
            gettext_noop("As in the original study"),
            gettext_noop(
                "Compares what people said with what each system predicted, on {texts} texts per system and with "
                "{experts} experts per comparison. Labels with a share above 10% are drawn, and experts who may choose "
                "any labels are asked the original questions."
            ),
            _SHARED | {"give_aways": GiveAways.KEEP.value, "asks_guess": False},
        ),
    )
}


def preset_settings(name: str, *, dataset: Dataset, language: str) -> dict[str, Any]:
    """A preset's settings for a dataset, with no more texts than there are.

    >>> preset_settings("original", dataset=Dataset(task="ordinal"), language="de")["question_labels"]
    'Wo auf dieser Skala liegt dieser Text?'
    """
    settings = dict(PRESETS[name].settings)
    texts = dataset.instances.count() if dataset.pk else ORIGINAL_TEXTS
    settings["instances_per_system"] = max(1, min(ORIGINAL_TEXTS, texts))
    settings |= default_questions(dataset.task, language)
    if name == "original" and dataset.task == Task.MULTILABEL:
        settings |= next(wording for wording in wordings(dataset.task, language) if wording.is_original).questions
    return settings


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask the questions. `name` says in English what is special about it."""

    name: str
    question_labels: str
    question_preference: str
    share_meaning: str = ""
    """What a bar on either side means; empty: the page's own words."""
    question_certainty: str = ""
    """The question how certain the expert is of step 2; empty: the page's own words."""
    is_original: bool = False

    @property
    def questions(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in QUESTIONS}


_ACCURATE = {
    "en": "Which of these describes what people would say about this text more accurately?",
    "de": "Welche Beschreibung gibt zutreffender wieder, was Menschen über diesen Text sagen würden?",
    "ar": "أيّ الوصفين أدقّ في بيان ما سيقوله الناس عن هذا النص؟",
}
_LABELS = {
    Task.MULTILABEL: {
        "en": "Which labels, if any, apply to this text?",
        "de": "Welche Kategorien treffen auf diesen Text zu, falls überhaupt welche?",
        "ar": "ما التصنيفات التي تنطبق على هذا النص، إن وُجدت؟",
    },
    Task.MULTICLASS: {
        "en": "Which label fits this text best?",
        "de": "Welche Kategorie passt am besten zu diesem Text?",
        "ar": "أيّ تصنيف يناسب هذا النص أكثر؟",
    },
    Task.ORDINAL: {
        "en": "Where on this scale is this text?",
        "de": "Wo auf dieser Skala liegt dieser Text?",
        "ar": "أين يقع هذا النص على هذا المقياس؟",
    },
}
_TOPICS = {
    "en": (
        "Which topics, if any, does this text touch?",
        "Which of these describes the topics of this text more accurately?",
    ),
    "de": (
        "Welche Themen berührt dieser Text, falls überhaupt welche?",
        "Welche Beschreibung gibt die Themen dieses Textes zutreffender wieder?",
    ),
    "ar": ("ما الموضوعات التي يمسّها هذا النص، إن وُجدت؟", "أيّ الوصفين أدقّ في بيان موضوعات هذا النص؟"),
}
_AREAS_OF_LAW = {
    "en": (
        "Which areas of law, if any, does this text touch?",
        "Which of these describes the areas of law in this text more accurately?",
    ),
    "de": (
        "Welche Rechtsgebiete berührt dieser Text, falls überhaupt welche?",
        "Welche Beschreibung gibt die Rechtsgebiete in diesem Text zutreffender wieder?",
    ),
    "ar": ("ما مجالات القانون التي يمسّها هذا النص، إن وُجدت؟", "أيّ الوصفين أدقّ في بيان مجالات القانون في هذا النص؟"),
}
# Correct for both sides: what lawyers said, and what a system predicts that they would say.
_LAWYERS = {
    "en": "share of lawyers who would choose this area",
    "de": "Anteil der Juristinnen und Juristen, die dieses Gebiet wählen würden",
    "ar": "نسبة المحامين الذين سيختارون هذا المجال",
}
_FITS = {
    "en": "How certain are you that the sample fits within the results you have selected?",
    "de": "Wie sicher sind Sie, dass der Text zu den gewählten Ergebnissen passt?",
    "ar": "ما درجة ثقتكم بأن النص يندرج ضمن النتائج التي اخترتموها؟",
}
_INFERENCE = {
    "en": (
        "How does the second statement follow from the first?",
        "Which of these describes what people would say about these statements more accurately?",
    ),
    "de": (
        "Wie folgt die zweite Aussage aus der ersten?",
        "Welche Beschreibung gibt zutreffender wieder, was Menschen über diese Aussagen sagen würden?",
    ),
    "ar": ("كيف تنتج العبارة الثانية عن الأولى؟", "أيّ الوصفين أدقّ في بيان ما سيقوله الناس عن هاتين العبارتين؟"),
}


def wordings(task: str, language: str) -> list[Wording]:
    """Wordings for a task in a language, default first; in English if the language has none.

    >>> [one.name for one in wordings("multilabel", "de-AT")]
    ['Any labels', 'Topics', 'Areas of law, as in the original study']
    >>> wordings("multilabel", "he")[0].question_labels
    'Which labels, if any, apply to this text?'
    """
    code = spoken(language)
    offered = [Wording(_NAMES[Task(task)], _LABELS[Task(task)][code], _ACCURATE[code])]
    if task == Task.MULTILABEL:
        offered.append(Wording("Topics", *_TOPICS[code]))
        original = "Areas of law, as in the original study"
        offered.append(Wording(original, *_AREAS_OF_LAW[code], _LAWYERS[code], _FITS[code], is_original=True))
    if task == Task.MULTICLASS:
        offered.append(Wording("Two statements (natural-language inference)", *_INFERENCE[code]))
    return offered


_NAMES = {Task.MULTILABEL: "Any labels", Task.MULTICLASS: "One label", Task.ORDINAL: "A point on a scale"}


def default_questions(task: str, language: str) -> dict[str, str]:
    """The default questions of a study, as settings."""
    return wordings(task, language)[0].questions


def spoken(language: str) -> str:
    """The language in `LANGUAGES` for a tag.

    >>> spoken("ar-EG"), spoken("fr")
    ('ar', 'en')
    """
    code = language.lower().split("-")[0]
    return code if code in LANGUAGES else FALLBACK


def in_language(task: str, language: str, *, question: str, value: str) -> str:
    """One of the questions in another language, if it is worded here; custom questions stay as they are.

    >>> in_language("ordinal", "de", question="question_labels", value="Where on this scale is this text?")
    'Wo auf dieser Skala liegt dieser Text?'
    """
    for code in LANGUAGES:
        for place, wording in enumerate(wordings(task, code)):
            if wording.questions[question] == value:
                return wordings(task, language)[place].questions[question]
    return value
