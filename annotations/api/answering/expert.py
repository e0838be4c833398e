"""Everything an expert can reach: the next assignment, and storing step 1, step 2 and reports.

A task is the only shape in which an assignment is sent. Its only id is the assignment's random token, it names no
sources, and both sides are built in the same way (annotations/displaying.py).
"""

import uuid
from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.answering import recording
from annotations.answering.assigning import Handed, ask_for_more, following_assignment, in_hand, next_assignment
from annotations.answering.correcting import last_answered, store_correction
from annotations.answering.labelling import label_set
from annotations.answering.progress import progress_now
from annotations.answering.seeing import PageSeen
from annotations.api.permissions import person
from annotations.displaying import Bar, DisplayRule, bars, in_step_1_order, sides
from annotations.instructions import as_html
from annotations.languages import language_and_direction
from annotations.models import (
    Assignment,
    Instance,
    Label,
    Layout,
    Leaving,
    PreferenceResponse,
    ReportReason,
    Study,
    Task,
)
from annotations.people.members import practised

MAX_MS = 2**31 - 1


class LabelSerializer(serializers.Serializer[Label]):
    position = serializers.IntegerField()
    name = serializers.CharField(source="shown")
    search_words = serializers.ListField(
        child=serializers.CharField(), help_text="Other words that find it in a search. They are not shown as labels."
    )
    exclusive = serializers.BooleanField()


class TaskStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    instructions_html = serializers.CharField(help_text="Sanitised HTML.")
    task = serializers.ChoiceField(choices=Task.choices)
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    share_meaning = serializers.CharField(help_text="What a bar on either side means. Empty: the page's own words.")
    instrument_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the study's and the pages' wording; sent back with an answer."
    )
    question_certainty = serializers.CharField(help_text="Empty: the page asks in its own words.")
    layout = serializers.ChoiceField(choices=Layout.choices, help_text="How step 2 draws its two sides.")
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    asks_guess = serializers.BooleanField(help_text="Whether experts are asked for guesses after the last answer.")
    leaving = serializers.ChoiceField(
        choices=Leaving.choices, help_text="What happens to the expert's answers on leaving."
    )
    repeats = serializers.BooleanField(help_text="Whether some texts come twice, but never which.")
    labels = LabelSerializer(many=True, help_text="In the order shown.")


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
    identical = serializers.BooleanField(
        help_text="Both sides look the same: they are shown once, and the answer is both or neither."
    )


class AnsweredSerializer(serializers.Serializer[Any]):
    a_chosen = serializers.BooleanField()
    b_chosen = serializers.BooleanField()
    certainty = serializers.FloatField(allow_null=True)


class TaskAssignmentSerializer(serializers.Serializer[Any]):
    token = serializers.UUIDField()
    step = serializers.ChoiceField(choices=[1, 2])
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    language = serializers.CharField()
    segments = SegmentSerializer(many=True)
    selected = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    comparison = SidesSerializer(allow_null=True, help_text="Only in step 2.")
    answered = AnsweredSerializer(allow_null=True, help_text="The expert's own answer, if it is being changed.")


class TaskSerializer(serializers.Serializer[Any]):
    study = TaskStudySerializer()
    progress = ProgressSerializer()
    saved_at = serializers.DateTimeField(allow_null=True, help_text="When the newest answer was stored.")
    assignment = TaskAssignmentSerializer(allow_null=True)
    practised = serializers.BooleanField(help_text="Whether the expert has finished or skipped the practice.")
    finished = serializers.ChoiceField(
        choices=["", "asked_first", "all_done", "nothing_available", "not_open_yet", "paused", "closed"],
        help_text="`asked_first`: the expert must first consent or answer questions about themselves (see profile).",
    )
    more = serializers.IntegerField(help_text="How many more texts the expert may ask for, if they have none in hand.")
    opens_at = serializers.DateTimeField(
        allow_null=True, help_text="When the study is due to open, if that is announced."
    )


class SavedSerializer(serializers.Serializer[Any]):
    saved_at = serializers.DateTimeField()
    progress = ProgressSerializer()


class AnswerSerializer(serializers.Serializer[Any]):
    key = serializers.UUIDField(help_text="Generated in the browser; sending it twice stores one answer.")


class StepAnswerSerializer(AnswerSerializer):
    instrument_version = serializers.IntegerField(
        min_value=1,
        max_value=MAX_MS,
        allow_null=True,
        required=False,
        help_text="The version given with the task, which the expert read. If omitted: the newest.",
    )
    page_language = serializers.RegexField(
        r"^[A-Za-z0-9-]*$",
        max_length=20,
        allow_blank=True,
        required=False,
        help_text="The language of the page, as a language tag.",
    )


class LabelsAnswerSerializer(StepAnswerSerializer):
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=10_000)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class PreferenceAnswerSerializer(StepAnswerSerializer):
    a_chosen = serializers.BooleanField()
    b_chosen = serializers.BooleanField()
    certainty = serializers.FloatField(min_value=0, max_value=1)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class ReportSerializer(AnswerSerializer):
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    text = serializers.CharField(allow_blank=True, max_length=4000)
    skip = serializers.BooleanField()


def study_shown_to(expert: Any) -> dict[str, Any]:
    """What an expert's pages say about their study; the membership must come from `with_labels`."""
    study = expert.study
    language, direction = language_and_direction(study, texts=(expert.text_language, expert.text_direction))
    return {
        "slug": study.slug,
        "title": study.title,
        "instructions_html": as_html(study.instructions),
        "task": study.dataset.task,
        "question_labels": study.question_labels,
        "question_preference": study.question_preference,
        "share_meaning": study.share_meaning,
        "question_certainty": study.question_certainty,
        "instrument_version": expert.instrument_version,
        "layout": study.layout,
        "language": language,
        "direction": direction,
        "asks_guess": study.asks_guess,
        "leaving": study.leaving,
        "repeats": study.repeats_per_expert > 0,
        "labels": in_step_1_order(label_set(expert), task=study.dataset.task),
    }


def task_of(handed: Handed) -> dict[str, Any]:
    """What the expert's page receives."""
    study, assignment = handed.expert.study, handed.assignment
    task = {
        "study": study_shown_to(handed.expert),
        "progress": handed.progress,
        "saved_at": handed.saved_at,
        "assignment": None,
        "practised": handed.expert.practised_at is not None,
        "finished": handed.finished,
        "more": handed.more,
        "opens_at": study.opens_at if handed.finished == "not_open_yet" else None,
    }
    if assignment is not None:
        task["assignment"] = shown_to_expert(
            assignment, label_set(handed.expert), study=study, selected=handed.labels, answered=handed.answered
        )
    return dict(TaskSerializer(task).data)


def shown_to_expert(
    assignment: Assignment,
    labels: Sequence[Label],
    *,
    study: Study,
    selected: list[int] | None = None,
    answered: PreferenceResponse | None = None,
) -> dict[str, Any]:
    """An assignment as its expert sees it."""
    instance = assignment.instance
    comparison = None
    if assignment.comparison_shown_at is not None:
        shown: Any = assignment  # of `with_rows`
        rule, kind = DisplayRule.of(study), study.dataset.task
        a, b = (bars(side, labels, rule=rule, people=instance.parts, task=kind) for side in sides(assignment))
        comparison = {"a": a, "b": b, "identical": bool(shown.identical)}
    return {
        "token": assignment.token,
        "step": 1 if comparison is None else 2,
        "direction": instance.direction,
        "language": instance.language,
        "segments": instance.segments,
        "selected": selected,
        "comparison": comparison,
        "answered": answered,
    }


def valid(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


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


class FollowingView(APIView):
    """The assignment after this one, fetched while the expert is still working on it: at most one ahead."""

    @extend_schema(operation_id="expert_following", request=None, responses=TaskSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        return Response(task_of(following_assignment(user=person(request), token=token)))


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
    """Store step 1; returns step 2 of the same assignment."""

    @extend_schema(operation_id="expert_labels", request=LabelsAnswerSerializer, responses=TaskSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(valid(LabelsAnswerSerializer(data=request.data)))
        recording.store_labels(user=person(request), token=token, **answer)
        return Response(task_of(in_hand(user=person(request), token=token)))


class PreferenceView(APIView):
    """Store step 2."""

    @extend_schema(operation_id="expert_preference", request=PreferenceAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(valid(PreferenceAnswerSerializer(data=request.data)))
        response = recording.store_preference(user=person(request), token=token, **answer)
        return saved(response)


class CorrectionView(APIView):
    """Change the answer to step 2 of the last completed assignment: a new revision, of which the newest counts."""

    @extend_schema(operation_id="expert_correction", request=PreferenceAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = with_seen(valid(PreferenceAnswerSerializer(data=request.data)))
        response = store_correction(user=person(request), token=token, **answer)
        return saved(response)


class ReportView(APIView):
    """Report a problem with a text and, optionally, skip it."""

    @extend_schema(operation_id="expert_report", request=ReportSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = valid(ReportSerializer(data=request.data))
        report = recording.store_report(user=person(request), token=token, **answer)
        return saved(report)


def saved(stored: Any) -> Response:
    progress = progress_now(stored.assignment.expert_id)
    return Response(SavedSerializer({"saved_at": stored.created_at, "progress": progress}).data)
