"""Importing from the browser: the formats, the upload, and the job that processes it."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import UploadParser, valid
from annotations.api.translating import InTheirLanguage, said_schema
from annotations.api.views import APIView, CanImport, person
from annotations.api.waiting import WaitingSerializer, waiting
from annotations.background import jobs
from annotations.ground import bounded_json
from annotations.importing.deleting import undo_import
from annotations.importing.formats import Reader, dataset_readers, prediction_readers
from annotations.importing.jobs import refuse_too_large, start_import
from annotations.importing.memory.options import BadOption, in_plain_words, label_names_in
from annotations.models import Dataset, ImportJob, JobState

NEWEST = 50
ROOM_FOR_FIELDS = 1 << 20
MOST_LABEL_NAMES = 100_000


class ImportFormatSerializer(serializers.Serializer["Reader[Any]"]):
    name = serializers.CharField()
    title = InTheirLanguage()
    kind = serializers.ChoiceField(choices=ImportJob.Kind.choices)
    description = InTheirLanguage()
    options = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_options(self, reader: "Reader[Any]") -> dict[str, Any]:
        schema: dict[str, Any] = said_schema(in_plain_words(reader.options.model_json_schema()))
        return schema


class ProblemSerializer(serializers.Serializer[Any]):
    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.CharField()
    value = serializers.CharField()
    reason = serializers.CharField()
    remedy = serializers.CharField()


class ImportReportSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=ImportJob.Kind.choices)
    dataset = serializers.CharField()
    dry_run = serializers.BooleanField()
    format = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())
    task = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    instances = serializers.IntegerField()
    annotations = serializers.IntegerField()
    annotators = serializers.IntegerField()
    votes = serializers.IntegerField()
    judges = serializers.IntegerField()
    systems = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())
    fingerprint = serializers.CharField()
    changed = serializers.BooleanField()
    problem_count = serializers.IntegerField()
    problems = ProblemSerializer(many=True)


class ImportProgressSerializer(serializers.Serializer[ImportJob]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    message = serializers.CharField(source="progress_message")


class ImportJobSerializer(WaitingSerializer, serializers.ModelSerializer[ImportJob]):
    dataset = serializers.CharField(source="dataset_slug")
    progress = ImportProgressSerializer(source="*")
    report = ImportReportSerializer(allow_null=True)
    files = serializers.SerializerMethodField()
    made = serializers.SerializerMethodField(help_text="The dataset that holds what the import stored; null: none.")

    class Meta:
        model = ImportJob
        fields = [
            "id",
            "kind",
            "format",
            "dataset",
            "title",
            "options",
            "files",
            "dry_run",
            "replace",
            "state",
            "progress",
            "error",
            "report",
            "worker_alive",
            "waits_for",
            "made",
            "undone_at",
            "created_at",
            "started_at",
            "finished_at",
        ]
        # Output only, so the schema says that every field is always there.
        read_only_fields = fields

    def get_files(self, job: ImportJob) -> list[str]:
        return [file.name for file in job.files.all()]

    def get_made(self, job: ImportJob) -> str | None:
        stored = job.state == JobState.SUCCEEDED and not job.dry_run and job.undone_at is None
        return job.dataset_slug if stored and job.dataset_slug in self.context["datasets"] else None


class OptionsField(serializers.JSONField):
    """JSON in a field of a form, no deeper than a body of JSON may be."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            try:
                bounded_json.loads(data)
            except ValueError:
                self.fail("invalid")
        return super().to_internal_value(data)


class ImportRequestSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(child=serializers.FileField(allow_empty_file=True), allow_empty=False)
    kind = serializers.ChoiceField(choices=ImportJob.Kind.choices)
    format = serializers.CharField(required=False, allow_blank=True, default="", max_length=50)
    dataset = serializers.RegexField(
        r"^[-a-zA-Z0-9_]+\Z",
        max_length=80,
        error_messages={
            "invalid": gettext_lazy(
                "The short name can contain only letters (a to z), digits, hyphens and underscores."
            ),
            "blank": gettext_lazy("Please enter a short name."),
            "required": gettext_lazy("Please enter a short name."),
            "max_length": gettext_lazy("The short name can have at most 80 characters."),
        },
    )
    title = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)
    options = OptionsField(required=False, default=dict)
    label_names = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=MOST_LABEL_NAMES,
        help_text="Other names for a dataset's labels: pairs such as 0=no, 1=yes (or one per line), or a JSON object. "
        "Labels given the same name are merged.",
    )
    dry_run = serializers.BooleanField(required=False, default=False)
    replace = serializers.BooleanField(
        required=False, default=False, help_text="Replace what has the same name and is not in use."
    )

    def validate_options(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise serializers.ValidationError(_("This must be a JSON object."))
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        visible = Dataset.objects.visible_to(self.context["user"])
        if attrs["kind"] == ImportJob.Kind.PREDICTIONS and not visible.filter(slug=attrs["dataset"]).exists():
            raise serializers.ValidationError({"dataset": _("This dataset does not exist.")})
        if attrs["label_names"].strip():
            if attrs["kind"] != ImportJob.Kind.DATASET:
                raise serializers.ValidationError(
                    {"label_names": _("Labels can only be renamed when importing a dataset.")}
                )
            attrs["options"] = attrs["options"] | {"label_names": attrs["label_names"]}
        try:
            label_names_in(attrs["options"])
        except BadOption as error:
            raise serializers.ValidationError({"label_names": error.message}) from error
        return attrs


def shown(job: ImportJob, request: Request) -> dict[str, Any]:
    return dict(ImportJobSerializer(job, context=_context(request)).data)


def _context(request: Request) -> dict[str, Any]:
    user = person(request)
    named = ImportJob.objects.visible_to(user).order_by().values("dataset_slug")
    datasets = Dataset.objects.visible_to(user).filter(slug__in=named).values_list("slug", flat=True)
    return waiting(request) | {"datasets": set(datasets)}


class ImportersView(APIView):
    permission_classes = [CanImport]


class ImportFormatsView(ImportersView):
    @extend_schema(operation_id="import_formats_list", responses=page_of(ImportFormatSerializer))
    def get(self, request: Request) -> Response:
        """Every format with the JSON Schema of its options, from which the page builds a form."""
        readers: list[Reader[Any]] = [*dataset_readers, *prediction_readers]
        return paged(request, readers, ImportFormatSerializer, was_plain=True)


class ImportFilters(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=JobState.choices, required=False)
    kind = serializers.ChoiceField(choices=ImportJob.Kind.choices, required=False)


def _length(request: Request) -> int:
    header = str(request.META.get("CONTENT_LENGTH") or "")
    return int(header) if header.isascii() and header.isdigit() and len(header) < 20 else 0


class ImportsView(ImportersView):
    parser_classes = [UploadParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # Before anything reads the body, as checking the CSRF token does.
        refuse_too_large(max(0, _length(request) - ROOM_FOR_FIELDS))
        super().initial(request, *args, **kwargs)

    @extend_schema(operation_id="imports_list", parameters=[ImportFilters], responses=page_of(ImportJobSerializer))
    def get(self, request: Request) -> Response:
        """Your imports, newest first."""
        user = person(request)
        mine = ImportJob.objects.visible_to(user).filter(**filters_of(request, ImportFilters))
        newest = mine.prefetch_related("files").order_by("-created_at", "pk")
        context = _context(request)
        return paged(request, newest, ImportJobSerializer, context=context, was_plain=True, plain_rows=NEWEST)

    @extend_schema(
        operation_id="imports_start",
        request={"multipart/form-data": ImportRequestSerializer},
        responses={202: ImportJobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Upload files for a worker to import, or only to report what importing them would do (`dry_run`)."""
        user = person(request)
        data = valid(ImportRequestSerializer(data=request.data, context={"user": user}))
        job = start_import(
            owner=user,
            kind=data["kind"],
            format_name=data["format"],
            slug=data["dataset"],
            title=data["title"],
            options=data["options"],
            dry_run=data["dry_run"],
            replace=data["replace"],
            uploads=data["files"],
        )
        return Response(shown(job, request), status=status.HTTP_202_ACCEPTED)


class ImportView(ImportersView):
    @extend_schema(operation_id="imports_show", responses=ImportJobSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """One import: its progress while it runs, its report once it has ended."""
        return Response(shown(visible_import(request, pk), request))


class ImportCancelView(ImportersView):
    @extend_schema(operation_id="imports_cancel", request=None, responses=ImportJobSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        """Stop an import. Nothing of it remains: it writes everything or nothing, at the very end."""
        return Response(shown(jobs.cancel(visible_import(request, pk)), request))


class ImportUndoView(ImportersView):
    @extend_schema(operation_id="imports_undo", request=None, responses=ImportJobSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        """Delete what an import stored, and any analyses of it; refused once a study uses it."""
        user = person(request)
        undo_import(job=visible_import(request, pk), actor=user)
        return Response(shown(visible_import(request, pk), request))


def visible_import(request: Request, pk: UUID) -> ImportJob:
    return get_object_or_404(ImportJob.objects.visible_to(person(request)).prefetch_related("files"), pk=pk)
