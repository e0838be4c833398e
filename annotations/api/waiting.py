"""What every job's shape says of its waiting: whether a worker is there, and what comes before it."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from annotations.api.views import person
from annotations.background import jobs
from annotations.background.waiting import WaitingLines
from annotations.models import BackgroundJob


class WaitSerializer(serializers.Serializer[Any]):
    own = serializers.IntegerField(help_text="Jobs of the same person that come before it.")
    others = serializers.IntegerField(
        help_text="Jobs of other people that come before it, if nobody asks for more: people take turns."
    )
    sentence = serializers.CharField(help_text="The same in words for the reader.")


class WaitingSerializer(serializers.Serializer[Any]):
    """What comes from the context, made by `waiting`, because it costs queries."""

    worker_alive = serializers.SerializerMethodField()
    waits_for = serializers.SerializerMethodField(help_text="What comes before it; null: it does not wait.")

    def get_worker_alive(self, _job: BackgroundJob) -> bool:
        return bool(self.context["worker_alive"])

    @extend_schema_field(WaitSerializer(allow_null=True))
    def get_waits_for(self, job: BackgroundJob) -> dict[str, Any] | None:
        wait = self.context["lines"].before(job)
        return asdict(wait) if wait else None


def waiting(request: Request) -> dict[str, Any]:
    """What `WaitingSerializer` needs: one query, and another if a job waits, however many there are."""
    return {"worker_alive": jobs.worker_alive(), "lines": WaitingLines(person(request))}
