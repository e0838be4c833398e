"""Sentences with numbers, in the form that the catalogues use for both the pages and the server.

A message is marked with `_()` as usual and filled in here: gettext's own plurals would need a second kind of
catalogue, and Arabic has six forms.
"""

from collections.abc import Iterable

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotations.ground.messages import fill


def filled(message: str, **values: object) -> str:
    """A message with its values: `{name}`, `{name, number}` and `{name, plural, one {# place} other {# places}}`.

    Raises:
        KeyError: a value is missing.
        TypeError: a counted value is not a whole number.

    >>> filled("{who} added {places, plural, one {# place} other {# places}}.", who="Ann", places=1200)
    'Ann added 1,200 places.'
    """
    language = (translation.get_language() or "en").partition("-")[0]
    return fill(message, values, language=language, written=written)


def said(message: str, /, **values: object) -> str:
    """A message that was marked elsewhere, with its values, in the reader's language."""
    return filled(translation.gettext(message), **values)


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


def with_or(parts: list[str]) -> str:
    """
    >>> with_or(["1", "2", "3"])
    '1, 2 or 3'
    """
    if len(parts) < 2:
        return "".join(parts)
    return _("{first} or {second}").format(first=with_commas(parts[:-1]), second=parts[-1])


def in_percent(share: float) -> str:
    """A share in whole percent as the reader's language writes it: "35%", "35 %", "٪".

    >>> in_percent(0.346)
    '35%'
    """
    return _("{number}%").format(number=f"{share * 100:.0f}")


def one_decimal(number: float) -> str:
    """A number with one decimal as the reader's language writes it.

    >>> one_decimal(2.345)
    '2.3'
    """
    language = (translation.get_language() or "en").partition("-")[0]
    # Django cuts digits off, and its Arabic has a decimal comma; the pages round, and have a point (ar-u-nu-latn).
    return number_format(round(number, 1), decimal_pos=1) if language != "ar" else f"{number:.1f}"
