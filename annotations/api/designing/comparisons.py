"""A study's comparisons as a list: which text, which two sources, and how many answers each has."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import PageByPage, filters_of, page_of, paged
from annotations.api.views import ResearchView, person, unblinded_study
from annotations.exporting.rows import ResponseSource
from annotations.history import events
from annotations.models import Assignment, SideOrder


class ComparisonSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    instance = serializers.CharField(help_text="The text's id as imported.")
    instance_position = serializers.IntegerField(help_text="The text's number in the dataset.")
    withdrawn = serializers.BooleanField()
    first = serializers.CharField(help_text="`human`, or a system.")
    second = serializers.CharField(help_text="A system.")
    identical = serializers.BooleanField(
        allow_null=True, help_text="Whether both sides look the same to experts; null: unknown."
    )
    paused = serializers.BooleanField(help_text="Whether its free places are on hold.")
    places = serializers.IntegerField(help_text="Places that were not given up.")
    answers = serializers.IntegerField(help_text="Including the pilot's.")
    skipped = serializers.IntegerField()


class ComparisonsQuerySerializer(serializers.Serializer[Any]):
    system = serializers.CharField(required=False, max_length=310, help_text="The name of a system it shows.")
    instance = serializers.CharField(required=False, max_length=200, help_text="The text's id.")
    identical = serializers.BooleanField(required=False, allow_null=True, default=None)
    withdrawn = serializers.BooleanField(required=False, allow_null=True, default=None)


COLUMNS = (
    "pk",
    "position",
    "identical",
    "is_paused",
    "first_system",
    "second_system",
    "instance__external_id",
    "instance__position",
    "instance__withdrawn_at",
)


def _counted(rows: Iterable[dict[str, Any]], source: ResponseSource) -> list[dict[str, Any]]:
    """Comparisons with the counts of their places. Two queries, however many there are."""
    page = list(rows)
    held = Assignment.objects.filter(comparison__in=[one["pk"] for one in page]).order_by()
    counted = held.values("comparison").annotate(
        places=Count("pk", filter=Q(released_at=None)),
        answers=Count("pk", filter=Q(released_at=None, completed_at__isnull=False)),
        skipped=Count("pk", filter=Q(released_at__isnull=False)),
    )
    counts: dict[int, Any] = {one["comparison"]: one for one in counted}
    nothing = {"places": 0, "answers": 0, "skipped": 0}
    return [_shown(one, source) | counts.get(one["pk"], nothing) for one in page]


def _shown(row: dict[str, Any], source: ResponseSource) -> dict[str, Any]:
    first, second, _ = source.sides(row["first_system"], row["second_system"], SideOrder.FIRST_IS_A)
    return {
        "position": row["position"],
        "instance": row["instance__external_id"],
        "instance_position": row["instance__position"],
        "withdrawn": row["instance__withdrawn_at"] is not None,
        "first": first.name,
        "second": second.name,
        "identical": row["identical"],
        "paused": row["is_paused"],
    }


class ComparisonsView(ResearchView):
    @extend_schema(
        operation_id="comparisons_list",
        parameters=[ComparisonsQuerySerializer],
        responses=page_of(ComparisonSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The study's comparisons in order. Which side was A varies from answer to answer."""
        study = unblinded_study(request, slug)
        filters = filters_of(request, ComparisonsQuerySerializer)
        source = ResponseSource(study)
        rows = study.comparisons.order_by("position")
        if "system" in filters:
            named = [pk for pk, origin in source.sources.items() if pk is not None and origin.name == filters["system"]]
            rows = rows.filter(Q(first_system__in=named) | Q(second_system__in=named))
        if "instance" in filters:
            rows = rows.filter(instance__external_id=filters["instance"])
        if filters["identical"] is not None:
            rows = rows.filter(identical=filters["identical"])
        if filters["withdrawn"] is not None:
            rows = rows.filter(instance__withdrawn_at__isnull=not filters["withdrawn"])
        events.unblinded_view(actor=person(request), study=study, what="comparisons")
        page: Any = PageByPage(rows.values(*COLUMNS), lambda rows: _counted(rows, source))
        return paged(request, page, ComparisonSerializer)
