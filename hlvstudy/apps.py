import time
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks
from django.core.signals import request_finished, request_started
from django.db import connections


class HLVStudyConfig(AppConfig):
    name = "hlvstudy"
    default = True

    def ready(self) -> None:
        # After Django's own receivers, which are in place by now.
        request_started.connect(trust_fresh)
        request_finished.connect(note_check)
        checks.register(refuse_partly_upgraded, checks.Tags.database)


def refuse_partly_upgraded(databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """Before `manage.py migrate` changes anything: Django would make tables that are there already."""
    from hlvstudy.backups.tables import PartlyUpgraded, applied_in

    try:
        for alias in databases or ():
            applied_in(connections[alias])
    except PartlyUpgraded as error:
        return [checks.Error(error.sentence, hint=error.remedy, id="hlvstudy.E001")]
    return []


FRESH_SECONDS = 2
"""Connections that were checked a moment ago are not asked again whether they live: Django asks before the first
statement of every request (CONN_HEALTH_CHECKS), which costs an answer as much as a statement that does something. A
connection that a database's restart has cut since it was checked is noticed by its first use instead: that request gets
503 with Retry-After, as while the database is away, and pages send it again.
"""


def trust_fresh(**_: Any) -> None:
    """A request begins, and Django has said that its connections are to be checked."""
    for connection in connections.all(initialized_only=True):
        state: Any = connection  # what is kept here, where it belongs, is not in the stubs
        if time.monotonic() - getattr(state, "hlv_checked_at", -FRESH_SECONDS) < FRESH_SECONDS:
            state.health_check_done = state.hlv_trusted = True


def note_check(**_: Any) -> None:
    """A request has ended: Django has checked or made the connections that it used, but for those that were trusted."""
    for connection in connections.all(initialized_only=True):
        state: Any = connection
        was_trusted, state.hlv_trusted = getattr(state, "hlv_trusted", False), False
        if state.connection is not None and state.health_check_done and not (was_trusted or state.errors_occurred):
            state.hlv_checked_at = time.monotonic()


class HouseAdminConfig(admin_apps.AdminConfig):
    """Django's admin pages, with the app's own sign-in (admin_site.py)."""

    default = False
    default_site = "hlvstudy.admin_site.HouseAdminSite"
