"""Training systems from the browser: what can be trained, preparing, starting, watching, stopping, resuming."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import page_of, paged
from annotations.api.permissions import CanImport, NotOnlyExpert, person
from annotations.api.views import APIView
from annotations.models import Dataset
from metaeval import figures
from metaeval.api.files import IMAGES
from metaeval.api.training_shapes import (
    TrainingDetailSerializer,
    TrainingFormSerializer,
    TrainingRequestSerializer,
    TrainingSerializer,
)
from metaeval.training_jobs.forms import form_for
from metaeval.training_jobs.models import Training
from metaeval.training_jobs.starting import prepare_training, resume_training, start_training, stop_training
from metaeval.training_jobs.watching import standing_of


class TrainingFormView(APIView):
    """What can be trained on a dataset: its methods, encoders, parameters, and whether a worker can do it."""

    permission_classes = [CanImport]

    @extend_schema(operation_id="trainings_form", responses=TrainingFormSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(TrainingFormSerializer(form_for(_dataset(request, slug))).data)


class DatasetTrainingsView(APIView):
    """A dataset's trainings, newest first; and preparing one."""

    permission_classes = [CanImport]

    @extend_schema(operation_id="trainings_list", responses=page_of(TrainingSerializer))
    def get(self, request: Request, slug: str) -> Response:
        trainings = Training.objects.visible_to(person(request)).filter(dataset=_dataset(request, slug))
        return paged(request, trainings.order_by("-created_at", "pk"), TrainingSerializer)

    @extend_schema(
        operation_id="trainings_prepare", request=TrainingRequestSerializer, responses={202: TrainingDetailSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = TrainingRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        training = prepare_training(
            dataset=_dataset(request, slug), actor=person(request), **dict(asked.validated_data)
        )
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class TrainingView(APIView):
    """One training: its forecast, its progress, and the systems it made."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="trainings_show", responses=TrainingDetailSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, _visible(request, pk)))


class StartTrainingView(APIView):
    permission_classes = [CanImport]

    @extend_schema(operation_id="trainings_start", request=None, responses={202: TrainingDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        training = start_training(training=_visible(request, pk), actor=person(request))
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class StopTrainingView(APIView):
    permission_classes = [CanImport]

    @extend_schema(operation_id="trainings_stop", request=None, responses=TrainingDetailSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, stop_training(training=_visible(request, pk), actor=person(request))))


class ResumeTrainingView(APIView):
    permission_classes = [CanImport]

    @extend_schema(operation_id="trainings_resume", request=None, responses={202: TrainingDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        training = resume_training(training=_visible(request, pk), actor=person(request))
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class LossCurvesView(APIView):
    """The loss by epoch: as a Vega-Lite specification, data included, or as an image."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="trainings_curves",
        parameters=[
            OpenApiParameter("format", str, enum=["json", *IMAGES], default="json"),
            OpenApiParameter("size", str, enum=list(figures.SIZES), default="screen"),
        ],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{(200, kind): OpenApiTypes.BINARY for kind in IMAGES.values()},
        },
    )
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        training = _visible(request, pk)
        kind, size = request.query_params.get("format", "json"), request.query_params.get("size", "screen")
        if kind not in {"json", *IMAGES} or size not in figures.SIZES:
            raise Http404
        from metaeval.training_jobs.curves import loss_curves  # Altair is slow to import, and only needed here

        chart = loss_curves(training, size=size)
        if kind == "json":
            return Response(chart.to_dict())
        image = figures.image(chart, kind)
        return HttpResponse(
            image, content_type=IMAGES[kind], headers=attachment(f"{training.dataset.slug}-loss.{kind}")
        )


def _dataset(request: Request, slug: str) -> Dataset:
    found: Dataset = get_object_or_404(Dataset.objects.visible_to(person(request)), slug=slug)
    return found


def _visible(request: Request, pk: UUID) -> Training:
    trainings = Training.objects.visible_to(person(request)).select_related("dataset", "split")
    found: Training = get_object_or_404(trainings, pk=pk)
    return found


def _detail(request: Request, training: Training) -> dict[str, Any]:
    standing = standing_of(training, person(request))
    return dict(TrainingDetailSerializer(training, context={"standing": standing}).data)
