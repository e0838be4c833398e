"""The instances of a dataset, and their distributions."""

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

from annotations.api.downloads import attachment
from annotations.api.paging import MOST, Pages, filters_of, page_of, paged, refuse_wide
from annotations.api.task_serializers import SegmentSerializer
from annotations.api.views import ResearchView, person
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.arrays import Matrix
from annotations.ground.disagreement import disagreement, distance
from annotations.ground.errors import NotFound
from annotations.history.looks import look
from annotations.models import Dataset, Instance, Label, Task, User
from annotations.shown import texts
from annotations.shown.texts import UnknownSystem, Wanted, system_named
from annotations.storing.fields import RowsOf

ROWS_AT_ONCE = 500


class InstancesQuerySerializer(serializers.Serializer[Any]):
    search = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Words that occur in the text or its id.",
    )
    order = serializers.ChoiceField(
        required=False,
        default="position",
        choices=texts.ORDERS,
        help_text="`-disagreement`: most disagreement first; `worst`: where systems are furthest from people first.",
    )
    system = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=310,
        help_text="With `worst`: consider this system only, not all.",
    )
    label = serializers.CharField(  # type: ignore[assignment]  # the parameter's name, not the serializer's label
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Only texts for which somebody chose this label.",
    )


class PagedInstancesQuerySerializer(InstancesQuerySerializer):
    page = serializers.IntegerField(required=False, default=1, min_value=1)
    limit = serializers.IntegerField(required=False, default=50, min_value=1, max_value=MOST)


class InstanceRowSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    external_id = serializers.CharField()
    segments = SegmentSerializer(many=True, allow_null=True, help_text="How they begin; null: the text is withdrawn.")
    withdrawn = serializers.BooleanField()
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    shares = serializers.DictField(
        child=serializers.FloatField(), help_text="P: for each label, the share of people who chose it."
    )
    people = serializers.IntegerField(allow_null=True, help_text="How many judged it; null: only shares are known.")
    disagreement = serializers.FloatField(
        allow_null=True,
        help_text="0: all agree. One label per text: entropy of the shares, divided by its largest possible value. "
        "Several labels per text: mean entropy of the labels, in bits.",
    )
    distance = serializers.FloatField(
        allow_null=True, help_text="How far the systems, or the named one, are from people, if sorted by that."
    )


class SaidSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(help_text="A code; empty: unknown.")
    labels = serializers.ListField(child=serializers.CharField())
    count = serializers.IntegerField(help_text="How many unidentified people gave exactly these labels.")


class PredictionSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    shares = serializers.DictField(
        child=serializers.FloatField(), allow_null=True, help_text="Q; null: it predicts nothing for this text."
    )
    distance = serializers.FloatField(
        allow_null=True,
        help_text="One label per text: total variation distance to P. Several labels: mean absolute difference.",
    )


class InstanceSerializer(InstanceRowSerializer):
    segments = SegmentSerializer(many=True, allow_null=True, help_text="In full; null: the text is withdrawn.")
    annotations = SaidSerializer(many=True)
    predictions = PredictionSerializer(many=True, help_text="Closest to people first.")


def looked_into(request: Request, slug: str) -> Dataset:
    """A dataset whose texts, shares and predictions the person may read; for anyone else they do not exist.

    An expert in a study of its texts, whatever else they may do, would learn from them which side is whose. Whoever
    gets it has looked, and will be no expert in such a study.
    """
    user: User = person(request)
    visible = Dataset.objects.visible_to(user).unblinded_for(user)
    dataset: Dataset | None = visible.filter(slug=slug).first()
    if dataset is None:
        raise NotFound
    look(user=user, datasets=[dataset.pk], what="dataset")
    return dataset


class InstancesView(ResearchView):
    @extend_schema(
        operation_id="instances_list",
        parameters=[PagedInstancesQuerySerializer],
        responses=page_of(InstanceRowSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The texts of a dataset, searched and sorted, with what people said about each. Long texts are shortened."""
        dataset = looked_into(request, slug)
        names = _names(dataset)
        refuse_wide(request, columns=len(names))
        matches = texts.find(dataset, Wanted(**filters_of(request, InstancesQuerySerializer)))
        pages = Pages()
        page: Any = pages.paginate_queryset(matches.positions, request)
        rows = [
            _row(instance, dataset, names, apart=matches.distances.get(instance.position))
            | {"segments": None if instance.withdrawn_at else texts.excerpt(instance.segments)}
            for instance in texts.rows_of(dataset, page)
        ]
        return pages.get_paginated_response(InstanceRowSerializer(rows, many=True).data)


class InstanceView(ResearchView):
    @extend_schema(operation_id="instances_show", responses=InstanceSerializer)
    def get(self, request: Request, slug: str, position: int) -> Response:
        """One text in full: everything people said about it, and what every system predicts."""
        dataset = looked_into(request, slug)
        instance = next(iter(texts.rows_of(dataset, [position])), None)
        if instance is None:
            raise NotFound
        names = _names(dataset)
        annotations = [
            {
                "annotator": annotation.annotator,
                "labels": [names[k] for k in annotation.labels],
                "count": annotation.count,
            }
            for annotation in instance.annotations.order_by("position")
        ]
        predictions = _predictions(instance, dataset, names)
        distances = [prediction["distance"] for prediction in predictions if prediction["distance"] is not None]
        row = _row(instance, dataset, names, apart=sum(distances) / len(distances) if distances else None)
        whole = {"segments": None if instance.withdrawn_at else instance.segments}
        return Response(InstanceSerializer(row | whole | {"annotations": annotations, "predictions": predictions}).data)


def _names(dataset: Dataset) -> list[str]:
    return list(Label.objects.filter(dataset=dataset).order_by("position").values_list("name", flat=True))


def _row(instance: Any, dataset: Dataset, names: list[str], *, apart: float | None) -> dict[str, Any]:
    shares = instance.shares
    has_shares = shares is not None and len(shares) == len(names) > 0
    return {
        "position": instance.position,
        "external_id": instance.external_id,
        "withdrawn": instance.withdrawn_at is not None,
        "language": instance.language,
        "direction": instance.direction,
        "shares": dict(zip(names, shares.tolist(), strict=True)) if has_shares else {},
        "people": instance.people,
        "disagreement": float(disagreement(shares[None], multilabel=_is_multilabel(dataset))[0])
        if has_shares
        else None,
        "distance": apart if apart == apart else None,  # noqa: PLR0124 - NaN: no system predicts it
    }


def _predictions(instance: Any, dataset: Dataset, names: list[str]) -> list[dict[str, Any]]:
    if not names:
        return []
    predictions = []
    for system in texts.predictions_of(instance, len(names)):
        apart = float(distance(instance.shares[None], system.row[None], multilabel=_is_multilabel(dataset))[0])
        is_there = apart == apart  # noqa: PLR0124 - NaN: it predicts nothing here
        shares = dict(zip(names, system.row.tolist(), strict=True)) if is_there else None
        predictions.append({"system": system.name, "shares": shares, "distance": apart if is_there else None})
    return sorted(predictions, key=lambda prediction: (prediction["distance"] is None, prediction["distance"] or 0.0))


def _is_multilabel(dataset: Dataset) -> bool:
    return dataset.task == Task.MULTILABEL


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


def _answered(request: Request, distributions: _Distributions, name: str) -> Response | StreamingHttpResponse:
    if filters_of(request, DistributionsQuerySerializer)["format"] == "json":
        rows: Any = distributions
        refuse_wide(request, columns=len(distributions.names))
        return paged(request, rows, DistributionSerializer)
    return StreamingHttpResponse(
        distributions.csv(), content_type="text/csv; charset=utf-8", headers=attachment(f"{name}.csv")
    )


DISTRIBUTIONS: Any = {
    "parameters": [DistributionsQuerySerializer],
    "responses": {(200, "application/json"): page_of(DistributionSerializer), (200, "text/csv"): OpenApiTypes.STR},
}


class PeopleDistributionsView(ResearchView):
    @extend_schema(operation_id="distributions_list", **DISTRIBUTIONS)
    def get(self, request: Request, slug: str) -> Response | StreamingHttpResponse:
        """P, the judgement distributions: for each text, the share of people who chose each label."""
        dataset = looked_into(request, slug)
        rows = _cut_out(Dataset.objects.filter(pk=dataset.pk), "gold")
        return _answered(request, _Distributions(dataset, rows), f"{slug}-people")


class SystemDistributionsView(ResearchView):
    @extend_schema(operation_id="system_distributions_list", **DISTRIBUTIONS)
    def get(self, request: Request, slug: str, name: str) -> Response | StreamingHttpResponse:
        """Q, a system's predictions: for each text, the share that it gives to each label."""
        dataset = looked_into(request, slug)
        try:
            system = system_named(dataset, name)
        except UnknownSystem as error:
            raise NotFound from error
        rows = _cut_out(system, "predictions")
        return _answered(request, _Distributions(dataset, rows), f"{slug}-system")
