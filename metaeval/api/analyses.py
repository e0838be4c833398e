"""The available analyses, and what a result looks like."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.translating import said, said_schema
from annotations.api.views import APIView
from metaeval.analyses.base.options import options_of
from metaeval.analyses.base.parameters import narrowed
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import result_schema
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.api.access import ResearchersView, dataset_subjects, free_runs, study_subject, told
from metaeval.api.serializers import AnalysisSerializer, AnswersAsked
from metaeval.jobs.answers import latest_of
from metaeval.jobs.models import AnalysisRun, AnalysisRunQuerySet
from metaeval.jobs.readiness import Holdings


class AnalysesView(ResearchersView):
    """Every analysis with the JSON Schema of its parameters, from which the page builds a form."""

    @extend_schema(operation_id="analyses_list", responses=page_of(AnalysisSerializer))
    def get(self, request: Request) -> Response:
        return paged(request, [described(entry) for entry in analyses], AnalysisSerializer, was_plain=True)


class StudyAnalysesView(APIView):
    """The analyses available for a study, with its own metrics, labels and systems as choices."""

    @extend_schema(operation_id="study_analyses", parameters=[AnswersAsked], responses=page_of(AnalysisSerializer))
    def get(self, request: Request, slug: str) -> Response:
        subject = study_subject(request, slug)
        runs = AnalysisRun.objects.filter(study=subject.study)
        context = {"answers": told(request, runs, subject.study)}
        return paged(request, possible([subject], runs), AnalysisSerializer, context=context, was_plain=True)


class DatasetAnalysesView(ResearchersView):
    """The analyses available for a dataset or its votes, with its own labels and systems as choices."""

    @extend_schema(operation_id="dataset_analyses", responses=page_of(AnalysisSerializer))
    def get(self, request: Request, slug: str) -> Response:
        subjects = dataset_subjects(request, slug)
        runs = AnalysisRun.objects.filter(dataset=subjects[0].dataset)
        context = {"answers": told(request, runs)}
        return paged(request, possible(subjects, runs), AnalysisSerializer, context=context, was_plain=True)


class FreeAnalysesView(ResearchersView):
    """The analyses about several datasets, or about nothing but their parameters."""

    @extend_schema(operation_id="free_analyses", responses=page_of(AnalysisSerializer))
    def get(self, request: Request) -> Response:
        free = [Subject.nothing(), Subject(SubjectKind.DATASETS)]
        runs = free_runs(request)
        context = {"answers": told(request, runs)}
        return paged(request, possible(free, runs), AnalysisSerializer, context=context, was_plain=True)


class ResultSchemaView(ResearchersView):
    """JSON Schema of what every result states."""

    @extend_schema(operation_id="result_schema", responses={200: OpenApiTypes.OBJECT})
    def get(self, _request: Request) -> Response:
        return Response(result_schema())


def described(
    entry: Analysis, subject: Subject | None = None, *, reason: str = "", latest: AnalysisRun | None = None
) -> dict[str, Any]:
    """An analysis as sent, in the reader's language; for a subject, with its choices, which keep their names."""
    words = entry.words
    parameters = said_schema(entry.schema())
    return {
        "name": entry.name,
        "title": said(entry.title),
        "description": said(entry.description),
        "question": said(words.question),
        "group": words.group,
        "place": words.order,
        "is_preset": words.is_preset,
        "shows": said(words.shows),
        "subjects": [kind.value for kind in entry.subjects],
        "available": not reason,
        "reason": reason,
        "latest": latest,
        "parameters": parameters if subject is None else narrowed(parameters, options_of(subject)),
        "figures": list(entry.figures),
    }


def possible(subjects: list[Subject], runs: AnalysisRunQuerySet) -> list[dict[str, Any]]:
    """The analyses for at least one of the subjects, each with the newest of these runs that answered it."""
    holdings = [Holdings(subject) for subject in subjects]
    latest = latest_of(runs)
    entries = []
    for entry in analyses:
        fitting = [holding for holding in holdings if holding.subject.kind in entry.subjects]
        if fitting:
            reason = fitting[0].lacking(entry)
            entries.append(described(entry, fitting[0].subject, reason=reason, latest=latest.get(entry.name)))
    return entries
