"""Checks the other words by which experts can find a label. They are only searched, never shown as labels."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError

MOST_WORDS = 40
LONGEST_WORD = 60


class BadSearchWords(HLVError):
    """Unusable search words, or too many of them."""


def search_words(given: Iterable[object]) -> list[str]:
    """The words in stored form: stripped, unique regardless of case, none empty.

    >>> search_words([" tenant ", "Tenant", "", "rent   arrears"])
    ['tenant', 'rent arrears']

    Raises:
        BadSearchWords: one is not a text or is too long, or there are too many.
    """
    words: dict[str, str] = {}
    for value in given:
        if not isinstance(value, str):
            raise _refused(_("A search word must be a text."))
        word = " ".join(value.split())
        if len(word) > LONGEST_WORD:
            raise _refused(
                _("A search word must not be longer than {longest_word} characters: “{word}…”.").format(
                    longest_word=LONGEST_WORD, word=word[:LONGEST_WORD]
                )
            )
        if not word.isprintable():
            raise _refused(
                _("The search word {word} contains a character that cannot be typed.").format(word=repr(word))
            )
        if word:
            words.setdefault(word.casefold(), word)
    if len(words) > MOST_WORDS:
        raise _refused(
            _("A label can have up to {most_words} search words, but there are {kept}.").format(
                most_words=MOST_WORDS, kept=len(words)
            )
        )
    return list(words.values())


def _refused(sentence: str) -> BadSearchWords:
    return BadSearchWords(sentence, fields={"search_words": [sentence]})
