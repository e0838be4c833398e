"""Comparisons by experts: one row per comparison, with cells for experts who have a place in it or its text
elsewhere.
"""

from collections import defaultdict
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.assignments import STATE, STATES, AssignedFilters, filtered
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.permissions import NotOnlyExpert, person, unblinded_study
from annotations.api.views import APIView
from annotations.history import events
from annotations.models import Assignment, Comparison, Study

HELD = Q(expert__isnull=False, completed_at=None)
CELL = ("expert", "state", "id", "is_pilot")


class GridFilters(AssignedFilters):
    state = serializers.ChoiceField(
        required=False,
        choices=["free", "held", "answered", "full"],
        help_text="Only comparisons with a free place, a place awaiting its expert, an answer, or no free place.",
    )


class CellSerializer(serializers.Serializer[Any]):
    expert = serializers.IntegerField(help_text="The expert's number.")
    state = serializers.ChoiceField(choices=[state for state in STATES if state != "free"])
    id = serializers.IntegerField(help_text="The place's id, to move it or take it back.")
    is_pilot = serializers.BooleanField()


class GridRowSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    external_id = serializers.CharField(help_text="The text's id as imported.")
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="One system, or the two that are compared."
    )
    is_withdrawn = serializers.BooleanField()
    free = serializers.IntegerField(help_text="Places that no expert has.")
    cells = CellSerializer(many=True)
    seen = serializers.ListField(
        child=serializers.IntegerField(), help_text="Experts who have, or had, the text in another comparison."
    )

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """Unchanged: a page of 500 has some ten thousand cells, too many to go through field by field."""
        return instance


class _Grid:
    """Comparisons whose cells are read one page at a time, in two queries however many there are."""

    def __init__(self, study: Study, rows: QuerySet[Comparison]) -> None:
        self._study, self._rows = study, rows

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        page = list(self._rows[part])
        cells: dict[int, list[dict[str, Any]]] = defaultdict(list)
        free: dict[int, int] = defaultdict(int)
        had: dict[int, list[tuple[int, int]]] = defaultdict(list)
        of_texts = Assignment.objects.filter(study=self._study, instance__in=[one.instance_id for one in page])
        placed = of_texts.annotate(state=STATE).order_by("expert__number", "pk")
        columns = ("expert__number", "state", "pk", "is_pilot")
        for comparison, instance, *cell in placed.values_list("comparison", "instance", *columns):
            if cell[0] is None:
                free[comparison] += cell[1] == "free"
            else:
                cells[comparison].append(dict(zip(CELL, cell, strict=True)))
                had[instance].append((comparison, cell[0]))
        return [
            {
                "position": one.position,
                "external_id": one.instance.external_id,
                "systems": [system.name for system in (one.first_system, one.second_system) if system],
                "is_withdrawn": one.instance.withdrawn_at is not None,
                "free": free[one.pk],
                "cells": cells[one.pk],
                "seen": sorted({number for comparison, number in had[one.instance_id] if comparison != one.pk}),
            }
            for one in page
        ]


class AssignmentGridView(APIView):
    """Every comparison with its experts, and who has seen its text elsewhere. It reveals no answers."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="assignments_grid", parameters=[GridFilters], responses=page_of(GridRowSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        wanted = filters_of(request, GridFilters)
        state = wanted.pop("state", "")
        rows = filtered(study, wanted)
        places = Assignment.objects.filter(comparison=OuterRef("pk"), released_at=None)
        conditions = {
            "free": Exists(places.filter(expert=None)),
            "held": Exists(places.filter(HELD)),
            "answered": Exists(places.filter(completed_at__isnull=False)),
            "full": ~Exists(places.filter(expert=None)),
        }
        events.unblinded_view(actor=person(request), study=study, what="assignments")
        grid: Any = _Grid(study, rows.filter(conditions[state]) if state else rows)
        return paged(request, grid, GridRowSerializer)
