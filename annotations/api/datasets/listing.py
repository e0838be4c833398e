"""Datasets: the list, one of them, its export, and changing or deleting it."""

from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.views import ResearchView, person
from annotations.designing.label_names import change_label, rename_dataset
from annotations.exporting.formats import zipped
from annotations.exporting.votes import export_votes, votes_archive_name
from annotations.ground.errors import NotFound
from annotations.importing.deleting import delete_dataset, delete_predictions
from annotations.models import (
    Dataset,
    HumanAnnotation,
    Instance,
    Judge,
    Label,
    PairwiseVote,
    PredictedAnnotations,
    Study,
    System,
    Task,
    User,
)
from annotations.storing.search_terms import LONGEST_WORD, MOST_WORDS


class SystemSerializer(serializers.ModelSerializer[System]):
    name = serializers.CharField()
    missing = serializers.IntegerField(
        help_text="How many instances it predicts nothing for; these are never drawn or scored."
    )

    class Meta:
        model = System
        fields = ["name", "model", "method", "run", "missing", "is_simulated"]
        read_only_fields = fields


class PredictedAnnotationsSerializer(serializers.ModelSerializer[PredictedAnnotations]):
    name = serializers.CharField()

    class Meta:
        model = PredictedAnnotations
        fields = ["name", "model", "method", "run", "is_simulated"]
        read_only_fields = fields


class DatasetLabelSerializer(serializers.ModelSerializer[Label]):
    search_words = serializers.ListField(
        child=serializers.CharField(), help_text="Other words by which experts find it; never shown as labels."
    )

    class Meta:
        model = Label
        fields = ["position", "name", "display_name", "search_words", "exclusive", "value"]
        read_only_fields = ["position", "name", "exclusive", "value"]
        extra_kwargs = {"display_name": {"help_text": "The name experts read; empty: the imported name."}}


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    labels = serializers.SerializerMethodField()
    label_set = DatasetLabelSerializer(source="labels", many=True)
    studies = serializers.IntegerField(source="study_count", help_text="How many studies use it.")
    may_delete = serializers.SerializerMethodField(help_text="Whether the person may delete it, once nothing uses it.")
    instances = serializers.IntegerField(source="instance_count")
    annotations = serializers.IntegerField(source="annotation_count")
    votes = serializers.IntegerField(source="vote_count", help_text="Pairwise votes on which of two systems is better.")
    judges = serializers.IntegerField(source="judge_count", help_text="Who voted: people and machines.")
    machine_judges = serializers.IntegerField(source="machine_count")
    systems = SystemSerializer(many=True)
    predicted_annotations = PredictedAnnotationsSerializer(
        many=True, help_text="Systems that predict every single annotation (the perspectivist task)."
    )

    class Meta:
        model = Dataset
        fields = [
            "slug",
            "title",
            "task",
            "description",
            "source",
            "licence",
            "labels",
            "label_set",
            "studies",
            "may_delete",
            "created_at",
            "instances",
            "annotations",
            "votes",
            "judges",
            "machine_judges",
            "systems",
            "predicted_annotations",
            "is_simulated",
            "fingerprint",
        ]
        # Output only, so the schema says that every field is always there.
        read_only_fields = fields

    def get_labels(self, dataset: Dataset) -> list[str]:
        return [label.name for label in dataset.labels.all()]

    def get_may_delete(self, dataset: Dataset) -> bool:
        user: User = self.context["user"]
        return user.is_superuser or dataset.created_by_id == user.pk


def described(user: User) -> QuerySet[Dataset]:
    """The datasets the person may see, with their counts, in four queries however many there are."""
    instances = Instance.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    people = HumanAnnotation.objects.filter(instance__dataset=OuterRef("pk")).order_by().values("instance__dataset")
    votes = PairwiseVote.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    studies = Study.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    judges = Judge.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    visible: QuerySet[Dataset] = Dataset.objects.visible_to(user)
    return visible.annotate(
        study_count=_counted(studies.annotate(n=Count("pk"))),
        instance_count=_counted(instances.annotate(n=Count("pk"))),
        annotation_count=_counted(people.annotate(n=Sum("count"))),
        vote_count=_counted(votes.annotate(n=Count("pk"))),
        judge_count=_counted(judges.annotate(n=Count("pk"))),
        machine_count=_counted(judges.filter(is_machine=True).annotate(n=Count("pk"))),
    ).prefetch_related(
        Prefetch("labels", Label.objects.order_by("position")),
        Prefetch("systems", System.objects.order_by("model", "method", "run")),
        Prefetch("predicted_annotations", PredictedAnnotations.objects.order_by("model", "method", "run")),
    )


def _counted(rows: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(rows.values("n"), output_field=IntegerField()), 0)


class DatasetFilters(serializers.Serializer[Any]):
    task = serializers.ChoiceField(choices=Task.choices, required=False)
    search = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Part of the slug or the title."
    )


class DatasetsView(ResearchView):
    @extend_schema(operation_id="datasets_list", parameters=[DatasetFilters], responses=page_of(DatasetSerializer))
    def get(self, request: Request) -> Response:
        """The datasets of your studies, and those you imported."""
        user, filters = person(request), filters_of(request, DatasetFilters)
        rows = described(user)
        if "task" in filters:
            rows = rows.filter(task=filters["task"])
        if "search" in filters:
            rows = rows.filter(Q(slug__icontains=filters["search"]) | Q(title__icontains=filters["search"]))
        return paged(request, rows, DatasetSerializer, context={"user": user}, was_plain=True)


class VotesView(ResearchView):
    @extend_schema(operation_id="votes_download", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, format_name: str) -> StreamingHttpResponse:
        """The dataset's pairwise votes and their instances as a zip archive. The download is recorded as an event."""
        dataset = visible(request, slug)
        files = export_votes(dataset=dataset, format_name=format_name, actor=person(request))
        name = votes_archive_name(dataset, format_name)
        return StreamingHttpResponse(zipped(files), content_type="application/zip", headers=attachment(name))


class TitleSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200)


class ChangedLabelSerializer(serializers.Serializer[Any]):
    display_name = serializers.CharField(
        max_length=200, allow_blank=True, required=False, help_text="The name experts read; empty: the imported name."
    )
    search_words = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_WORD, allow_blank=True),
        max_length=MOST_WORDS,
        required=False,
        help_text="Other words by which experts find it; these replace the existing ones.",
    )


def visible(request: Request, slug: str) -> Dataset:
    """The dataset, if the person may see it because they research with it or imported it."""
    dataset: Dataset = get_object_or_404(Dataset.objects.visible_to(person(request)), slug=slug)
    return dataset


class DatasetView(ResearchView):
    @extend_schema(operation_id="datasets_show", responses=DatasetSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """One dataset."""
        user = person(request)
        dataset = get_object_or_404(described(user), slug=slug)
        return Response(DatasetSerializer(dataset, context={"user": user}).data)

    @extend_schema(operation_id="datasets_change", request=TitleSerializer, responses=DatasetSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Rename the dataset. Its content never changes."""
        title = valid(TitleSerializer(data=request.data))["title"]
        rename_dataset(dataset=visible(request, slug), actor=person(request), title=title)
        return self.get(request, slug)

    @extend_schema(operation_id="datasets_delete", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the dataset with its predictions and analyses; refused while a study uses it."""
        delete_dataset(dataset=visible(request, slug), actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class LabelView(ResearchView):
    @extend_schema(operation_id="labels_change", request=ChangedLabelSerializer, responses=DatasetLabelSerializer)
    def patch(self, request: Request, slug: str, position: int) -> Response:
        """Choose what experts read instead of a label's name (until a study has begun), and which words find it."""
        asked = valid(ChangedLabelSerializer(data=request.data))
        dataset = visible(request, slug)
        try:
            change_label(dataset=dataset, position=position, actor=person(request), **asked)
        except Label.DoesNotExist as error:
            raise NotFound from error
        return Response(DatasetLabelSerializer(dataset.labels.get(position=position)).data)


class SystemView(ResearchView):
    @extend_schema(operation_id="systems_delete", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete a system's predictions and the dataset's analyses; refused while a study compares the system."""
        delete_predictions(dataset=visible(request, slug), name=name, actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
