"""What an expert had before them when they answered: which version of the instrument, and in what language.

The page says it, for it may have been opened before something changed; where it says nothing the newest counts. It
costs an answer no query, but where the page's version is not the newest, or none was kept yet.
"""

from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from annotations.designing.instrument import APP_WORDS, keep_version
from annotations.models import Assignment, InstrumentVersion


class PageSeen(NamedTuple):
    """As the page told it."""

    instrument_version: int | None = None
    page_language: str = ""


NOT_SAID = PageSeen()


def see_newest(expert: Any) -> None:
    """Keep the version that a page will show, where it is another than the newest kept: since the app was updated, or
    of a study that was open before versions were kept. The membership is one of `with_labels`."""
    if expert.instrument_app != APP_WORDS:
        expert.instrument_version = keep_version(expert.study).number


def with_instrument(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate the newest version of the instrument of each assignment's study, for `answered_under`."""
    newest = InstrumentVersion.objects.filter(study=OuterRef("study")).order_by("-number")
    return assignments.annotate(
        newest_instrument=Subquery(newest.values("pk")[:1]),
        newest_number=Subquery(newest.values("number")[:1]),
        newest_app=Subquery(newest.values("app")[:1]),
    )


def answered_under(assignment: Any, seen: PageSeen) -> dict[str, Any]:
    """The fields of a response that say it; the assignment is one of `with_instrument`."""
    fields = {"instrument_id": assignment.newest_instrument, "page_language": seen.page_language}
    told = seen.instrument_version
    if told is not None and told != assignment.newest_number:
        earlier = InstrumentVersion.objects.filter(study=assignment.study_id, number=told).values_list("pk", flat=True)
        if (found := earlier.first()) is not None:
            return fields | {"instrument_id": found}
    if told is None and assignment.newest_app != APP_WORDS:
        fields["instrument_id"] = keep_version(assignment.study).pk
    return fields
