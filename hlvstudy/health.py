"""The page about the installation, for its admins: every part in words, versions, settings, failed jobs."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.people.users import AdminView
from annotations.background.jobs import job_models
from annotations.models.jobs import JobState
from annotations.shown.plurals import filled
from hlvstudy.checks.conditions import Check, Condition, HealthPart, answers
from hlvstudy.checks.database import database_version
from hlvstudy.checks.every import ON_PAGE
from hlvstudy.checks.machine import in_units

RECENT = timedelta(days=7)
LIBRARIES = ("Django", "djangorestframework", "celery", "numpy", "scipy", "pandas", "psycopg")


@dataclass(frozen=True, slots=True)
class Named:
    """A setting or a version, in words."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A recently failed job, with the reason as told to its owner: never a text from a dataset."""

    kind: str
    finished_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class Health:
    parts: list[HealthPart]
    versions: list[Named]
    settings: list[Named]
    failures: list[Failure]

    @property
    def condition(self) -> Condition:
        """The worst condition of all parts."""
        return max((part.condition for part in self.parts), key=list(Condition).index)


def look_after() -> Health:
    """Check every part once. A part that does not respond is itself the finding, so nothing here raises."""
    return Health(parts=look_at(ON_PAGE), versions=_versions(), settings=_settings(), failures=_failures())


def look_at_installation() -> list[HealthPart]:
    """The parts that can be checked while no server and no worker runs."""
    return look_at(check for check in ON_PAGE if check.is_at_rest)


def look_at(checks: Iterable[Check]) -> list[HealthPart]:
    """What the page says of these checks, in the reader's language."""
    silent = _("It does not respond ({name})."), _("Check the server's log.")
    return [
        part
        for check in checks
        if check.page
        for part in answers(translation.gettext(check.page[1]), check.page[2], silent=silent)
    ]


def _versions() -> list[Named]:
    rows = [Named("Python", ".".join(map(str, sys.version_info[:3]))), Named(_("Database"), database_version())]
    return rows + [Named(name, version(name)) for name in LIBRARIES]


def _settings() -> list[Named]:
    """What differs between installations, in words, without passwords, keys, or addresses that contain one."""
    return [
        Named(_("Address of this server"), settings.PUBLIC_URL),
        Named(_("Largest upload"), in_units(settings.HLV_MAX_UPLOAD_BYTES)),
        Named(_("Validity of an invitation"), _days(settings.INVITATION_DAYS)),
        Named(_("Time limit for an analysis"), _minutes(settings.HLV_RUN_SECONDS // 60)),
        Named(_("How long a session lasts"), _days(settings.SESSION_DAYS)),
        Named(_("How long an admin's session lasts"), _hours(settings.ADMIN_SESSION_HOURS)),
        Named(_("Wrong passwords before sign-in is paused"), str(settings.ATTEMPTS_PER_ACCOUNT)),
        Named(_("Webhook for notifications"), _("yes") if settings.NOTIFY_WEBHOOK_URL else _("no")),
        Named(_("HTTPS only"), _("yes") if settings.SECURE_SSL_REDIRECT else _("no")),
        Named(_("Folder for uploads and results"), Path(settings.STATE_DIR).name),
    ]


def _days(days: int) -> str:
    return filled(_("{days, plural, one {# day} other {# days}}"), days=days)


def _hours(hours: int) -> str:
    return filled(_("{hours, plural, one {# hour} other {# hours}}"), hours=hours)


def _minutes(minutes: int) -> str:
    return filled(_("{minutes, plural, one {# minute} other {# minutes}}"), minutes=minutes)


def _failures() -> list[Failure]:
    since = timezone.now() - RECENT
    rows = [
        Failure(str(model._meta.verbose_name), job.finished_at, job.error)
        for model in job_models()
        for job in model._default_manager.filter(state=JobState.FAILED, finished_at__gte=since).only(
            "finished_at", "error"
        )[:20]
    ]
    return sorted(rows, key=lambda failure: str(failure.finished_at), reverse=True)[:20]


class PartSerializer(serializers.Serializer[HealthPart]):
    name = serializers.CharField()
    condition = serializers.ChoiceField(choices=[condition.value for condition in Condition])
    sentence = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class NamedSerializer(serializers.Serializer[Named]):
    name = serializers.CharField()
    value = serializers.CharField()


class FailureSerializer(serializers.Serializer[Failure]):
    kind = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class HealthSerializer(serializers.Serializer[Health]):
    condition = serializers.ChoiceField(
        choices=[condition.value for condition in Condition], help_text="The condition of the worst part."
    )
    parts = PartSerializer(many=True)
    versions = NamedSerializer(many=True)
    settings = NamedSerializer(many=True)
    failures = FailureSerializer(many=True, help_text="Jobs that failed in the last 7 days, newest first; at most 20.")


class HealthView(AdminView):
    """The database, the broker, workers, queue, disk, mail; versions; settings in words."""

    @extend_schema(operation_id="system_health", responses=HealthSerializer)
    def get(self, request: Request) -> Response:
        return Response(HealthSerializer(look_after()).data)
