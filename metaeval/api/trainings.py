"""Training systems from the browser: what can be trained, preparing, starting, watching, stopping, resuming."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.translating import InTheirLanguage, said, said_schema
from annotations.api.views import APIView, CanImport, person
from annotations.api.waiting import WaitSerializer
from metaeval import figures
from metaeval.api.access import ResearchersView, visible_dataset
from metaeval.api.runs import IMAGES
from metaeval.api.serializers import ObjectField
from metaeval.jobs.runs import MAX_SEED
from metaeval.training_jobs.lifecycle import form_for, prepare_training, resume_training, start_training, stop_training
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from metaeval.training_jobs.parameters import titles
from metaeval.training_jobs.progress import outcome_of, standing_of


class OfferedMethodSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = InTheirLanguage()
    learns = InTheirLanguage(help_text="What it learns from, in one sentence.")
    source = serializers.CharField()  # type: ignore[assignment]  # the field's name, not the serializer's source
    reason = serializers.CharField(allow_blank=True, help_text="Why it does not apply to these data; empty: it does.")


class OfferedEncoderSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField(help_text="What its systems' model is called, unless another name is given.")


class TrainingFormSerializer(serializers.Serializer[Any]):
    methods = OfferedMethodSerializer(many=True)
    encoders = OfferedEncoderSerializer(many=True)
    parameters = serializers.SerializerMethodField(help_text="JSON Schema: types, bounds, defaults and help.")
    texts = serializers.IntegerField(help_text="With a text and annotations.")
    annotators = serializers.IntegerField(help_text="Those who are known by a code.")
    has_given_split = serializers.BooleanField(help_text="Whether the files said which texts are for training.")
    worker_alive = serializers.BooleanField(help_text="Whether a worker that takes trainings is running.")

    @extend_schema_field(ObjectField)
    def get_parameters(self, form: dict[str, Any]) -> Any:
        return said_schema(form["parameters"])


class TrainingRequestSerializer(serializers.Serializer[Any]):
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_SEED)


class TrainingSerializer(serializers.Serializer[Training]):
    """A training in a list."""

    id = serializers.UUIDField()
    model = serializers.CharField(help_text="The model of the systems that it makes.")
    methods = serializers.ListField(child=serializers.CharField())
    parameters = ObjectField()
    seed = serializers.IntegerField()
    state = serializers.ChoiceField(choices=TrainingState.choices)
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class MethodProgressSerializer(serializers.Serializer[Any]):
    method = serializers.CharField()
    title = InTheirLanguage(help_text="The method in words; empty if it is no longer installed.")
    done = serializers.IntegerField(help_text="Fits that have ended well.")
    total = serializers.IntegerField(help_text="All of them: one for each run and fold.")
    running = serializers.BooleanField()
    failed = serializers.IntegerField()


class UnderWaySerializer(serializers.Serializer[Any]):
    """A piece of a training that a worker does now."""

    kind = serializers.ChoiceField(choices=TrainingJob.Piece.choices)
    method = serializers.CharField(allow_blank=True, help_text="Empty for the check.")
    run = serializers.IntegerField(help_text="From 1; 0 for what all runs share.")
    fold = serializers.IntegerField(help_text="From 1.")


class StandingSerializer(serializers.Serializer[Any]):
    done = serializers.FloatField(help_text="Fits and searches, those under way in part.")
    total = serializers.IntegerField()
    under_way = UnderWaySerializer(many=True, help_text="What the workers do now.")
    seconds_left = serializers.IntegerField(allow_null=True, help_text="About; null: nothing is known yet.")
    methods = MethodProgressSerializer(many=True)
    systems = serializers.ListField(child=serializers.CharField(), help_text="Those that it has made so far.")
    has_curves = serializers.BooleanField(help_text="Whether there are loss curves to be drawn.")
    worker_alive = serializers.BooleanField()
    waits_for = WaitSerializer(
        allow_null=True,
        help_text="The other trainings that wait: the owner's before it, and those of other people, with which it "
        "takes turns; null: this one does not wait.",
    )


class SplitSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    folds = serializers.IntegerField()
    seed = serializers.IntegerField()
    is_stratified = serializers.BooleanField()
    twins = serializers.IntegerField(help_text="Texts left out as copies of texts in another part.")
    fingerprint = serializers.CharField()


class TrainingForecastSerializer(serializers.Serializer[Any]):
    """What a training will take, measured on the machine that will do it. Times add up all its models, as if they were
    trained one after another.
    """

    fits = serializers.IntegerField(help_text="How many models are trained, those of the searches included.")
    seconds = serializers.FloatField()
    peak_bytes = serializers.IntegerField(help_text="The most memory that one of them needs.")
    free_bytes = serializers.IntegerField(help_text="What was free when this was measured.")
    parameters = serializers.IntegerField(help_text="The weights of the largest model.")
    trained = serializers.IntegerField(help_text="Those of them that are trained.")
    texts = serializers.IntegerField()
    cut = serializers.IntegerField(help_text="Texts that are longer than the encoder takes.")
    device = serializers.CharField()


class TrainingOutcomeSerializer(serializers.Serializer[Any]):
    """What came of a training."""

    systems = serializers.IntegerField()
    seconds = serializers.FloatField(help_text="Of work, as if one model had been trained after another.")


class TrainingDetailSerializer(TrainingSerializer):
    """A training with its progress."""

    dataset = serializers.CharField(source="dataset.slug")
    dataset_title = serializers.CharField(source="dataset.title")
    is_simulated = serializers.BooleanField(source="dataset.is_simulated")
    split = SplitSerializer()
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="What is worth knowing before it starts, in sentences."
    )
    forecast = TrainingForecastSerializer(allow_null=True, help_text="Null before the check.")
    outcome = serializers.SerializerMethodField(help_text="Null before the end.")
    titles = serializers.SerializerMethodField(help_text="What the parameters are called.")
    standing = serializers.SerializerMethodField()

    @extend_schema_field(TrainingOutcomeSerializer(allow_null=True))
    def get_outcome(self, training: Training) -> dict[str, Any] | None:
        finished = training.state == TrainingState.FINISHED
        return dict(TrainingOutcomeSerializer(outcome_of(training)).data) if finished else None

    def get_titles(self, _training: Training) -> dict[str, str]:
        return {name: said(title) for name, title in titles().items()}

    @extend_schema_field(StandingSerializer)
    def get_standing(self, _training: Training) -> dict[str, Any]:
        return dict(StandingSerializer(self.context["standing"]).data)


class TrainersView(APIView):  # without a docstring, which would describe operations that have none
    permission_classes = [CanImport]


class TrainingFormView(TrainersView):
    """What can be trained on a dataset: its methods, encoders, parameters, and whether a worker can do it."""

    @extend_schema(operation_id="trainings_form", responses=TrainingFormSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(TrainingFormSerializer(form_for(visible_dataset(request, slug))).data)


class DatasetTrainingsView(TrainersView):
    """A dataset's trainings, newest first; and preparing one."""

    @extend_schema(operation_id="trainings_list", responses=page_of(TrainingSerializer))
    def get(self, request: Request, slug: str) -> Response:
        trainings = Training.objects.visible_to(person(request)).filter(dataset=visible_dataset(request, slug))
        return paged(request, trainings.order_by("-created_at", "pk"), TrainingSerializer)

    @extend_schema(
        operation_id="trainings_prepare", request=TrainingRequestSerializer, responses={202: TrainingDetailSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        body = valid(TrainingRequestSerializer(data=request.data))
        training = prepare_training(dataset=visible_dataset(request, slug), actor=person(request), **body)
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class TrainingView(ResearchersView):
    """One training: its forecast, its progress, and the systems it made."""

    @extend_schema(operation_id="trainings_show", responses=TrainingDetailSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, _visible(request, pk)))


class StartTrainingView(TrainersView):
    """Start a prepared training."""

    @extend_schema(operation_id="trainings_start", request=None, responses={202: TrainingDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        training = start_training(training=_visible(request, pk), actor=person(request))
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class StopTrainingView(TrainersView):
    """Stop a training; it can go on from its last epoch."""

    @extend_schema(operation_id="trainings_stop", request=None, responses=TrainingDetailSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, stop_training(training=_visible(request, pk), actor=person(request))))


class ResumeTrainingView(TrainersView):
    """Go on with a training that was stopped or has failed."""

    @extend_schema(operation_id="trainings_resume", request=None, responses={202: TrainingDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        training = resume_training(training=_visible(request, pk), actor=person(request))
        return Response(_detail(request, training), status=status.HTTP_202_ACCEPTED)


class LossCurvesView(ResearchersView):
    """The loss by epoch: as a Vega-Lite specification, data included, or as an image."""

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


def _visible(request: Request, pk: UUID) -> Training:
    trainings = Training.objects.visible_to(person(request)).select_related("dataset", "split")
    training: Training = get_object_or_404(trainings, pk=pk)
    return training


def _detail(request: Request, training: Training) -> dict[str, Any]:
    standing = standing_of(training, person(request))
    return dict(TrainingDetailSerializer(training, context={"standing": standing}).data)
