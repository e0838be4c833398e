"""The shapes of analyses and runs on the wire."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotations.models import JobState
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.running import MAX_SEED

OBJECT = {"type": "object", "additionalProperties": {}}


@extend_schema_field(OBJECT)
class ObjectField(serializers.JSONField):
    """A JSON object, and nothing else."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        value = super().to_internal_value(data)
        if not isinstance(value, dict):
            raise serializers.ValidationError("This must be a JSON object.")
        return value


class AnalysisSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    parameters = ObjectField(source="schema", help_text="JSON Schema: types, bounds, defaults and help.")
    figures = serializers.ListField(child=serializers.CharField())


class RunRequestSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField(max_length=80)
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MAX_SEED, help_text="Empty: the study's."
    )


class RunProgressSerializer(serializers.Serializer[AnalysisRun]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    message = serializers.CharField(source="progress_message")


class RunSerializer(serializers.Serializer[AnalysisRun]):
    """A run without its result. `worker_alive` comes with the context, for it costs a query."""

    id = serializers.UUIDField()
    study = serializers.CharField(source="study.slug")
    analysis = serializers.CharField()
    parameters = ObjectField()
    seed = serializers.IntegerField()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress = RunProgressSerializer(source="*")
    error = serializers.CharField()
    is_simulated = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    figures = serializers.ListField(child=serializers.CharField())
    worker_alive = serializers.SerializerMethodField()

    def get_worker_alive(self, _run: AnalysisRun) -> bool:
        return cast(bool, self.context["worker_alive"])


class RunDetailSerializer(RunSerializer):
    """A run with its result, and with the traceback of a failure for admins."""

    error_detail = serializers.SerializerMethodField()
    result = ObjectField(allow_null=True)

    def get_error_detail(self, run: AnalysisRun) -> str:
        return run.error_detail if self.context.get("for_admin") else ""
