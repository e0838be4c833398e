"""Which analyses there are, and what a result looks like."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.paging import page_of, paged
from annotations.api.permissions import NotOnlyExpert
from metaeval.analyses.base.options import options_of
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import result_schema
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.api.access import dataset_subjects, study_subject
from metaeval.api.serializers import AnalysisSerializer


class AnalysesView(APIView):
    """Every analysis with the JSON Schema of its parameters, from which the page makes a form."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="analyses_list", responses=page_of(AnalysisSerializer))
    def get(self, request: Request) -> Response:
        return paged(request, [described(entry) for entry in analyses], AnalysisSerializer, was_plain=True)


class StudyAnalysesView(APIView):
    """The analyses that a study can have, with its own metrics, labels and systems as choices."""

    @extend_schema(operation_id="study_analyses", responses=page_of(AnalysisSerializer))
    def get(self, request: Request, slug: str) -> Response:
        found = possible([study_subject(request, slug)])
        return paged(request, found, AnalysisSerializer, was_plain=True)


class DatasetAnalysesView(APIView):
    """The analyses that a dataset, or the votes in it, can have, with its own labels and systems as choices."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="dataset_analyses", responses=page_of(AnalysisSerializer))
    def get(self, request: Request, slug: str) -> Response:
        found = possible(dataset_subjects(request, slug))
        return paged(request, found, AnalysisSerializer, was_plain=True)


class FreeAnalysesView(APIView):
    """The analyses that are about several datasets, or about nothing but their parameters."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="free_analyses", responses=page_of(AnalysisSerializer))
    def get(self, request: Request) -> Response:
        free = [Subject.nothing(), Subject(SubjectKind.DATASETS)]
        return paged(request, possible(free), AnalysisSerializer, was_plain=True)


class ResultSchemaView(APIView):
    """JSON Schema of what every result states."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="result_schema", responses={200: OpenApiTypes.OBJECT})
    def get(self, _request: Request) -> Response:
        return Response(result_schema())


def described(entry: Analysis, subject: Subject | None = None) -> dict[str, Any]:
    """An analysis on the wire; for a subject, with its choices."""
    return {
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "subjects": [kind.value for kind in entry.subjects],
        "parameters": entry.schema(None if subject is None else options_of(subject)),
        "figures": list(entry.figures),
    }


def possible(subjects: list[Subject]) -> list[dict[str, Any]]:
    """The analyses that know at least one of the subjects."""
    found = []
    for entry in analyses:
        fitting = [subject for subject in subjects if subject.kind in entry.subjects]
        if fitting:
            found.append(described(entry, fitting[0]))
    return found
