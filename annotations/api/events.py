"""The event log of a study, which its researchers and admins can read page by page or download as CSV."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import Count, F, Max, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.downloads import attachment
from annotations.api.paging import filters_of
from annotations.api.permissions import person, unblinded_study
from annotations.event_sentences import sentence_of
from annotations.events import with_invited
from annotations.exporting.spreadsheets import csv_lines
from annotations.models import Event, EventKind, Study


class EventSerializer(serializers.ModelSerializer[Event]):
    actor = serializers.CharField(source="actor_email")
    action = serializers.CharField(source="kind")
    person = serializers.SerializerMethodField(
        help_text="The name of the person who did it; empty: nobody was signed in."
    )
    sentence = serializers.SerializerMethodField(help_text="Who did what.")
    details = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = ["id", "at", "actor", "person", "action", "sentence", "details"]

    def get_person(self, event: Event) -> str:
        actor = event.known_actor
        return (actor.name or actor.email) if actor else ""

    def get_sentence(self, event: Event) -> str:
        return sentence_of(event)

    def get_details(self, event: Event) -> dict[str, Any]:
        """The details without the places' keys, which only serve to undo reassignments (designing/reassigning.py)."""
        return {name: value for name, value in event.data.items() if name not in {"rows", "made"}}


class ActSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=EventKind.choices)
    title = serializers.CharField()
    count = serializers.IntegerField()


class ActorSerializer(serializers.Serializer[Any]):
    actor = serializers.CharField(help_text="An e-mail address; empty: nobody was signed in.")
    person = serializers.CharField()
    count = serializers.IntegerField()


class EventSummarySerializer(serializers.Serializer[Any]):
    acts = ActSerializer(many=True)
    people = ActorSerializer(many=True)


class EventFilters(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=EventKind.choices, required=False)
    actor = serializers.CharField(required=False, max_length=254, help_text="Part of the e-mail address.")

    def get_fields(self) -> dict[str, Any]:
        # `from` is a Python keyword.
        days = {"from": "The first day (UTC).", "to": "The last day (UTC)."}
        named = {name: serializers.DateField(required=False, help_text=text) for name, text in days.items()}
        return super().get_fields() | named


def log_of(request: Request, study: Study) -> QuerySet[Event]:
    return Event.objects.visible_to(person(request)).filter(study=study)


class EventSummaryView(APIView):
    """The kinds of events in the history and the people behind them, to filter by."""

    @extend_schema(operation_id="study_events_summary", responses=EventSummarySerializer)
    def get(self, request: Request, slug: str) -> Response:
        log = log_of(request, unblinded_study(request, slug)).order_by()
        acts = log.values("kind").annotate(count=Count("pk"))
        people = log.values(email=F("actor__email")).annotate(count=Count("pk"), person=Max("actor__name"))
        told = {
            "acts": [
                {"action": one["kind"], "title": _title(one["kind"]), "count": one["count"]}
                for one in sorted(acts, key=lambda one: _title(one["kind"]))
            ],
            "people": [
                {"actor": one["email"] or "", "person": one["person"] or one["email"] or "", "count": one["count"]}
                for one in sorted(people, key=lambda one: one["email"] or "")
            ],
        }
        return Response(EventSummarySerializer(told).data)


def _title(kind: str) -> str:
    words = EventKind(kind).label if kind in EventKind.values else kind
    return words[0].upper() + words[1:]


class EventsView(ListAPIView[Event]):
    """Who did what, when."""

    serializer_class = EventSerializer

    def get_queryset(self) -> QuerySet[Event]:
        return wanted_of(self.request, self.kwargs["slug"])

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        return None if page is None else with_invited(page)

    @extend_schema(operation_id="study_events", parameters=[EventFilters])
    # The file's old address, ?format=csv, answers with a stream, which is no Response.
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        if request.query_params.get("format") == "csv":
            return _file(request, self.kwargs["slug"])
        return super().get(request, *args, **kwargs)


class EventsFileView(APIView):
    """Who did what, when, as a file."""

    @extend_schema(
        operation_id="study_events_file", parameters=[EventFilters], responses={(200, "text/csv"): OpenApiTypes.STR}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        return _file(request, slug)


def wanted_of(request: Request, slug: str) -> QuerySet[Event]:
    """The events of a study that match a request's filters, newest first."""
    study = unblinded_study(request, slug)
    log = log_of(request, study).select_related("actor").order_by("-at", "-pk")
    lookups = {"action": "kind", "actor": "actor__email__icontains", "from": "at__date__gte", "to": "at__date__lte"}
    return log.filter(**{lookups[name]: value for name, value in filters_of(request, EventFilters).items()})


def _file(request: Request, slug: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        _csv(wanted_of(request, slug).iterator()),
        content_type="text/csv; charset=utf-8",
        headers=attachment(f"{slug}-events.csv"),
    )


def _csv(log: Iterator[Event]) -> Iterator[str]:
    return csv_lines(
        ("id", "at", "actor", "action", "details"),
        (
            (event.pk, event.at.isoformat(), event.actor_email, event.kind, json.dumps(event.data, sort_keys=True))
            for some in iter(lambda: list(islice(log, 500)), [])
            for event in with_invited(some)
        ),
    )
