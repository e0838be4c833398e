"""Problems reported by experts: researchers and admins can read them, admins decide on them."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering import moderating
from annotations.api.parsing import valid
from annotations.api.task_serializers import SegmentSerializer
from annotations.api.views import APIView, administered_study, person, unblinded_study
from annotations.models import Instance, Report, ReportDecision, ReportReason, Study, User, Verdict
from annotations.shown.people import ShownPeople

STATES = {"": "open"} | {verdict: str(verdict) for verdict in Verdict.values}
ACTS: dict[str, Callable[..., ReportDecision]] = {
    Verdict.CONFIRMED: moderating.confirm,
    Verdict.DISMISSED: moderating.dismiss,
    Verdict.SHOWN_AGAIN: moderating.show_again,
}


class ReportRowSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField(source="created_at")
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    remark = serializers.SerializerMethodField(help_text="What the expert wrote; null if only admins may read it.")
    skipped = serializers.BooleanField()
    expert = serializers.IntegerField(help_text="The expert's number.")
    instance = serializers.CharField(help_text="The instance's id as imported.")
    withdrawn = serializers.BooleanField(help_text="Whether the text is currently withdrawn.")
    state = serializers.SerializerMethodField()
    note = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.SerializerMethodField()

    def get_remark(self, report: Any) -> str | None:
        # The remark may quote what identifies a person in the text.
        return None if report.withdrawn and not self.context["people"].with_addresses else report.text

    def get_decided_by(self, report: Any) -> str:
        people: ShownPeople = self.context["people"]
        return people.name(self.context["deciders"].get(report.decider))

    @extend_schema_field(serializers.ChoiceField(choices=["open", *Verdict.values]))
    def get_state(self, report: Any) -> str:
        return STATES[report.verdict]


class ReportedTextSerializer(serializers.Serializer[Any]):
    instance = serializers.CharField()
    withdrawn = serializers.BooleanField()
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    segments = SegmentSerializer(many=True, allow_null=True, help_text="Null if only admins may read them.")


class DecisionSerializer(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    note = serializers.CharField(allow_blank=True, max_length=2000, default="")


def listed(study: Study, user: User) -> QuerySet[Report, Any]:
    """The study's reports with everything a row shows, in one query, newest first."""
    newest = ReportDecision.objects.filter(report=OuterRef("pk")).order_by("-revision")
    return (
        Report.objects.visible_to(user)
        .filter(assignment__study=study)
        .with_verdict()
        .annotate(
            expert=F("assignment__expert__number"),
            instance=F("assignment__instance__external_id"),
            withdrawn_at=F("assignment__instance__withdrawn_at"),
            note=Coalesce(Subquery(newest.values("note")[:1]), Value(""), output_field=TextField()),
            decided_at=Subquery(newest.values("decided_at")[:1]),
            decider=Subquery(newest.values("decided_by")[:1]),
        )
        .order_by("-created_at", "-pk")
    )


def _rows(reports: Sequence[Any], people: ShownPeople) -> list[dict[str, Any]]:
    deciders = User.objects.in_bulk({report.decider for report in reports} - {None})
    for report in reports:
        report.withdrawn = report.withdrawn_at is not None
    context = {"people": people, "deciders": deciders}
    return [dict(row) for row in ReportRowSerializer(reports, many=True, context=context).data]


class ReportsView(ListAPIView[Report]):
    """The reports, newest first, one page at a time."""

    serializer_class = ReportRowSerializer

    def get_queryset(self) -> QuerySet[Report, Any]:
        return listed(unblinded_study(self.request, self.kwargs["slug"]), person(self.request))

    @extend_schema(operation_id="study_reports", responses=ReportRowSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        study = unblinded_study(request, self.kwargs["slug"])
        page = self.paginate_queryset(listed(study, person(request))) or []
        return self.get_paginated_response(_rows(page, ShownPeople(to=person(request), study=study)))


class ReportedTextView(APIView):
    """The text a report is about. A withdrawn text is shown to admins only."""

    @extend_schema(operation_id="study_reported_text", responses=ReportedTextSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        study = unblinded_study(request, slug)
        reports = Report.objects.visible_to(person(request)).filter(assignment__study=study)
        instance = get_object_or_404(reports.select_related("assignment__instance"), pk=pk).assignment.instance
        withdrawn = instance.withdrawn_at is not None
        may_read = not withdrawn or ShownPeople(to=person(request), study=study).with_addresses
        shown = {
            "instance": instance.external_id,
            "withdrawn": withdrawn,
            "language": instance.language,
            "direction": instance.direction,
            "segments": instance.segments if may_read else None,
        }
        return Response(ReportedTextSerializer(shown).data)


class DecisionsView(APIView):
    """Decide on a report (admins)."""

    @extend_schema(operation_id="study_report_decide", request=DecisionSerializer, responses=ReportRowSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        study = administered_study(request, slug)
        body = valid(DecisionSerializer(data=request.data))
        reports = Report.objects.visible_to(person(request)).filter(assignment__study=study)
        report = get_object_or_404(reports.select_related("assignment__study__dataset", "assignment__instance"), pk=pk)
        ACTS[body["verdict"]](report=report, note=body["note"], actor=person(request))
        people = ShownPeople(to=person(request), study=study, with_addresses=True)
        return Response(_rows([listed(study, person(request)).get(pk=pk)], people)[0])
