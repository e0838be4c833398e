"""The event log of a study, which its researchers and admins can read page by page or download as CSV."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import Count, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import filters_of
from annotations.api.views import APIView, person, unblinded_study
from annotations.exporting.spreadsheets import csv_lines
from annotations.history.events import with_invited
from annotations.models import Event, EventKind, Study, User
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople


class EventSerializer(serializers.ModelSerializer[Event]):
    actor = serializers.SerializerMethodField(
        help_text="The address of who did it; where it may not be seen, their number in the study; empty: nobody, or "
        "somebody who is not in the study."
    )
    action = serializers.CharField(source="kind")
    person = serializers.SerializerMethodField(
        help_text="The name of the person who did it; empty: nobody was signed in."
    )
    sentence = serializers.SerializerMethodField(help_text="Who did what.")
    details = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = ["id", "at", "actor", "person", "action", "sentence", "details"]

    def get_actor(self, event: Event) -> str:
        return self._people.handle(event.known_actor)

    def get_person(self, event: Event) -> str:
        return self._people.name(event.known_actor)

    def get_sentence(self, event: Event) -> str:
        return sentence_of(event, self._people)

    def get_details(self, event: Event) -> dict[str, Any]:
        """The details without the places' keys, which only serve to undo reassignments (designing/reassigning.py)."""
        data = self._people.data(event.data)
        return {name: value for name, value in data.items() if name not in {"rows", "made"}}

    @property
    def _people(self) -> ShownPeople:
        people: ShownPeople = self.context["people"]
        return people


class ActSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=EventKind.choices)
    title = serializers.CharField()
    count = serializers.IntegerField()


class ActorSerializer(serializers.Serializer[Any]):
    actor = serializers.CharField(help_text="As in the events, to filter them by.")
    person = serializers.CharField()
    count = serializers.IntegerField()


class EventSummarySerializer(serializers.Serializer[Any]):
    acts = ActSerializer(many=True)
    people = ActorSerializer(many=True)


class EventFilters(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=EventKind.choices, required=False)
    actor = serializers.CharField(
        required=False,
        max_length=254,
        help_text="For admins part of the e-mail address, for researchers the number in the study.",
    )

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
        study = unblinded_study(request, slug)
        log, shown = log_of(request, study).order_by(), ShownPeople(to=person(request), study=study)
        acts = log.values("kind").annotate(count=Count("pk"))
        counted = dict(log.values_list("actor").annotate(Count("pk")))
        people = [
            {"actor": shown.handle(user), "person": shown.name(user), "count": counted.pop(user.pk)}
            for user in User.objects.filter(pk__in=list(counted)).order_by("email")
        ]
        nobody = {"actor": "", "person": "", "count": sum(counted.values())}
        data = {
            "acts": [
                {"action": act["kind"], "title": _title(act["kind"]), "count": act["count"]}
                for act in sorted(acts, key=lambda act: _title(act["kind"]))
            ],
            "people": [*([nobody] if counted else []), *people],
        }
        return Response(EventSummarySerializer(data).data)


def _title(kind: str) -> str:
    words = EventKind(kind).label if kind in EventKind.values else kind
    return words[0].upper() + words[1:]


class EventsView(ListAPIView[Event]):
    """Who did what, when."""

    serializer_class = EventSerializer
    people: ShownPeople | None = None

    def get_queryset(self) -> QuerySet[Event]:
        rows, self.people = wanted_of(self.request, self.kwargs["slug"])
        return rows

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "people": self.people}

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


def wanted_of(request: Request, slug: str) -> tuple[QuerySet[Event], ShownPeople]:
    """The events of a study that match a request's filters, newest first, and its people as the reader sees them."""
    study = unblinded_study(request, slug)
    people = ShownPeople(to=person(request), study=study)
    log = log_of(request, study).select_related("actor").order_by("-at", "-pk")
    filters = filters_of(request, EventFilters)
    if "actor" in filters:
        log = log.filter(people.by_handle(filters.pop("actor"), path="actor"))
    lookups = {"action": "kind", "from": "at__date__gte", "to": "at__date__lte"}
    return log.filter(**{lookups[name]: value for name, value in filters.items()}), people


def _file(request: Request, slug: str) -> StreamingHttpResponse:
    log, people = wanted_of(request, slug)
    return StreamingHttpResponse(
        _csv(log.iterator(), people),
        content_type="text/csv; charset=utf-8",
        headers=attachment(f"{slug}-events.csv"),
    )


def _csv(log: Iterator[Event], people: ShownPeople) -> Iterator[str]:
    return csv_lines(
        ("id", "at", "actor", "action", "details"),
        (
            (
                event.pk,
                event.at.isoformat(),
                people.handle(event.known_actor),
                event.kind,
                json.dumps(people.data(event.data), sort_keys=True),
            )
            for some in iter(lambda: list(islice(log, 500)), [])
            for event in with_invited(some)
        ),
    )
