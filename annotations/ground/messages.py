"""Messages for the catalogues: marking them where nothing is translated yet, and filling in their values.

Needs no Django; `annotations.shown.plurals` knows the reader's language. Files, commands and stored results keep the
English.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

Words = TypeVar("Words")

_PLURAL = re.compile(r"\{(\w+), plural,((?:\s*\w+\s*\{(?:[^{}]|\{\w+(?:, number)?\})*\})+)\s*\}")
_FORM = re.compile(r"(\w+)\s*\{((?:[^{}]|\{\w+(?:, number)?\})*)\}")
_VALUE = re.compile(r"\{(\w+)(, number)?\}")


def marked(words: Words) -> Words:
    """A text, or a mapping whose texts are all to be translated (tests/tooling/python_messages.py finds them).

    >>> marked({"bca": "resample, bias-corrected"})["bca"]
    'resample, bias-corrected'
    """
    return words


def _one_or_other(number: int) -> str:
    return "one" if number == 1 else "other"


def _arabic(number: int) -> str:
    """
    >>> [_arabic(number) for number in (0, 1, 2, 3, 10, 11, 99, 100, 102, 103, 111)]
    ['zero', 'one', 'two', 'few', 'few', 'many', 'many', 'other', 'other', 'few', 'many']
    """
    if number < 3:
        return ("zero", "one", "two")[number]
    rest = number % 100
    return "few" if 3 <= rest <= 10 else "many" if rest >= 11 else "other"


FORMS: dict[str, Callable[[int], str]] = {"en": _one_or_other, "de": _one_or_other, "ar": _arabic}
"""Which plural form a number takes in each language, by CLDR's names."""


def fill(message: str, values: Mapping[str, object], *, language: str, written: Callable[[int], str]) -> str:
    """A message with its values: `{name}`, `{name, number}` and `{name, plural, one {# place} other {# places}}`.

    Raises:
        KeyError: a value is missing.
        TypeError: a counted value is not a whole number.
    """

    def whole(name: str) -> int:
        number = values[name]
        if not isinstance(number, int):
            raise TypeError(f"{name} must be a whole number, not {number!r}")
        return number

    def form(match: re.Match[str]) -> str:
        number = whole(match[1])
        forms = dict(_FORM.findall(match[2]))
        chosen = forms.get(FORMS.get(language, _one_or_other)(number), forms["other"])
        return str(chosen).replace("#", written(number))

    def value(match: re.Match[str]) -> str:
        return written(whole(match[1])) if match[2] else str(values[match[1]])

    # In this order and once each, so that a value that looks like a placeholder stays as it is.
    return _VALUE.sub(value, _PLURAL.sub(form, message))


def in_english(message: str, /, **values: object) -> str:
    """The same in English, with numbers as they are: for what is stored.

    >>> in_english("{models, plural, one {# model} other {# models}}", models=1200)
    '1200 models'
    """
    return fill(message, values, language="en", written=str)
