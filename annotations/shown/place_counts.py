"""How many places a study has and how many are answered, in one pass over one index, however large.

The index `assignment_watched` contains everything counted here, except whether a text is withdrawn. There are few
such texts, so they are looked up first.
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
    """The counts for one expert or one comparison."""

    places: int = 0
    answered: int = 0
    begun: int = 0
    """Claimed but not yet answered."""
    last: datetime | None = None
    """When the newest answer was given."""

    @property
    def given(self) -> int:
        """Assigned but not started."""
        return self.places - self.answered - self.begun


def kept_places(study: Study) -> QuerySet[Assignment]:
    """One study's places as defined by `in_plan` (not given up and, if the text is withdrawn, answered before that),
    without deliberate repeats, which are not places.
    """
    places = Assignment.objects.filter(study=study, released_at=None, repeat_of=None).order_by()
    withdrawn = Comparison.objects.filter(study=study, instance__withdrawn_at__isnull=False)
    gone = list(withdrawn.order_by().values_list("pk", flat=True))
    return places.exclude(comparison__in=gone, completed_at=None) if gone else places


def main_places(study: Study) -> QuerySet[Assignment]:
    """One study's places as defined by `in_plan` and `of_main`."""
    return main_of(study, kept_places(study))


def main_of(study: Study, places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those of these places that meet `of_main`."""
    return places if study.opened_at is None else places.filter(is_pilot=False)


def by_expert(places: QuerySet[Assignment]) -> dict[int | None, PlaceCounts]:
    """The places of each expert; under None, those not taken."""
    return _grouped(places, "expert")


def by_comparison(places: QuerySet[Assignment]) -> dict[int | None, PlaceCounts]:
    """The places of each comparison."""
    return _grouped(places, "comparison")


def by_study(studies: Iterable[int]) -> dict[int, PlaceCounts]:
    """The places of several studies, counted as `main_places` counts one study's; two queries."""
    places = Assignment.objects.filter(of_main(), study__in=list(studies), released_at=None).order_by()
    counts_of = {of: counts for of, counts in _grouped(places, "study").items() if of is not None}
    gone = places.filter(completed_at=None, instance__withdrawn_at__isnull=False).values_list("study")
    for study, number, begun in gone.annotate(places=Count("pk"), begun=Count("claimed_at")):
        counts = counts_of[study]
        counts_of[study] = replace(counts, places=counts.places - number, begun=counts.begun - begun)
    return counts_of


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
