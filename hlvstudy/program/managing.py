"""Django inside this process: `hlvstudy manage ...`, `hlvstudy prepare`, and whether a server can be started."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hlvstudy.places import PAGES
from hlvstudy.program.steps import Trouble, say

STAMP = "pages.sha256"
"""In STATIC_ROOT's folder: what the pages were collected from."""

NOT_COLLECTED = ["index.html", "*.map", "redoc", "rest_framework"]
"""The first is a template; our pages do not use the others, and compressing them takes most of the time."""


def manage(arguments: list[str], *, program: str) -> None:
    """Run one of Django's or our own commands, as manage.py does."""
    with _plain_settings():
        from django.core.management import execute_from_command_line

        execute_from_command_line([program, *arguments])


def prepare() -> None:
    """Bring the database and the collected pages up to this version. Repeating it is safe and cheap."""
    with _plain_settings():
        import django
        from django.conf import settings
        from django.core.management import call_command

        django.setup()
        say("Migrating the database ...")
        call_command("migrate", interactive=False, verbosity=0)
        wanted, stamp = _fingerprint_of_pages(), Path(settings.STATIC_ROOT) / STAMP
        if not stamp.exists() or stamp.read_text() != wanted:
            say("Collecting and compressing the pages ...")
            call_command("collectstatic", interactive=False, clear=True, ignore_patterns=NOT_COLLECTED, verbosity=0)
            stamp.write_text(wanted)


def refuse_unprepared() -> None:
    """Raise Trouble if a server would start but could not work, and say what to do."""
    with _plain_settings():
        import django
        from django.conf import settings
        from django.db import OperationalError, connection
        from django.db.migrations.executor import MigrationExecutor

        django.setup()
        try:
            executor = MigrationExecutor(connection)
            waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
            connection.close()
        except OperationalError as error:
            raise Trouble(f"The database does not answer: {error}") from None
        if waiting or not Path(settings.STATIC_ROOT).is_dir():
            raise Trouble("The database or the pages are not those of this version yet. Run first: hlvstudy prepare")


@contextmanager
def _plain_settings() -> Iterator[None]:
    """Turn a wrong setting into its sentence, which says how to fix it and which a traceback would hide."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    from django.core.exceptions import ImproperlyConfigured

    try:
        yield
    except ImproperlyConfigured as error:
        raise Trouble(str(error)) from None


def _fingerprint_of_pages() -> str:
    """A fingerprint of what is collected: our pages, and those of other packages by their versions."""
    from importlib.metadata import version

    packages = ("django", "djangorestframework", "drf-spectacular-sidecar", "whitenoise")
    files = sorted(path for path in PAGES.rglob("*") if path.is_file())
    found = [*(f"{name} {version(name)}" for name in packages), sys.version]
    found += [f"{path.relative_to(PAGES)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()
