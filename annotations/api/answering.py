"""The requests of an expert's browser: the next assignment, storing answers, guesses and reports, and looking back at
answers; and the same as the people who set up a study see it beforehand.

What the pages receive are plain values in the shape of task_serializers.py. Both sides of an assignment are built in
the same way (annotations/shown/displaying.py). What the study says is sent with `next/`; the responses to answers leave
it out and give the version of its words instead.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.assigning import Handed, ask_for_more, next_assignment
from annotations.answering.experts import PageSeen, first_text, label_set
from annotations.answering.guessing import guesses_of, store_guess
from annotations.answering.past_answers import last_answered, may_correct, own_answer, own_answers, store_correction
from annotations.answering.previewing import preview, preview_step_2
from annotations.answering.progress import ExpertProgress, current_progress
from annotations.answering.recording import LabelsTaken, Taken, submit_labels, submit_preference, submit_report
from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.task_serializers import (
    AnsweredSerializer,
    AnswerSerializer,
    LabelsAnswerSerializer,
    LabelsTakenSerializer,
    PreferenceAnswerSerializer,
    ReportSerializer,
    SavedSerializer,
    Step2AnswerSerializer,
    TaskAssignmentSerializer,
    TaskSerializer,
    TaskStudySerializer,
    WithNextSerializer,
)
from annotations.api.views import APIView, person, unblinded_study
from annotations.ground.display_rule import DisplayRule
from annotations.models import Assignment, GuessedSide, Instance, Label, PreferenceResponse, Study
from annotations.people.membership.members import practised
from annotations.shown.consent import consent_text
from annotations.shown.displaying import Bar, bars, in_step_1_order, sides
from annotations.shown.instructions import as_html
from annotations.shown.languages import language_and_direction

_MOMENT = serializers.DateTimeField()


def study_shown_to(expert: Any) -> dict[str, Any]:
    """What an expert's pages say about their study; the membership must come from `with_labels`."""
    study = expert.study
    language, direction = language_and_direction(study, texts=first_text(expert))
    return {
        "slug": study.slug,
        "title": study.title,
        "instructions_html": as_html(study.instructions),
        "task": study.dataset.task,
        "question_labels": study.question_labels,
        "question_preference": study.question_preference,
        "share_meaning": study.share_meaning,
        "instrument_version": expert.instrument_version,
        "question_certainty": study.question_certainty,
        "layout": study.layout,
        "language": language,
        "direction": direction,
        "asks_guess": study.asks_guess,
        "leaving": study.leaving,
        "repeats": study.repeats_per_expert > 0,
        "labels": [_label(label) for label in in_step_1_order(label_set(expert), task=study.dataset.task)],
    }


def task_of(handed: Handed) -> dict[str, Any]:
    """What the page starts from (`TaskSerializer`)."""
    return {
        **next_in(handed),
        "study": study_shown_to(handed.expert),
        "progress": progress_in(handed.progress),
        "saved_at": moment(handed.saved_at),
        "practised": handed.expert.practised_at is not None,
    }


def labels_taken(taken: LabelsTaken) -> dict[str, Any]:
    """The response to step 1 (`LabelsTakenSerializer`)."""
    return {
        "saved_at": moment(taken.response.created_at),
        "progress": progress_in(taken.next.progress),
        "instrument_version": taken.instrument_version,
        "assignment": assignment_in(taken.step_2),
        "next": next_in(taken.next),
    }


def with_next(taken: Taken) -> dict[str, Any]:
    """The response to step 2 and to a report (`WithNextSerializer`)."""
    return {
        "saved_at": moment(taken.response.created_at),
        "progress": progress_in(taken.progress),
        "instrument_version": taken.instrument_version,
        "next": None if taken.next is None else next_in(taken.next),
    }


def next_in(handed: Handed) -> dict[str, Any]:
    """The assignment handed out, or why there is none (`NextSerializer`)."""
    study = handed.expert.study
    return {
        "assignment": assignment_in(handed),
        "finished": handed.finished,
        "more": handed.more,
        "opens_at": moment(study.opens_at) if handed.finished == "not_open_yet" else None,
    }


def assignment_in(handed: Handed) -> dict[str, Any] | None:
    """The assignment handed out (`TaskAssignmentSerializer`), or None."""
    if handed.assignment is None:
        return None
    return shown_to_expert(
        handed.assignment,
        label_set(handed.expert),
        study=handed.expert.study,
        selected=handed.labels,
        answered=handed.answered,
    )


def shown_to_expert(
    assignment: Assignment,
    labels: Sequence[Label],
    *,
    study: Study,
    selected: list[int] | None = None,
    answered: PreferenceResponse | None = None,
) -> dict[str, Any]:
    """An assignment as its expert sees it (`TaskAssignmentSerializer`)."""
    instance = assignment.instance
    comparison = None
    if assignment.comparison_shown_at is not None:
        shown: Any = assignment  # of `with_rows`
        rule, kind = DisplayRule.of(study), study.dataset.task
        a, b = (_side(bars(side, labels, rule=rule, people=instance.parts, task=kind)) for side in sides(assignment))
        comparison = {"a": a, "b": b, "identical": bool(shown.identical)}
    return {
        "token": str(assignment.token),
        "step": 1 if comparison is None else 2,
        "direction": instance.direction,
        "language": instance.language,
        "segments": [{"name": segment["name"], "text": segment["text"]} for segment in instance.segments],
        "selected": selected,
        "comparison": comparison,
        "answered": answered and {name: getattr(answered, name) for name in ("a_chosen", "b_chosen", "certainty")},
    }


def progress_in(progress: ExpertProgress) -> dict[str, Any]:
    """How far the expert is (`ProgressSerializer`)."""
    return {"done": progress.done, "total": progress.total, "minutes_left": progress.minutes_left}


def moment(at: datetime | None) -> str | None:
    """A point in time as the API writes it."""
    return None if at is None else str(_MOMENT.to_representation(at))


def _label(label: Label) -> dict[str, Any]:
    return {
        "position": label.position,
        "name": label.shown,
        "search_words": label.search_words,
        "exclusive": label.exclusive,
    }


def _side(shown: list[Bar]) -> list[dict[str, Any]]:
    return [{"label": bar.label, "value": bar.value} for bar in shown]


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
        return saved(store_correction(user=person(request), token=token, **answer))


class ReportView(APIView):
    """Report a problem with a text and, optionally, skip it; returns what comes next if it is skipped."""

    @extend_schema(operation_id="expert_report", request=ReportSerializer, responses=WithNextSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = valid(ReportSerializer(data=request.data))
        return Response(with_next(submit_report(user=person(request), token=token, **answer)))


def saved(stored: Any) -> Response:
    progress = current_progress(stored.assignment.expert_id)
    return Response({"saved_at": moment(stored.created_at), "progress": progress_in(progress)})


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
        assignments = guesses_of(user=person(request), slug=slug)
        labels = list(assignments[0].study.dataset.labels.all()) if assignments else []
        shown = [shown_to_expert(assignment, labels, study=assignment.study) for assignment in assignments]
        correctable = may_correct(user=person(request), slug=slug)
        return Response(GuessesSerializer({"assignments": shown, "may_correct": correctable}).data)


class GuessView(APIView):
    """Store a guess. The response does not say whether it was right."""

    @extend_schema(operation_id="expert_guess", request=GuessAnswerSerializer, responses=SavedSerializer)
    def post(self, request: Request, token: uuid.UUID) -> Response:
        answer = valid(GuessAnswerSerializer(data=request.data))
        answer["side"] = GuessedSide(answer["side"])
        return saved(store_guess(user=person(request), token=token, **answer))


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
        answer = own_answer(user=person(request), token=token)
        shown = shown_to_expert(
            answer.assignment,
            label_set(answer.expert),
            study=answer.expert.study,
            selected=answer.labels,
            answered=answer.preference,
        )
        looked_back = {
            "study": study_shown_to(answer.expert),
            "assignment": shown,
            "number": answer.assignment.number,
            "answered_at": answer.assignment.answered_at,
        }
        return Response(LookedBackSerializer(looked_back).data)


class PreviewSerializer(serializers.Serializer[Any]):
    tasks = TaskSerializer(many=True, help_text="The first texts, in step 1, as `next/` returns them to experts.")
    comparisons = serializers.IntegerField(help_text="How many the whole plan has.")
    is_planned = serializers.BooleanField(help_text="False: drawn from the current settings and not stored.")
    consent_html = serializers.CharField(help_text="What experts agree to, as sanitised HTML.")


class PreviewLabelsSerializer(serializers.Serializer[Any]):
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=10_000)


class PreviewView(APIView):
    """The first texts of a study, each in step 1, with what experts agree to."""

    @extend_schema(operation_id="study_preview", responses=PreviewSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        previewed = preview(study=study)
        return Response(
            {
                "tasks": [task_of(handed) for handed in previewed.texts],
                "comparisons": previewed.comparisons,
                "is_planned": previewed.is_planned,
                "consent_html": as_html(consent_text(study)),
            }
        )


class PreviewStep2View(APIView):
    """Step 2 of one of these texts (numbered from 1), once step 1 is answered. The sides are drawn anew each time."""

    @extend_schema(operation_id="study_preview_step_2", request=PreviewLabelsSerializer, responses=TaskSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = unblinded_study(request, slug)
        answer = valid(PreviewLabelsSerializer(data=request.data))
        return Response(task_of(preview_step_2(study=study, number=number, labels=answer["labels"])))
