from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks


class HLVStudyConfig(AppConfig):
    name = "hlvstudy"
    default = True

    def ready(self) -> None:
        from hlvstudy import connections

        connections.watch()
        checks.register(refuse_partly_upgraded, checks.Tags.database)


def refuse_partly_upgraded(databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """Before `manage.py migrate` changes anything: Django would make tables that are there already."""
    from django.db import connections

    from hlvstudy.backups.tables import PartlyUpgraded, applied_in

    try:
        for alias in databases or ():
            applied_in(connections[alias])
    except PartlyUpgraded as error:
        return [checks.Error(error.sentence, hint=error.remedy, id="hlvstudy.E001")]
    return []


class HouseAdminConfig(admin_apps.AdminConfig):
    """Django's admin pages, with the app's own sign-in (admin_site.py)."""

    default = False
    default_site = "hlvstudy.admin_site.HouseAdminSite"
