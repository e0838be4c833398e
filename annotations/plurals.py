"""Sentences with numbers, in the form that the catalogues use for both the pages and the server.

A message is marked with `_()` as usual and filled in here: gettext's own plurals would need a second kind of
catalogue, and Arabic has six forms.
"""

import re
from collections.abc import Callable, Iterable

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _

_PLURAL = re.compile(r"\{(\w+), plural,((?:\s*\w+\s*\{(?:[^{}]|\{\w+(?:, number)?\})*\})+)\s*\}")
_FORM = re.compile(r"(\w+)\s*\{((?:[^{}]|\{\w+(?:, number)?\})*)\}")
_VALUE = re.compile(r"\{(\w+)(, number)?\}")


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


def filled(message: str, **values: object) -> str:
    """A message with its values: `{name}`, `{name, number}` and `{name, plural, one {# place} other {# places}}`.

    Raises:
        KeyError: a value is missing.
        TypeError: a counted value is not a whole number.

    >>> filled("{who} added {places, plural, one {# place} other {# places}}.", who="Ann", places=1200)
    'Ann added 1,200 places.'
    """
    language = (translation.get_language() or "en").partition("-")[0]

    def whole(name: str) -> int:
        number = values[name]
        if not isinstance(number, int):
            raise TypeError(f"{name} must be a whole number, not {number!r}")
        return number

    def form(found: re.Match[str]) -> str:
        number = whole(found[1])
        forms = dict(_FORM.findall(found[2]))
        chosen = forms.get(FORMS.get(language, _one_or_other)(number), forms["other"])
        return str(chosen).replace("#", written(number))

    def value(found: re.Match[str]) -> str:
        return written(whole(found[1])) if found[2] else str(values[found[1]])

    # In this order and once each, so that a value that looks like a placeholder stays as it is.
    return _VALUE.sub(value, _PLURAL.sub(form, message))


def written(number: int) -> str:
    """A number in digits as the reader's language writes it.

    >>> written(1234567)
    '1,234,567'
    """
    language = (translation.get_language() or "en").partition("-")[0]
    # Django does not group digits in Arabic; the pages do (ar-u-nu-latn).
    return number_format(number, force_grouping=True) if language != "ar" else f"{number:,}"


def with_commas(parts: Iterable[str]) -> str:
    """The parts that are not empty, listed as the reader's language writes it.

    >>> with_commas(["3 texts", "", "2 labels"])
    '3 texts, 2 labels'
    """
    comma = "، " if (translation.get_language() or "").startswith("ar") else ", "
    return comma.join(part for part in parts if part)


def with_and(parts: list[str]) -> str:
    """
    >>> with_and(["1", "2", "3"])
    '1, 2 and 3'
    """
    if len(parts) < 2:
        return "".join(parts)
    return _("{first} and {last}").format(first=with_commas(parts[:-1]), last=parts[-1])


def in_percent(share: float) -> str:
    """A share in whole percent as the reader's language writes it: "35%", "35 %", "٪".

    >>> in_percent(0.346)
    '35%'
    """
    return _("{number}%").format(number=f"{share * 100:.0f}")


def one_decimal(number: float) -> str:
    """
    >>> one_decimal(2.345)
    '2.3'
    """
    return number_format(number, decimal_pos=1)
