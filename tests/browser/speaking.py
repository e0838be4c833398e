"""A small study in German or Arabic, and whether anything on a page is in English."""

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import polib
from playwright.sync_api import Page

from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment, SystemTable
from annotations.models import Membership, Task
from tests.browser.study import lone_expert
from tests.conftest import ROOT

TEXTS = 4
# Names that are the same in every language: the program, the languages in themselves, keys, sides.
NAMES = {"hlv", "study", "english", "deutsch", "enter", "esc"}

Message = str | tuple[str, str]


@dataclass(frozen=True)
class Speech:
    """A language, and a study's own words in it. There are enough labels for the search field."""

    code: str
    direction: str
    title: str
    instructions: str
    question_labels: str
    question_preference: str
    text: str
    labels: tuple[str, ...]

    @cached_property
    def catalogue(self) -> dict[Message, str]:
        return read_catalogue(self.code)

    def say(self, message: str, context: str = "") -> str:
        return self.catalogue[(context, message) if context else message]


def read_catalogue(code: str) -> dict[Message, str]:
    """Each English message with its translation; what is not translated yet stands on the pages as it is."""
    entries = polib.pofile(str(ROOT / "locale" / code / "LC_MESSAGES" / "django.po"))
    return {
        (entry.msgctxt, entry.msgid) if entry.msgctxt else entry.msgid: entry.msgstr or entry.msgid for entry in entries
    }


GERMAN = Speech(
    "de",
    "ltr",
    "Rechtsgebiete in Alltagsproblemen",
    "Sie lesen kurze Texte.\n\n- Wählen Sie Rechtsgebiete.",
    "Welche Rechtsgebiete berührt dieser Text?",
    "Welche Beschreibung ist genauer?",
    "Mein Vermieter verlangt, dass ich binnen zwei Wochen ausziehe. Schreiben Nummer {}.",
    (
        *("Arbeitsrecht", "Baurecht", "Datenschutz", "Erbrecht", "Familienrecht", "Mietrecht", "Sozialrecht"),
        *("Steuerrecht", "Strafrecht", "Umweltrecht", "Verkehrsrecht", "Versicherung", "Kein Rechtsproblem"),
    ),
)
ARABIC = Speech(
    "ar",
    "rtl",
    "مجالات القانون في مشكلات الحياة اليومية",
    "ستقرؤون نصوصًا قصيرة.\n\n- اختاروا مجالات القانون.",
    "ما مجالات القانون التي يمسّها هذا النص؟",
    "أيّ الوصفين أدقّ؟",
    "يطالبني المالك بإخلاء المسكن خلال أسبوعين. الرسالة رقم {}.",
    (
        *("قانون الأسرة", "قانون الإيجار", "قانون البناء", "قانون البيئة", "قانون التأمين", "قانون الخصوصية"),
        *("قانون الضرائب", "قانون العمل", "قانون العقوبات", "قانون المرور", "قانون المستهلك", "قانون الميراث"),
        "ليست مسألة قانونية",
    ),
)


def expert_in(speech: Speech) -> Membership:
    """The expert of a study in which everything is in one language."""
    rng = np.random.default_rng(2)
    table = DatasetTable(
        labels=LabelSet(names=speech.labels, task=Task.MULTILABEL, exclusive=speech.labels[-1]),
        instances=[
            InstanceRow(f"x-{n}", (Segment("", speech.text.format(n + 1)),), speech.code, speech.direction)
            for n in range(TEXTS)
        ],
        gold=rng.random((TEXTS, len(speech.labels))).round(2),
    )
    system = SystemTable(model="Zebrafish", method="Quagga", Q=rng.random((TEXTS, len(speech.labels))).round(2))
    return lone_expert(
        table,
        [system],
        name="أ ب" if speech.code == "ar" else "Jörg",
        title=speech.title,
        instructions=speech.instructions,
        question_labels=speech.question_labels,
        question_preference=speech.question_preference,
        instances_per_system=TEXTS,
        asks_guess=True,
    )


def words(sentences: Iterable[str]) -> set[str]:
    """Latin words of at least three letters, no addresses, nor a message's placeholders, tags and plural syntax."""
    syntax = re.compile(r"\S+@\S+|</?\w+/?>|\{\w+, plural,|\b(?:zero|one|two|few|many|other) \{|\{\w+\}")
    return {word.lower() for sentence in sentences for word in re.findall(r"[^\W\d_]{3,}", syntax.sub(" ", sentence))}


READABLE = """() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { parentElement: parent, textContent: text } = walker.currentNode;
        if (parent && !parent.closest("script, style, noscript")) texts.push(text);
    }
    const spoken = ["aria-label", "aria-valuetext", "title", "placeholder", "alt", "aria-description"];
    for (const element of document.body.querySelectorAll("*"))
        for (const name of spoken) if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
    return texts;
}"""


def english_on(page: Page, speech: Speech) -> set[str]:
    """Words of the English catalogue on a page, seen or spoken, that this language does not have itself."""
    return (words(page.evaluate(READABLE)) & english_words(speech)) - NAMES


@cache
def english_words(speech: Speech) -> set[str]:
    english = words(message if isinstance(message, str) else message[1] for message in speech.catalogue)
    return english - words(speech.catalogue.values())


OURS = """() => {
    const texts = [document.title];
    const isOurs = (element) => !element.closest("script, style, noscript, code, [lang]:not(html)");
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { parentElement: parent, textContent: text } = walker.currentNode;
        if (parent && isOurs(parent)) texts.push(text);
    }
    const spoken = ["aria-label", "aria-valuetext", "title", "placeholder", "alt", "aria-description"];
    for (const element of document.body.querySelectorAll("*"))
        for (const name of spoken)
            if (element.hasAttribute(name) && isOurs(element)) texts.push(element.getAttribute(name));
    return texts.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""
"""What a page says itself: not the texts and results that say which language they are in."""

TAG, PLACEHOLDER = re.compile(r"</?\w+/?>"), re.compile(r"\{\w+\}|#")


def english_sentences_on(page: Page, speech: Speech) -> set[str]:
    """Whatever stands on a page as the English catalogue has it, where this language says it otherwise.

    Unlike `english_on` this may look at pages whose study is in English, too.
    """
    english = english_sentences(speech)
    return {text for text in page.evaluate(OURS) if english.are_said_by(text)}


@dataclass(frozen=True)
class EnglishSentences:
    """What a catalogue says otherwise than English does."""

    whole: set[str]
    filled: re.Pattern[str]
    own_filled: re.Pattern[str]

    def are_said_by(self, text: str) -> bool:
        """Whether the text is one of them. What is filled in may be in English, and look like the rest of one."""
        return text in self.whole or bool(self.filled.fullmatch(text) and not self.own_filled.fullmatch(text))


@cache
def english_sentences(speech: Speech) -> EnglishSentences:
    own = {part for message in speech.catalogue.values() for part in parts(message)}
    english = {
        part
        for message in speech.catalogue
        for part in parts(message if isinstance(message, str) else message[1])
        if part not in own
    }
    filled, own_filled = (
        re.compile("|".join(pattern(part) for part in sorted(chosen) if PLACEHOLDER.search(part)))
        for chosen in (english, own)
    )
    return EnglishSentences(english | {id_of(message) for message in speech.catalogue}, filled, own_filled)


def id_of(message: Message) -> str:
    """What stands on a page in place of a message that its catalogue lacks."""
    context, text = ("", message) if isinstance(message, str) else message
    return base64.b64encode(hashlib.sha256(f"{text}\x1f{context}".encode()).digest()).decode()[:6]


def pattern(part: str) -> str:
    """A sentence with whatever may be filled in."""
    return "(?:" + ".+".join(re.escape(words) for words in PLACEHOLDER.split(part)) + ")"


def parts(message: str) -> list[str]:
    """What of a message can stand on a page by itself: each form of a plural, cut at its tags."""
    forms = [message]
    while plurals := [form for form in forms if re.search(r"\{\w+, plural,", form)]:
        form = plurals[0]
        forms = [other for other in forms if other is not form] + branches(form)
    # A lone word between two tags or beside a value says too little to be looked for.
    return [
        piece
        for cut in (TAG.split(form) for form in forms)
        for piece in map(str.strip, cut)
        if len(re.findall(r"[^\W\d_]{2,}", PLACEHOLDER.sub(" ", piece)))
        > bool(len(cut) > 1 or PLACEHOLDER.search(piece))
    ]


def branches(message: str) -> list[str]:
    """A message with each form of its first plural in its place."""
    found = re.search(r"\{\w+, plural,", message)
    assert found is not None
    forms, depth, start, at = [], 1, 0, found.end()
    while depth > 0:
        if message[at] == "{":
            depth += 1
            if depth == 2:
                start = at + 1
        elif message[at] == "}":
            depth -= 1
            if depth == 1:
                forms.append(message[start:at])
        at += 1
    return [message[: found.start()] + form + message[at:] for form in forms]
