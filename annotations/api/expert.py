"""What an expert can reach: the next assignment, and storing step 1, step 2 and reports. Nothing else.

A task is the only shape that carries an assignment. It holds no ids but the assignment's random token, no
names of sources, and both sides are made in the same way (annotations/displaying.py).
"""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import recording
from annotations.api.permissions import person
from annotations.assigning import Handed, in_hand, next_assignment
from annotations.displaying import Bar, bars, in_step_1_order, sides
from annotations.instructions import as_html
from annotations.labelling import label_set
from annotations.models import Instance, Label, ReportReason, Task
from annotations.progress import progress_now

MAX_MS = 2**31 - 1


class LabelSerializer(serializers.Serializer[Label]):
    position = serializers.IntegerField()
    name = serializers.CharField()
    exclusive = serializers.BooleanField()


class TaskStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    instructions_html = serializers.CharField(help_text="Sanitised.")
    task = serializers.ChoiceField(choices=Task.choices)
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    labels = LabelSerializer(many=True, help_text="In the order in which they are shown.")


class ProgressSerializer(serializers.Serializer[Any]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    minutes_left = serializers.IntegerField(allow_null=True)


class SegmentSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)


class BarSerializer(serializers.Serializer[Bar]):
    label = serializers.CharField()  # type: ignore[assignment]  # the field's name, not the serializer's label
    value = serializers.FloatField()


class SidesSerializer(serializers.Serializer[Any]):
    a = BarSerializer(many=True)
    b = BarSerializer(many=True)


class TaskAssignmentSerializer(serializers.Serializer[Any]):
    token = serializers.UUIDField()
    step = serializers.ChoiceField(choices=[1, 2])
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    language = serializers.CharField()
    segments = SegmentSerializer(many=True)
    selected = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    comparison = SidesSerializer(allow_null=True, help_text="Only in step 2.")


class TaskSerializer(serializers.Serializer[Any]):
    study = TaskStudySerializer()
    progress = ProgressSerializer()
    saved_at = serializers.DateTimeField(allow_null=True, help_text="When the newest answer was stored.")
    assignment = TaskAssignmentSerializer(allow_null=True)
    finished = serializers.ChoiceField(choices=["", "all_done", "nothing_available", "paused", "closed"])


class SavedSerializer(serializers.Serializer[Any]):
    saved_at = serializers.DateTimeField()
    progress = ProgressSerializer()


class AnswerSerializer(serializers.Serializer[Any]):
    key = serializers.UUIDField(help_text="Made in the browser; sending twice stores once.")


class LabelsAnswerSerializer(AnswerSerializer):
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=10_000)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class PreferenceAnswerSerializer(AnswerSerializer):
    a_chosen = serializers.BooleanField()
    b_chosen = serializers.BooleanField()
    certainty = serializers.FloatField(min_value=0, max_value=1)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class ReportSerializer(AnswerSerializer):
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    text = serializers.CharField(allow_blank=True, max_length=4000)
    skip = serializers.BooleanField()


def task_of(handed: Handed) -> dict[str, Any]:
    """What the expert's page gets."""
    study, assignment = handed.expert.study, handed.assignment
    labels = label_set(handed.expert)
    task = {
        "study": {
            "slug": study.slug,
            "title": study.title,
            "instructions_html": as_html(study.instructions),
            "task": study.dataset.task,
            "question_labels": study.question_labels,
            "question_preference": study.question_preference,
            "language": getattr(handed.expert, "language", None) or "en",
            "direction": getattr(handed.expert, "direction", None) or Instance.Direction.LTR,
            "labels": in_step_1_order(labels, task=study.dataset.task),
        },
        "progress": handed.progress,
        "saved_at": handed.saved_at,
        "assignment": None,
        "finished": handed.finished,
    }
    if assignment is not None:
        instance = assignment.instance
        comparison = None
        if assignment.comparison_shown_at is not None:
            a, b = (
                bars(side, labels, threshold=study.display_threshold, step=study.display_step, task=study.dataset.task)
                for side in sides(assignment)
            )
            comparison = {"a": a, "b": b}
        task["assignment"] = {
            "token": assignment.token,
            "step": 1 if comparison is None else 2,
            "direction": instance.direction,
            "language": instance.language,
            "segments": instance.segments,
            "selected": handed.labels,
            "comparison": comparison,
        }
    return dict(TaskSerializer(task).data)


def _valid(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


class NextView(APIView):
    """The unfinished assignment, or the next one."""

    @extend_schema(operation_id="expert_next", request=None, responses=TaskSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(task_of(next_assignment(user=person(request), slug=slug)))


class LabelsView(APIView):
    """Store step 1; the answer is step 2 of the same assignment."""

    @extend_schema(operation_id="expert_labels", request=LabelsAnswerSerializer, responses=TaskSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = _valid(LabelsAnswerSerializer(data=request.data))
        recording.store_labels(user=person(request), token=token, **answer)
        return Response(task_of(in_hand(user=person(request), token=token)))


class PreferenceView(APIView):
    """Store step 2."""

    @extend_schema(operation_id="expert_preference", request=PreferenceAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = _valid(PreferenceAnswerSerializer(data=request.data))
        response = recording.store_preference(user=person(request), token=token, **answer)
        return _saved(response)


class ReportView(APIView):
    """Report a problem with a text, and skip it if wanted."""

    @extend_schema(operation_id="expert_report", request=ReportSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = _valid(ReportSerializer(data=request.data))
        report = recording.store_report(user=person(request), token=token, **answer)
        return _saved(report)


def _saved(stored: Any) -> Response:
    progress = progress_now(stored.assignment.expert_id)
    return Response(SavedSerializer({"saved_at": stored.created_at, "progress": progress}).data)
