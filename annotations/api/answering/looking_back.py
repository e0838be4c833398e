"""An expert's own answers, read-only: a list, and each of them as it was shown (looking_back.py)."""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.experts import label_set
from annotations.answering.looking_back import own_answer, own_answers
from annotations.api.answering.shapes import shown_to_expert, study_shown_to
from annotations.api.answering.task_serializers import (
    AnsweredSerializer,
    TaskAssignmentSerializer,
    TaskStudySerializer,
)
from annotations.api.paging import page_of, paged
from annotations.api.permissions import person
from annotations.api.views import APIView
from annotations.models import Instance

BEGINNING = 160


class OwnAnswerSerializer(AnsweredSerializer):
    """One row of the list."""

    token = serializers.UUIDField()
    number = serializers.IntegerField(help_text="Which of the expert's texts it was, from 1.")
    beginning = serializers.SerializerMethodField(help_text="How the text begins.")
    language = serializers.CharField(source="instance.language")
    direction = serializers.ChoiceField(source="instance.direction", choices=Instance.Direction.choices)
    labels = serializers.SerializerMethodField(help_text="The labels chosen in step 1, as experts read them.")
    answered_at = serializers.DateTimeField()

    def get_beginning(self, assignment: Any) -> str:
        text = " ".join(" ".join(segment["text"] for segment in assignment.instance.segments).split())
        return text if len(text) <= BEGINNING else f"{text[:BEGINNING].rsplit(' ', 1)[0]} …"

    def get_labels(self, assignment: Any) -> list[str]:
        names: dict[int, str] = self.context["names"]
        return [names[position] for position in assignment.chosen_labels]


class LookedBackSerializer(serializers.Serializer[Any]):
    """One answer with everything that was shown."""

    study = TaskStudySerializer()
    assignment = TaskAssignmentSerializer()
    number = serializers.IntegerField(help_text="Which of the expert's texts it was, from 1.")
    answered_at = serializers.DateTimeField()


class OwnAnswersView(APIView):
    """The expert's own answers, newest first. Read-only."""

    @extend_schema(operation_id="expert_answers", responses=page_of(OwnAnswerSerializer))
    def get(self, request: Request, slug: str) -> Response:
        expert, answers = own_answers(user=person(request), slug=slug)
        names = {label.position: label.shown for label in label_set(expert)}
        return paged(request, answers, OwnAnswerSerializer, context={"names": names})


class OwnAnswerView(APIView):
    """One of the expert's own answers, with the text and chart as they were shown."""

    @extend_schema(operation_id="expert_answer", responses=LookedBackSerializer)
    def get(self, request: Request, token: uuid.UUID) -> Response:
        found = own_answer(user=person(request), token=token)
        study = found.expert.study
        shown = shown_to_expert(
            found.assignment,
            label_set(found.expert),
            study=study,
            selected=found.labels,
            answered=found.preference,
        )
        told = {
            "study": study_shown_to(found.expert),
            "assignment": shown,
            "number": found.assignment.number,
            "answered_at": found.assignment.answered_at,
        }
        return Response(LookedBackSerializer(told).data)
