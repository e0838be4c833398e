"""P and Q as lists: for each text, each label's share according to people or to a system."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from django.db.models import F, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.datasets.instances import looked_into
from annotations.api.downloads import attachment
from annotations.api.paging import filters_of, page_of, paged, refuse_wide
from annotations.api.permissions import NotOnlyExpert
from annotations.api.views import APIView
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.arrays import Matrix
from annotations.ground.errors import NotFound
from annotations.models import Dataset, Instance, Label
from annotations.shown.texts import UnknownSystem, system_named
from annotations.storing.fields import RowsOf

ROWS_AT_ONCE = 500


class DistributionSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The text's number in the dataset.")
    instance = serializers.CharField(help_text="The text's id as imported.")
    shares = serializers.DictField(
        child=serializers.FloatField(), allow_null=True, help_text="Each label's share; null: nothing is predicted."
    )


class DistributionsQuerySerializer(serializers.Serializer[Any]):
    format = serializers.ChoiceField(
        choices=["json", "csv"], required=False, default="json", help_text="`csv`: all rows, as a file."
    )


class _Distributions:
    """A matrix of which only the rows of a page are read from the database."""

    def __init__(self, dataset: Dataset, rows: Callable[[int, int, int], Matrix]) -> None:
        labels = Label.objects.filter(dataset=dataset).order_by("position")
        self.names = list(labels.values_list("name", flat=True))
        self._instances = Instance.objects.filter(dataset=dataset)
        self._rows = rows

    def __len__(self) -> int:
        return self._instances.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        return [
            {
                "position": position,
                "instance": name,
                "shares": None if shares is None else dict(zip(self.names, shares, strict=True)),
            }
            for position, name, shares in self.between(part.start, part.stop)
        ]

    def between(self, first: int, last: int) -> Iterator[tuple[int, str, list[float] | None]]:
        """Number, id and shares of the texts from `first` up to, but not including, `last`. Positions have no gaps."""
        found = self._instances.filter(position__gte=first, position__lt=last).order_by("position")
        names = list(found.values_list("position", "external_id"))
        matrix = self._rows(first, len(names), len(self.names)) if self.names else np.zeros((len(names), 0))
        for (position, name), row in zip(names, matrix, strict=True):
            yield position, name, None if np.isnan(row).any() else row.tolist()

    def csv(self) -> Iterator[str]:
        def lines() -> Iterator[list[object]]:
            for first in range(0, len(self), ROWS_AT_ONCE):
                for _, name, shares in self.between(first, first + ROWS_AT_ONCE):
                    yield [name, *(shares if shares is not None else [""] * len(self.names))]

        return csv_lines(["instance", *self.names], lines())


def _cut_out(rows: QuerySet[Any, Any], matrix: str) -> Callable[[int, int, int], Matrix]:
    def read(first: int, count: int, columns: int) -> Matrix:
        part = rows.annotate(part=RowsOf(F(matrix), first, count, columns)).values_list("part", flat=True).get()
        return np.asarray(part).reshape(count, columns)

    return read


def _answered(request: Request, found: _Distributions, name: str) -> Response | StreamingHttpResponse:
    if filters_of(request, DistributionsQuerySerializer)["format"] == "json":
        rows: Any = found
        refuse_wide(request, columns=len(found.names))
        return paged(request, rows, DistributionSerializer)
    return StreamingHttpResponse(found.csv(), content_type="text/csv; charset=utf-8", headers=attachment(f"{name}.csv"))


class PeopleDistributionsView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="distributions_list",
        parameters=[DistributionsQuerySerializer],
        responses={
            (200, "application/json"): page_of(DistributionSerializer),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str) -> Response | StreamingHttpResponse:
        """P, the judgement distributions: for each text, the share of people who chose each label."""
        dataset = looked_into(request, slug)
        rows = _cut_out(Dataset.objects.filter(pk=dataset.pk), "gold")
        return _answered(request, _Distributions(dataset, rows), f"{slug}-people")


class SystemDistributionsView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="system_distributions_list",
        parameters=[DistributionsQuerySerializer],
        responses={
            (200, "application/json"): page_of(DistributionSerializer),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str, name: str) -> Response | StreamingHttpResponse:
        """Q, a system's predictions: for each text, the share that it gives to each label."""
        dataset = looked_into(request, slug)
        try:
            system = system_named(dataset, name)
        except UnknownSystem as error:
            raise NotFound from error
        rows = _cut_out(system, "predictions")
        return _answered(request, _Distributions(dataset, rows), f"{slug}-system")
