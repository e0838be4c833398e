"""Comparing two results, and citing one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.views import APIView
from annotations.api.waiting import waiting
from metaeval.api.access import result_was_looked_at, visible_run
from metaeval.api.serializers import RunSerializer
from metaeval.documents.citing import Citation, citation_of
from metaeval.jobs.answers import ToldAnswers
from metaeval.jobs.comparing import Change, RunComparison, compare_runs
from metaeval.jobs.models import AnalysisRun

WHERE = ("both", "first", "second")


class ChangeSerializer(serializers.Serializer[Change]):
    name = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()


class ComparedCellSerializer(serializers.Serializer[Any]):
    first = serializers.CharField(help_text="As papers print it; empty if there is no such row or column.")
    second = serializers.CharField()
    difference = serializers.CharField(
        help_text=("The second minus the first; empty if they are equal or not numbers.")
    )
    differs = serializers.BooleanField()


class ComparedRowSerializer(serializers.Serializer[Any]):
    name = serializers.ListField(child=serializers.CharField(), help_text="What the row is about.")
    where = serializers.ChoiceField(choices=WHERE)
    cells = ComparedCellSerializer(many=True)


class ComparedTableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    naming = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.CharField())
    rows = ComparedRowSerializer(many=True)
    compared = serializers.IntegerField(help_text="How many cells are in both.")
    changed = serializers.IntegerField(help_text="How many cells differ.")


class RunComparisonSerializer(serializers.Serializer[RunComparison]):
    """What changed from the first run to the second."""

    first = RunSerializer()
    second = RunSerializer()
    asked = ChangeSerializer(many=True, help_text="Parameters, and the seed.")
    is_same_data = serializers.BooleanField()
    counts = ChangeSerializer(many=True)
    versions = ChangeSerializer(many=True)
    tables = ComparedTableSerializer(
        many=True, help_text=("All of the main one; for the others, the rows that changed.")
    )
    compared = serializers.IntegerField()
    changed = serializers.IntegerField()


class CitationSerializer(serializers.Serializer[Citation]):
    """A result as cited in a paper."""

    text = serializers.CharField()
    bibtex = serializers.CharField()
    works = serializers.ListField(child=serializers.CharField(), help_text="The papers whose method it is.")


class ComparisonView(APIView):
    """Two finished runs of one analysis side by side."""

    @extend_schema(operation_id="runs_compare", responses=RunComparisonSerializer)
    def get(self, request: Request, pk: UUID, other: UUID) -> Response:
        first, second = (visible_run(request, one, whole=True) for one in (pk, other))
        found = compare_runs(first=first, second=second)
        for run in {one.study_id: one for one in (first, second)}.values():
            result_was_looked_at(request, run)
        context = waiting(request) | {"answers": ToldAnswers()}
        return Response(RunComparisonSerializer(found, context=context).data)


class CitationView(APIView):
    """How to cite the result: in plain words and as BibTeX, with the papers whose method it uses."""

    @extend_schema(operation_id="runs_cite", responses=CitationSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        run = visible_run(request, pk, whole=True)
        about = RunSerializer().get_about(run)
        citation = citation_of(run, about=about, url=request.build_absolute_uri(address_of(run)))
        result_was_looked_at(request, run)
        return Response(CitationSerializer(citation).data)


def address_of(run: AnalysisRun) -> str:
    """The address of a run's page; readable for a study's run."""
    return f"/studies/{run.study.slug}/results/{run.analysis}/{run.number}" if run.study else f"/runs/{run.pk}"
