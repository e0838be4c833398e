"""Datasets: which there are, and what each of them holds. Texts and matrices do not leave here."""

from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Prefetch, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.permissions import NotOnlyExpert, person
from annotations.models import Dataset, HumanAnnotation, Instance, Label, System, User


class SystemSerializer(serializers.ModelSerializer[System]):
    name = serializers.CharField()

    class Meta:
        model = System
        fields = ["name", "model", "method", "run", "is_simulated"]
        read_only_fields = fields


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    labels = serializers.SerializerMethodField()
    instances = serializers.IntegerField(source="instance_count")
    annotations = serializers.IntegerField(source="annotation_count")
    systems = SystemSerializer(many=True)

    class Meta:
        model = Dataset
        fields = [
            "slug",
            "title",
            "task",
            "labels",
            "instances",
            "annotations",
            "systems",
            "is_simulated",
            "fingerprint",
        ]
        # Only shown, never read: so the schema says that every field is always there.
        read_only_fields = fields

    def get_labels(self, dataset: Dataset) -> list[str]:
        return [label.name for label in dataset.labels.all()]


def described(user: User) -> QuerySet[Dataset]:
    """The datasets that the person may see, with their counts, in three queries however many they are."""
    instances = Instance.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    people = HumanAnnotation.objects.filter(instance__dataset=OuterRef("pk")).order_by().values("instance__dataset")
    visible: QuerySet[Dataset] = Dataset.objects.visible_to(user)
    return visible.annotate(
        instance_count=_counted(instances.annotate(n=Count("pk"))),
        annotation_count=_counted(people.annotate(n=Sum("count"))),
    ).prefetch_related(
        Prefetch("labels", Label.objects.order_by("position")),
        Prefetch("systems", System.objects.order_by("model", "method", "run")),
    )


def _counted(rows: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(rows.values("n"), output_field=IntegerField()), 0)


class DatasetsView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="datasets_list", responses=DatasetSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The datasets of the person's studies, and those they imported."""
        return Response(DatasetSerializer(described(person(request)), many=True).data)


class DatasetView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="datasets_show", responses=DatasetSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """One dataset."""
        return Response(DatasetSerializer(get_object_or_404(described(person(request)), slug=slug)).data)
