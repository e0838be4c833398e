"""What an expert was shown when they answered: which version of the instrument, and in what language.

The page reports it, because it may have been opened before something changed; otherwise the newest is assumed. It
costs no extra query unless the page's version is not the newest, or none has been stored yet.
"""

from typing import Any, NamedTuple

from annotations.designing.instrument import APP_WORDS, keep_version
from annotations.models import InstrumentVersion


class PageSeen(NamedTuple):
    """What the page reported."""

    instrument_version: int | None = None
    page_language: str = ""


NOT_SAID = PageSeen()


def see_newest(expert: Any) -> None:
    """Store the version that a page will show if it differs from the newest stored one: after an update of the app, or
    in a study opened before versions were stored. The membership must come from `with_labels`."""
    if expert.instrument_app != APP_WORDS:
        expert.instrument_version = keep_version(expert.study).number


def answered_under(expert: Any, seen: PageSeen) -> dict[str, Any]:
    """The fields of a response that record it; the membership must come from `with_labels`."""
    fields = {"instrument_id": expert.instrument_pk, "page_language": seen.page_language}
    told = seen.instrument_version
    if told is not None and told != expert.instrument_version:
        earlier = InstrumentVersion.objects.filter(study=expert.study_id, number=told).values_list("pk", flat=True)
        if (found := earlier.first()) is not None:
            return fields | {"instrument_id": found}
    if told is None and expert.instrument_app != APP_WORDS:
        fields["instrument_id"] = keep_version(expert.study).pk
    return fields
