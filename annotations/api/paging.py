"""Every list of the API is paged in one way: `{count, next, previous, results}`, with `?page=` and `?limit=`."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotations.api.parsing import valid

CURRENT = "/api/v1/"
MOST = 500
MOST_CELLS = 500_000
"""The most numbers of a page of which each row has one for every label: 50 rows of the most labels there can be."""
WHICH = {"type": "integer", "minimum": 1, "default": 1}
HOW_MANY = {"type": "integer", "minimum": 1, "maximum": MOST, "default": 50}
PARAMETERS = [
    OpenApiParameter("page", WHICH, description="The page's number; the first is 1."),
    OpenApiParameter("limit", HOW_MANY, description="The number of rows per page."),
]


class Pages(PageNumberPagination):
    """Pages of 50 rows, or of `limit` rows, at most 500. Values out of range are refused, not silently changed."""

    page_size_query_param = "limit"
    max_page_size = MOST

    def get_page_size(self, request: Request) -> int:
        return _number(request, "limit", most=MOST) or cast(int, self.page_size)

    def get_page_number(self, request: Request, paginator: Any) -> int:
        return _number(request, "page") or 1

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {"name": parameter.name, "in": "query", "schema": parameter.type, "description": parameter.description}
            for parameter in PARAMETERS
        ]


def _number(request: Request, name: str, *, most: int | None = None) -> int | None:
    """A number from the query string; None if it is not given."""
    if name not in request.query_params:
        return None
    digits = request.query_params[name]
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= len(str(2**63)) else 0
    if number < 1 or (most is not None and number > most):
        bounds = _("of at least 1") if most is None else _("from 1 to {most}").format(most=most)
        raise serializers.ValidationError({name: [_("This must be a whole number {bounds}.").format(bounds=bounds)]})
    return number


def refuse_wide(request: Request, *, columns: int) -> None:
    """Refuse a page that would have more than `MOST_CELLS` numbers, with so many in each row.

    Raises:
        ValidationError: `limit` says how many rows are wanted, and fewer would do.
    """
    _number(request, "limit", most=max(1, min(MOST, MOST_CELLS // max(columns, 1))))


def filters_of(request: Request, kind: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """The filters given in the query string, checked; those not given are not in the result.

    A filter with an empty value is refused where its field allows none; form fields would treat it as not given.
    """
    return valid(kind(data=request.query_params.dict()))


class PageByPage:
    """Rows made of what the database has, one page at a time: in a number of queries that does not grow with them."""

    def __init__(self, rows: QuerySet[Any, Any], made: Callable[[list[Any]], list[dict[str, Any]]]) -> None:
        self._rows, self._made = rows, made

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        return self._made(list(self._rows[part]))


@cache
def page_of(row: type[BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The serializer for a page of such rows, for the schema.

    >>> page_of(serializers.Serializer).__name__
    'PaginatedList'
    """
    name = row.__name__.removesuffix("Serializer")
    fields = {
        "count": serializers.IntegerField(help_text="How many rows all pages have together."),
        "next": serializers.URLField(allow_null=True, help_text="The address of the next page."),
        "previous": serializers.URLField(allow_null=True),
        "results": row(many=True),
    }
    of_rows = {**fields, "is_page": True}
    return cast("type[serializers.Serializer[Any]]", type(f"Paginated{name}List", (serializers.Serializer,), of_rows))


def paged(
    request: Request,
    rows: QuerySet[Any, Any] | Sequence[Any] | PageByPage,
    row: type[BaseSerializer[Any]],
    *,
    context: dict[str, Any] | None = None,
    was_plain: bool = False,
    plain_rows: int | None = None,
) -> Response:
    """One page of rows.

    Args:
        was_plain: before the API had versions this was a plain list, and at its old address it still is.
        plain_rows: how many rows it has at the old address; None for all.
    """
    context = {"request": request, **(context or {})}
    if was_plain and not request.path.startswith(CURRENT):
        return Response(row(cast("Any", rows[:plain_rows]), many=True, context=context).data)
    pages = Pages()
    page: Any = pages.paginate_queryset(cast("Any", rows), request)
    return pages.get_paginated_response(row(page, many=True, context=context).data)
