"""A study's answers as a list: the rows of the exported table, one page at a time."""

from collections.abc import Callable
from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.export_jobs import AnswerFiltersSerializer
from annotations.api.paging import Pages, filters_of, page_of
from annotations.api.permissions import NotOnlyExpert, person, unblinded_study
from annotations.api.views import APIView
from annotations.exporting.columns import COLUMNS, Variable, plain
from annotations.exporting.filters import Filters
from annotations.exporting.rows import ResponseSource
from annotations.history import events
from annotations.models import Assignment

ORDERS = {
    "comparison": ("comparison__position", "expert__number", "position"),
    "expert": ("expert__number", "position"),
    "completed_at": ("completed_at", "pk"),
    "-completed_at": ("-completed_at", "-pk"),
}
LARGEST = 2**31 - 1
FIELDS: dict[str, Callable[..., serializers.Field[Any, Any, Any, Any]]] = {
    "text": serializers.CharField,
    "integer": serializers.IntegerField,
    "share": serializers.FloatField,
    "boolean": serializers.BooleanField,
    "time": serializers.DateTimeField,
    "texts": lambda **about: serializers.ListField(child=serializers.CharField(), **about),
}


def _field(column: Variable) -> serializers.Field[Any, Any, Any, Any]:
    says = column.says + (f" One of {', '.join(f'`{value}`' for value in column.values)}." if column.values else "")
    return FIELDS[column.kind](allow_null=column.nullable, help_text=says)


# The columns are declared once, with the table (annotations/exporting/columns.py).
CollectedAnswerSerializer = cast(
    "type[serializers.Serializer[Any]]",
    type("CollectedAnswerSerializer", (serializers.Serializer,), {column.name: _field(column) for column in COLUMNS}),
)


class ResponsesQuerySerializer(AnswerFiltersSerializer):
    expert = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST, help_text="The expert's number.")
    comparison = serializers.IntegerField(
        required=False, min_value=0, max_value=LARGEST, help_text="The comparison's number."
    )
    ordering = serializers.ChoiceField(required=False, default="comparison", choices=list(ORDERS))


class _Answers:
    """Answers read one page at a time: all places are counted and sorted, but only one page's are read."""

    def __init__(self, source: ResponseSource, places: QuerySet[Assignment]) -> None:
        self._source = source
        self._places = places

    def __len__(self) -> int:
        return self._places.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        return [plain(row) for row in self._source.rows_of(list(self._places.values_list("pk", flat=True)[part]))]


class ResponsesView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="responses_list",
        parameters=[ResponsesQuerySerializer],
        responses=page_of(CollectedAnswerSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The answers that count, with the columns of the exported table. Experts appear by number only.

        Until the study is closed, each request is recorded in its event log as a look at unblinded data.
        """
        study = unblinded_study(request, slug)
        wanted = filters_of(request, ResponsesQuerySerializer)
        source = ResponseSource(study, Filters.read(wanted))
        places = source.places().order_by(*ORDERS[wanted["ordering"]])
        for name, field in {"expert": "expert__number", "comparison": "comparison__position"}.items():
            if name in wanted:
                places = places.filter(**{field: wanted[name]})
        events.unblinded_view(actor=person(request), study=study, what="responses")
        # The rows are plain JSON already; a serializer would take as long as the database.
        pages = Pages()
        rows: Any = pages.paginate_queryset(cast("Any", _Answers(source, places)), request)
        return pages.get_paginated_response(rows)
