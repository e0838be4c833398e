"""After the last answer: the comparisons an expert is asked to guess about, and storing the guesses (guessing.py)."""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering import correcting, guessing
from annotations.api.answering.expert import saved
from annotations.api.answering.shapes import shown_to_expert
from annotations.api.answering.task_serializers import AnswerSerializer, SavedSerializer, TaskAssignmentSerializer
from annotations.api.parsing import valid
from annotations.api.permissions import person
from annotations.api.views import APIView
from annotations.models import GuessedSide


class GuessAnswerSerializer(AnswerSerializer):
    side = serializers.ChoiceField(choices=GuessedSide.choices, help_text="Which side shows the human judgements.")


class GuessesSerializer(serializers.Serializer[Any]):
    assignments = TaskAssignmentSerializer(
        many=True, help_text="Answered comparisons, shown as they were when answered."
    )
    may_correct = serializers.BooleanField(help_text="Whether the last answer can still be changed.")


class GuessesView(APIView):
    """The comparisons for which the expert still has to guess the human side; none until everything is answered."""

    @extend_schema(operation_id="expert_guesses", responses=GuessesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        assignments = guessing.guesses_of(user=person(request), slug=slug)
        labels = list(assignments[0].study.dataset.labels.all()) if assignments else []
        shown = [shown_to_expert(assignment, labels, study=assignment.study) for assignment in assignments]
        may_correct = correcting.may_correct(user=person(request), slug=slug)
        return Response(GuessesSerializer({"assignments": shown, "may_correct": may_correct}).data)


class GuessView(APIView):
    """Store a guess. The response does not say whether it was right."""

    @extend_schema(operation_id="expert_guess", request=GuessAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = valid(GuessAnswerSerializer(data=request.data))
        answer["side"] = GuessedSide(answer["side"])
        return saved(guessing.store_guess(user=person(request), token=token, **answer))
