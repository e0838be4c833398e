"""The shapes in which analyses and runs are sent; a result is the stored JSON, described by its analysis's types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from django.utils import timezone
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, extend_schema_field
from rest_framework import serializers

from annotations.api.waiting import WaitingSerializer
from annotations.models import JobState
from metaeval.analyses.base.printing import PrintedColumn, printed_columns
from metaeval.analyses.base.registry import analyses, figure_titles
from metaeval.analyses.base.table import Kind, Table
from metaeval.analyses.base.wording import GROUPS
from metaeval.analyses.base.work import blocks_in
from metaeval.analyses.inputs.parts import Json
from metaeval.jobs.answers import ToldAnswers
from metaeval.jobs.models import AnalysisRun, AnalysisRunLine, Subjects
from metaeval.jobs.runs import MAX_SEED, subject_of

REFERENCE = "#/components/schemas/{model}"


class ResultField(serializers.JSONField):
    """The result of any analysis; `analysis` says which."""


class ResultFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # the library has no types
    """Says in the schema that the field is one of the declared results."""

    target_class = "metaeval.api.serializers.ResultField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Json:
        names = {entry.name: REFERENCE.format(model=entry.result.__name__) for entry in analyses}
        return {
            "oneOf": [{"$ref": name} for name in names.values()],
            "discriminator": {"propertyName": "analysis", "mapping": names},
        }


def with_results(result: Json, generator: Any, request: Any, public: bool) -> Json:
    """Write the declared result of every analysis, and its parts, into the schema (a hook of drf-spectacular).

    It runs after the hook that names sets of choices, so that those in results stay where they are declared.
    """
    components = result["components"]["schemas"]
    for entry in analyses:
        schema = entry.result.model_json_schema(ref_template=REFERENCE, mode="serialization")
        declared = {**schema.pop("$defs", {}), entry.result.__name__: schema}
        for name, part in declared.items():
            if components.setdefault(name, part) != part:
                raise ValueError(f"the schema has two parts called {name}")
    result["components"]["schemas"] = dict(sorted(components.items()))
    return result


MOVED = 0.1
"""Which share of a loop must be done before its pace says anything: the first blocks fill caches."""
SOON = 2.0
"""How many seconds a run must have taken before its remaining time is estimated."""

TOLD = (
    "The result in one plain sentence; empty if there is none yet. null: the study has not closed, and "
    "nobody asked for results (`?answers=true`)."
)
NUMBER = (
    "For a study's run: its number among the runs of its analysis, which is part of its address. "
    "null if it belongs to no study."
)
PLANNED = "Whether the result was planned before the study opened; null if there is no study or no result."
ANSWER = {"type": "string", "nullable": True, "description": TOLD}
OBJECT = {"type": "object", "additionalProperties": {}}


@extend_schema_field(OBJECT)
class ObjectField(serializers.JSONField):
    """A JSON object, and nothing else."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        value = super().to_internal_value(data)
        if not isinstance(value, dict):
            raise serializers.ValidationError("This must be a JSON object.")
        return value


class AnswersAsked(serializers.Serializer[Any]):
    answers = serializers.BooleanField(
        default=False,
        help_text=("Show the results too, even though the study has not closed: the history will say who looked."),
    )


class LatestRunSerializer(serializers.Serializer[AnalysisRun]):
    """The newest run that answered a question."""

    id = serializers.UUIDField()
    number = serializers.IntegerField(allow_null=True, help_text=NUMBER)
    is_planned = serializers.BooleanField(allow_null=True, help_text=PLANNED)
    finished_at = serializers.DateTimeField(allow_null=True)
    is_simulated = serializers.BooleanField()
    answer = serializers.SerializerMethodField(help_text=TOLD)

    @extend_schema_field(ANSWER)
    def get_answer(self, run: AnalysisRun) -> str | None:
        return _answer(self.context, run)


class AnalysisSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    question = serializers.CharField(help_text="The same in plain words.")
    group = serializers.ChoiceField(choices=GROUPS, help_text="What the question is about.")
    place = serializers.IntegerField(help_text="Among all questions: the lowest first.")
    is_preset = serializers.BooleanField(help_text="Whether it is the question that a study is about.")
    shows = serializers.CharField(allow_blank=True, help_text="What its answer looks like, and what it needs.")
    available = serializers.BooleanField(help_text="Whether it can be answered now.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it cannot, as a sentence.")
    latest = LatestRunSerializer(allow_null=True, help_text="The newest run that answered it about this subject.")
    subjects = serializers.ListField(child=serializers.ChoiceField(choices=Subjects.choices))
    parameters = ObjectField(help_text="JSON Schema: types, bounds, defaults and help.")
    figures = serializers.ListField(child=serializers.CharField())


class RunRequestSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField(max_length=80)
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_SEED,
        help_text="If empty: the seed that was planned for this, or the study's; 0 if there is no study.",
    )
    rerun = serializers.BooleanField(
        required=False, default=False, help_text=("Compute even if a result of the same question is stored.")
    )


class FreeRunRequestSerializer(RunRequestSerializer):
    datasets = serializers.ListField(
        child=serializers.SlugField(max_length=80),
        required=False,
        default=list,
        help_text="Slugs of the datasets; none for a simulation.",
    )


class RunFilters(AnswersAsked):
    analysis = serializers.CharField(required=False, max_length=80)
    state = serializers.ChoiceField(choices=JobState.choices, required=False)


class RunProgressSerializer(serializers.Serializer[AnalysisRun]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    message = serializers.CharField(source="progress_message")
    seconds_left = serializers.SerializerMethodField(
        help_text=("About how much longer it takes, judging by how long it has taken so far; null if nothing is known.")
    )

    def get_seconds_left(self, run: AnalysisRun) -> int | None:
        return seconds_left(run)


class RunSerializer(WaitingSerializer):
    """A run without its result."""

    id = serializers.UUIDField()
    subject = serializers.ChoiceField(choices=Subjects.choices)
    study = serializers.SerializerMethodField()
    dataset = serializers.SerializerMethodField()
    datasets = serializers.SerializerMethodField()
    about = serializers.SerializerMethodField()
    analysis = serializers.CharField()
    number = serializers.IntegerField(allow_null=True, help_text=NUMBER)
    is_planned = serializers.BooleanField(allow_null=True, help_text=PLANNED)
    answers_erased_at = serializers.DateTimeField(
        allow_null=True, help_text="When answers or a text that the result counts were erased."
    )
    parameters = ObjectField()
    seed = serializers.IntegerField()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress = RunProgressSerializer(source="*")
    error = serializers.CharField()
    is_simulated = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.SerializerMethodField(help_text=TOLD)
    figures = serializers.ListField(child=serializers.CharField())
    answered_by = serializers.UUIDField(
        source="answered_by_id", allow_null=True, help_text="The earlier run whose stored result this is."
    )

    def get_study(self, run: AnalysisRun) -> str | None:
        return run.study.slug if run.study else None

    def get_dataset(self, run: AnalysisRun) -> str | None:
        return run.dataset.slug if run.dataset else None

    def get_datasets(self, run: AnalysisRun) -> list[str]:
        return sorted(dataset.slug for dataset in run.datasets.all())

    def get_about(self, run: AnalysisRun) -> str:
        """The title of the run's subject."""
        if run.study is not None:
            return run.study.title
        if run.dataset is not None:
            return run.dataset.title
        return ", ".join(dataset.title for dataset in run.datasets.all()) or "Simulation"

    @extend_schema_field(ANSWER)
    def get_answer(self, run: AnalysisRun) -> str | None:
        return _answer(self.context, run)


class RunLineSerializer(serializers.Serializer[AnalysisRunLine]):
    at = serializers.DateTimeField()
    text = serializers.CharField()


class PrintedColumnSerializer(serializers.Serializer[PrintedColumn]):
    """A printed column; both ends of an interval are one, and so are a mean and its standard deviation."""

    key = serializers.CharField()
    high = serializers.CharField(allow_null=True, help_text="For an interval: the key of its upper end.")
    spread = serializers.CharField(allow_null=True, help_text="For a mean: the key of its standard deviation.")
    title = serializers.CharField()
    group = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=get_args(Kind), allow_blank=True)
    is_numeric = serializers.BooleanField()
    is_whole = serializers.BooleanField(help_text="Whether all its numbers are counts, printed without decimals.")
    is_main = serializers.BooleanField(help_text="Whether a wide table shows it by default.")


class RunDetailSerializer(RunSerializer):
    """A run with its log and result and, for admins, the traceback of a failure."""

    log = RunLineSerializer(source="lines", many=True)
    error_detail = serializers.SerializerMethodField()
    result = ResultField(allow_null=True)
    printed = serializers.SerializerMethodField(
        help_text="How the result's tables are printed: for each table, by its name, the columns."
    )

    figure_titles = serializers.SerializerMethodField(
        help_text="The titles of its figures in a list; variants for a metric, by its title."
    )

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_figure_titles(self, run: AnalysisRun) -> dict[str, str]:
        return figure_titles(run.figures)

    @extend_schema_field(serializers.DictField(child=PrintedColumnSerializer(many=True)))
    def get_printed(self, run: AnalysisRun) -> dict[str, Any]:
        tables = [Table.from_json(table) for table in (run.result or {}).get("tables", [])]
        return {table.name: [column.plain() for column in printed_columns(table)] for table in tables}

    def get_error_detail(self, run: AnalysisRun) -> str:
        return run.error_detail if self.context.get("for_admin") else ""


def _answer(context: Mapping[str, Any], run: AnalysisRun) -> str | None:
    """What the run found, from the context; null if it must not be shown."""
    answers: ToldAnswers | None = context.get("answers")
    return None if answers is None else answers.of(run)


def seconds_left(run: AnalysisRun) -> int | None:
    """About how long a running one will still take, at its pace so far; None until the loop that it is in, which takes
    nearly all of the time, has moved."""
    if run.state != JobState.RUNNING or run.started_at is None or not run.progress_total:
        return None
    done, total = blocks_in(run.progress_message) or (run.progress_done, run.progress_total)
    if done < MOVED * total:
        return None
    taken = (timezone.now() - run.started_at).total_seconds()
    remaining = max(0, run.progress_total - run.progress_done)
    return round(taken * remaining / run.progress_done) if taken >= SOON else None


def file_stem(run: AnalysisRun, part: str) -> str:
    """The name of a run's file: its subject, the analysis, the part."""
    return "-".join(dict.fromkeys([subject_of(run).name, run.analysis, part]))
