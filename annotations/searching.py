"""Other words by which experts find a label: what may be one. They are searched for, and never shown as labels."""

from collections.abc import Iterable

from annotations.errors import HLVError

MOST_WORDS = 40
LONGEST_WORD = 60


class BadSearchWords(HLVError):  # noqa: N818
    """Words that nobody could search for, or too many of them."""

    code = "bad_search_words"


def search_words(given: Iterable[object]) -> list[str]:
    """The words as they are stored: without spaces around them, each once whatever its case, none empty.

    >>> search_words([" tenant ", "Tenant", "", "rent   arrears"])
    ['tenant', 'rent arrears']

    Raises:
        BadSearchWords: one is no text or too long, or there are too many.
    """
    kept: dict[str, str] = {}
    for one in given:
        if not isinstance(one, str):
            raise _refused("A search word is a text.")
        word = " ".join(one.split())
        if len(word) > LONGEST_WORD:
            raise _refused(f"A search word has at most {LONGEST_WORD} characters: “{word[:LONGEST_WORD]}…” has more.")
        if not word.isprintable():
            raise _refused(f"The search word {word!r} holds a character that nobody can type.")
        if word:
            kept.setdefault(word.casefold(), word)
    if len(kept) > MOST_WORDS:
        raise _refused(f"A label has at most {MOST_WORDS} search words; these are {len(kept)}.")
    return list(kept.values())


def _refused(sentence: str) -> BadSearchWords:
    return BadSearchWords(sentence, fields={"search_words": [sentence]})
