"""Every list of the API is paged in one way: `{count, next, previous, results}`, with `?page=` and `?limit=`."""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

OLD = "/api/"
CURRENT = "/api/v1/"
MOST = 500


class Pages(PageNumberPagination):
    """Pages of 50 rows, or of `limit` rows: 500 at most."""

    page_size_query_param = "limit"
    max_page_size = MOST


@cache
def page_of(row: type[BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The serializer of a page of such rows, for the schema.

    >>> page_of(serializers.Serializer).__name__
    'PaginatedList'
    """
    name = row.__name__.removesuffix("Serializer")
    fields = {
        "count": serializers.IntegerField(help_text="Of all pages together."),
        "next": serializers.URLField(allow_null=True, help_text="The address of the next page."),
        "previous": serializers.URLField(allow_null=True),
        "results": row(many=True),
    }
    return cast("type[serializers.Serializer[Any]]", type(f"Paginated{name}List", (serializers.Serializer,), fields))


def paged(
    request: Request,
    rows: QuerySet[Any, Any] | Sequence[Any],
    row: type[BaseSerializer[Any]],
    *,
    context: dict[str, Any] | None = None,
    was_plain: bool = False,
) -> Response:
    """One page of rows.

    Args:
        was_plain: before there were versions this list came as a plain one, and at its old address it still does.
    """
    context = {"request": request, **(context or {})}
    if was_plain and not request.path.startswith(CURRENT):
        return Response(row(cast("Any", rows), many=True, context=context).data)
    pages = Pages()
    page: Any = pages.paginate_queryset(cast("Any", rows), request)
    return pages.get_paginated_response(row(page, many=True, context=context).data)
