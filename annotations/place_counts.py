"""How many places a study has, and how many of them are answered: one pass over one index, however large it is.

`assignment_watched` holds all that is counted here. A text's own row would have to be read for whether it is withdrawn,
so that is asked beforehand: there are few.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet

from annotations.models import Assignment, Comparison, Study
from annotations.models.comparisons import of_main


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """Of one expert, or one comparison."""

    places: int = 0
    answered: int = 0
    begun: int = 0
    """In hand: claimed and not answered."""
    last: datetime | None = None
    """The newest answer."""

    @property
    def given(self) -> int:
        """Not begun and not answered."""
        return self.places - self.answered - self.begun


def kept_places(study: Study) -> QuerySet[Assignment]:
    """What `in_plan` says, of one study, without deliberate repeats, which are no places: not given up and, where the
    text is withdrawn, answered before that.
    """
    places = Assignment.objects.filter(study=study, released_at=None, repeat_of=None).order_by()
    withdrawn = Comparison.objects.filter(study=study, instance__withdrawn_at__isnull=False)
    gone = list(withdrawn.order_by().values_list("pk", flat=True))
    return places.exclude(comparison__in=gone, completed_at=None) if gone else places


def main_places(study: Study) -> QuerySet[Assignment]:
    """What `in_plan` and `of_main` say, of one study."""
    return main_of(study, kept_places(study))


def main_of(study: Study, places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Of these places those that `of_main` says."""
    return places if study.opened_at is None else places.filter(is_pilot=False)


def by_expert(places: QuerySet[Assignment]) -> dict[int | None, PlaceCounts]:
    """The places of each expert; under None those that nobody has."""
    return _grouped(places, "expert")


def by_comparison(places: QuerySet[Assignment]) -> dict[int | None, PlaceCounts]:
    """The places of each comparison."""
    return _grouped(places, "comparison")


def by_study(studies: Iterable[int]) -> dict[int, PlaceCounts]:
    """The places of several studies, as `main_places` has those of one; two queries."""
    places = Assignment.objects.filter(of_main(), study__in=list(studies), released_at=None).order_by()
    found = {of: counts for of, counts in _grouped(places, "study").items() if of is not None}
    gone = places.filter(completed_at=None, instance__withdrawn_at__isnull=False).values_list("study")
    for study, number, begun in gone.annotate(places=Count("pk"), begun=Count("claimed_at")):
        counts = found[study]
        found[study] = replace(counts, places=counts.places - number, begun=counts.begun - begun)
    return found


def _grouped(places: QuerySet[Assignment], key: str) -> dict[int | None, PlaceCounts]:
    rows = (
        places.order_by()
        .values_list(key)
        .annotate(
            places=Count("pk"),
            answered=Count("completed_at"),
            begun=Count("claimed_at", filter=Q(completed_at=None)),
            last=Max("completed_at"),
        )
    )
    return {of: PlaceCounts(*counts) for of, *counts in rows}
