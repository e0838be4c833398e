"""One dataset: shown, its title and its labels' display names changed, deleted whole or system by system."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.datasets.listing import DatasetLabelSerializer, DatasetSerializer, described
from annotations.api.permissions import NotOnlyExpert, person
from annotations.api.views import APIView
from annotations.designing.label_names import change_label, rename_dataset
from annotations.ground.errors import NotFound
from annotations.importing.deleting import delete_dataset, delete_predictions
from annotations.models import Dataset, Label
from annotations.storing.search_terms import LONGEST_WORD, MOST_WORDS


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
    found: Dataset = get_object_or_404(Dataset.objects.visible_to(person(request)), slug=slug)
    return found


class DatasetView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="datasets_show", responses=DatasetSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """One dataset."""
        user = person(request)
        dataset = get_object_or_404(described(user), slug=slug)
        return Response(DatasetSerializer(dataset, context={"user": user}).data)

    @extend_schema(operation_id="datasets_change", request=TitleSerializer, responses=DatasetSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Rename the dataset. Its content never changes."""
        asked = TitleSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        rename_dataset(dataset=visible(request, slug), actor=person(request), **asked.validated_data)
        return self.get(request, slug)

    @extend_schema(operation_id="datasets_delete", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the dataset with its predictions and analyses; refused while a study uses it."""
        delete_dataset(dataset=visible(request, slug), actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class LabelView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="labels_change", request=ChangedLabelSerializer, responses=DatasetLabelSerializer)
    def patch(self, request: Request, slug: str, position: int) -> Response:
        """Choose what experts read instead of a label's name (until a study has begun), and which words find it."""
        asked = ChangedLabelSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        dataset = visible(request, slug)
        try:
            change_label(dataset=dataset, position=position, actor=person(request), **asked.validated_data)
        except Label.DoesNotExist as error:
            raise NotFound from error
        return Response(DatasetLabelSerializer(dataset.labels.get(position=position)).data)


class SystemView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="systems_delete", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete a system's predictions and the dataset's analyses; refused while a study compares the system."""
        delete_predictions(dataset=visible(request, slug), name=name, actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
