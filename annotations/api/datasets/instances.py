"""The texts of a dataset: a page of them with what people said, and one text with everything known about it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.answering.task_serializers import SegmentSerializer
from annotations.api.paging import MOST, Pages, filters_of, page_of, refuse_wide
from annotations.api.permissions import NotOnlyExpert, person
from annotations.api.views import APIView
from annotations.ground.disagreement import disagreement, distance
from annotations.ground.errors import NotFound
from annotations.history.looks import look
from annotations.models import Dataset, Instance, Label, Task, User
from annotations.shown import texts
from annotations.shown.texts import Wanted


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


class InstancesView(APIView):
    permission_classes = [NotOnlyExpert]

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
        found = texts.find(dataset, Wanted(**filters_of(request, InstancesQuerySerializer)))
        pages = Pages()
        page: Any = pages.paginate_queryset(found.positions, request)
        rows = [
            _row(instance, dataset, names, apart=found.distances.get(instance.position))
            | {"segments": None if instance.withdrawn_at else texts.excerpt(instance.segments)}
            for instance in texts.rows_of(dataset, page)
        ]
        return pages.get_paginated_response(InstanceRowSerializer(rows, many=True).data)


class InstanceView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="instances_show", responses=InstanceSerializer)
    def get(self, request: Request, slug: str, position: int) -> Response:
        """One text in full: everything people said about it, and what every system predicts."""
        dataset = looked_into(request, slug)
        instance = next(iter(texts.rows_of(dataset, [position])), None)
        if instance is None:
            raise NotFound
        names = _names(dataset)
        said = [
            {
                "annotator": annotation.annotator,
                "labels": [names[k] for k in annotation.labels],
                "count": annotation.count,
            }
            for annotation in instance.annotations.order_by("position")
        ]
        predictions = _predictions(instance, dataset, names)
        known = [one["distance"] for one in predictions if one["distance"] is not None]
        row = _row(instance, dataset, names, apart=sum(known) / len(known) if known else None)
        whole = {"segments": None if instance.withdrawn_at else instance.segments}
        return Response(InstanceSerializer(row | whole | {"annotations": said, "predictions": predictions}).data)


def _names(dataset: Dataset) -> list[str]:
    return list(Label.objects.filter(dataset=dataset).order_by("position").values_list("name", flat=True))


def _row(instance: Any, dataset: Dataset, names: list[str], *, apart: float | None) -> dict[str, Any]:
    shares = instance.shares
    known = shares is not None and len(shares) == len(names) > 0
    return {
        "position": instance.position,
        "external_id": instance.external_id,
        "withdrawn": instance.withdrawn_at is not None,
        "language": instance.language,
        "direction": instance.direction,
        "shares": dict(zip(names, shares.tolist(), strict=True)) if known else {},
        "people": instance.people,
        "disagreement": float(disagreement(shares[None], multilabel=_is_multilabel(dataset))[0]) if known else None,
        "distance": apart if apart == apart else None,  # noqa: PLR0124 - NaN: no system predicts it
    }


def _predictions(instance: Any, dataset: Dataset, names: list[str]) -> list[dict[str, Any]]:
    if not names:
        return []
    found = []
    for system in texts.predictions_of(instance, len(names)):
        apart = float(distance(instance.shares[None], system.row[None], multilabel=_is_multilabel(dataset))[0])
        is_there = apart == apart  # noqa: PLR0124 - NaN: it predicts nothing here
        shares = dict(zip(names, system.row.tolist(), strict=True)) if is_there else None
        found.append({"system": system.name, "shares": shares, "distance": apart if is_there else None})
    return sorted(found, key=lambda one: (one["distance"] is None, one["distance"] or 0.0))


def _is_multilabel(dataset: Dataset) -> bool:
    return dataset.task == Task.MULTILABEL
