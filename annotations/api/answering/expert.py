"""Everything an expert can reach: the next assignment, and storing step 1, step 2 and reports."""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.assigning import ask_for_more, next_assignment
from annotations.answering.correcting import last_answered, store_correction
from annotations.answering.seeing import PageSeen
from annotations.answering.standing import current_progress
from annotations.answering.submitting import submit_labels, submit_preference, submit_report
from annotations.api.answering.shapes import labels_taken, moment, progress_in, task_of, with_next
from annotations.api.answering.task_serializers import (
    LabelsAnswerSerializer,
    LabelsTakenSerializer,
    PreferenceAnswerSerializer,
    ReportSerializer,
    SavedSerializer,
    Step2AnswerSerializer,
    TaskSerializer,
    WithNextSerializer,
)
from annotations.api.parsing import valid
from annotations.api.permissions import person
from annotations.api.views import APIView
from annotations.people.membership.members import practised

# A serializer copies its fields whenever one is made, which takes longer than using them; so all requests share these.
LABELS_ANSWER, STEP_2_ANSWER = LabelsAnswerSerializer(), Step2AnswerSerializer()


def with_seen(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer, with what the expert was shown as one object."""
    seen = PageSeen(answer.pop("instrument_version", None), answer.pop("page_language", ""))
    return {**answer, "seen": seen}


class NextView(APIView):
    """The unfinished assignment, or the next one."""

    @extend_schema(operation_id="expert_next", request=None, responses=TaskSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(task_of(next_assignment(user=person(request), slug=slug)))


class MoreView(APIView):
    """Ask for more texts than were promised; returns the first of them."""

    @extend_schema(operation_id="expert_more", request=None, responses=TaskSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(task_of(ask_for_more(user=person(request), slug=slug)))


class LastView(APIView):
    """Step 2 of the expert's last completed assignment with their answer, so that they can change it."""

    @extend_schema(operation_id="expert_last", request=None, responses=TaskSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(task_of(last_answered(user=person(request), slug=slug)))


class PractisedView(APIView):
    """Record that the expert finished or skipped the practice: no device starts with it again."""

    @extend_schema(operation_id="expert_practised", request=None, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        practised(user=person(request), slug=slug)
        return Response(status=status.HTTP_204_NO_CONTENT)


class LabelsView(APIView):
    """Store step 1; returns step 2 of the same assignment, and the one after it: at most one ahead."""

    @extend_schema(operation_id="expert_labels", request=LabelsAnswerSerializer, responses=LabelsTakenSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(dict(LABELS_ANSWER.run_validation(request.data)))
        return Response(labels_taken(submit_labels(user=person(request), token=token, **answer)))


class PreferenceView(APIView):
    """Store step 2; returns what comes next, unless the page has it."""

    @extend_schema(operation_id="expert_preference", request=Step2AnswerSerializer, responses=WithNextSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(dict(STEP_2_ANSWER.run_validation(request.data)))
        return Response(with_next(submit_preference(user=person(request), token=token, **answer)))


class CorrectionView(APIView):
    """Change the answer to step 2 of the last completed assignment: a new revision, of which the newest counts."""

    @extend_schema(operation_id="expert_correction", request=PreferenceAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(valid(PreferenceAnswerSerializer(data=request.data)))
        response = store_correction(user=person(request), token=token, **answer)
        return saved(response)


class ReportView(APIView):
    """Report a problem with a text and, optionally, skip it; returns what comes next if it is skipped."""

    @extend_schema(operation_id="expert_report", request=ReportSerializer, responses=WithNextSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = valid(ReportSerializer(data=request.data))
        return Response(with_next(submit_report(user=person(request), token=token, **answer)))


def saved(stored: Any) -> Response:
    progress = current_progress(stored.assignment.expert_id)
    return Response({"saved_at": moment(stored.created_at), "progress": progress_in(progress)})
