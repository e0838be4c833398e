"""The language and direction of a study's pages: the study's own setting, or else its texts'."""

import contextlib
from typing import Any

from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from annotations.models import Instance, Study

# Languages usually written from right to left.
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


def direction_of(language: str) -> str:
    """`rtl` or `ltr`, by a language tag.

    >>> str(direction_of("ar-EG")), str(direction_of("de"))
    ('rtl', 'ltr')
    """
    is_rtl = language.lower().split("-")[0] in RIGHT_TO_LEFT
    return Instance.Direction.RTL if is_rtl else Instance.Direction.LTR


def language_and_direction(study: Study, *, texts: tuple[str | None, str | None]) -> tuple[str, str]:
    """The pages' language tag and direction.

    Args:
        texts: language and direction of the study's first text, if there is one. They apply if the study sets
            nothing; if it sets only its language, that language's direction applies.
    """
    language, direction = texts
    if study.language:
        language, direction = study.language, direction_of(study.language)
    return language or "en", study.direction or direction or Instance.Direction.LTR


def of_study(study: Study) -> tuple[str, str]:
    """The same, looking up the first text. One query."""
    first: Any = study.dataset.instances.order_by("position").values_list("language", "direction").first()
    return language_and_direction(study, texts=first or (None, None))


def in_words(study: Study) -> str:
    """The language as a sentence for the plan and the study's page.

    For example: "The experts' pages are in Arabic, written from right to left."
    A language without a known name is shown as its tag.
    """
    language, direction = of_study(study)
    with contextlib.suppress(KeyError):
        language = str(get_language_info(language.lower())["name_translated"])
    if direction == Instance.Direction.RTL:
        return _("The experts' pages are in {language}, written from right to left.").format(language=language)
    return _("The experts' pages are in {language}, written from left to right.").format(language=language)
