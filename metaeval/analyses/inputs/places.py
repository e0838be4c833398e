"""The places that a study's experts took, as stored in the database."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models.functions import Coalesce

from annotations.models import Assignment, Study
from annotations.models.comparisons import not_taken_along


class TakenPlace(NamedTuple):
    """A place that an expert took: for what, in which order, and what became of it. Ids are those of the database."""

    assignment: int
    first_system: int | None
    """None: the human side."""
    second_system: int
    instance: int
    """Its position in the dataset."""
    expert: int
    """The expert's number in the study."""
    position: int
    side_order: str
    is_pilot: bool
    released_at: datetime | None
    """When the expert skipped it."""
    repeat_of: int | None
    """For a deliberate repeat, the assignment that it repeats."""
    comparison_shown_at: datetime | None
    withdrawn_at: datetime | None
    """When the text was withdrawn from the study."""
    identical: bool
    """Both sides look the same, and the expert was told so."""


def read_places(study: Study) -> list[TakenPlace]:
    """By expert, and then in the expert's own order; without experts who withdrew their answers. One query."""
    rows = (
        Assignment.objects.filter(not_taken_along(), study=study)
        .order_by("expert__number", "position", "pk")
        .values_list(
            "pk",
            "comparison__first_system_id",
            "comparison__second_system_id",
            "instance__position",
            "expert__number",
            "position",
            "side_order",
            "is_pilot",
            "released_at",
            "repeat_of_id",
            "comparison_shown_at",
            "instance__withdrawn_at",
            Coalesce("comparison__identical", False),
        )
    )
    return [TakenPlace._make(row) for row in rows]


def turn_rows(study: Study) -> list[tuple[int | None, str, int | None]]:
    """Turn, phase and rule for the side of each place, in the order of `read_places`; one query."""
    taken = Assignment.objects.filter(not_taken_along(), study=study)
    return list(taken.order_by("expert__number", "position", "pk").values_list("turn", "phase", "side_rule"))
