"""Django inside this process: `hlvstudy manage ...`, `hlvstudy prepare`, and whether a server can be started."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from hlvstudy.program.steps import Trouble, say

NOT_COLLECTED = ["index.html", "*.map", "redoc", "rest_framework"]
"""The first is a template; our pages do not use the others, and compressing them takes most of the time."""


def manage(arguments: list[str], *, program: str) -> None:
    """Run one of Django's or our own commands, as manage.py does."""
    with plain_settings():
        from django.core.management import execute_from_command_line

        execute_from_command_line([program, *arguments])


def prepare() -> None:
    """Bring the database and the collected pages up to this version. Repeating it is safe and cheap."""
    with plain_settings():
        import django
        from django.core.management import call_command

        django.setup()
        _refuse_partly_upgraded()
        say("Migrating the database ...")
        call_command("migrate", interactive=False, verbosity=0)
        collect_pages()


def prepare_demo(real: str = "") -> None:
    """All that a demo needs before it is served, in one process, which prints the logins.

    Args:
        real: a folder with somebody's own files, from which the demo is made instead of invented data.
    """
    prepare()
    from django.core.management import call_command

    call_command("load_demo", *(["--real", real] if real else []))
    # Only here, where only the person at this machine has access: elsewhere the demo's admin administers the demo
    # alone.
    call_command("set_roles", "admin@example.org", "--admin", verbosity=0)


def collect_pages() -> None:
    """Collect and compress the pages, unless they are those of this version already; Django is set up."""
    from django.conf import settings
    from django.core.management import call_command

    from hlvstudy.checks.machine import STAMP, fingerprint_of_pages

    fingerprint, stamp = fingerprint_of_pages(), Path(settings.STATIC_ROOT) / STAMP
    if not stamp.exists() or stamp.read_text() != fingerprint:
        say("Collecting and compressing the pages ...")
        call_command("collectstatic", interactive=False, clear=True, ignore_patterns=NOT_COLLECTED, verbosity=0)
        stamp.write_text(fingerprint)


def warn_of_root(public_url: str) -> None:
    """Say it if a server for others runs with all rights of the machine."""
    from hlvstudy.security import LOOPBACK

    if os.geteuid() == 0 and urlsplit(public_url).hostname not in LOOPBACK:
        warning = (
            "This runs as root, so a hole in any library would open the whole machine. Run it as a user of its own."
        )
        print(f"Warning: {warning}", file=sys.stderr, flush=True)


def refuse_unprepared() -> None:
    """Raise Trouble if a server would start but could not work, and say what to do."""
    with plain_settings():
        import django
        from django.conf import settings
        from django.db import OperationalError, connection
        from django.db.migrations.executor import MigrationExecutor

        django.setup()
        try:
            _refuse_partly_upgraded()
            executor = MigrationExecutor(connection)
            waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
            connection.close()
        except OperationalError as error:
            raise Trouble(f"The database does not answer: {error}") from None
        if waiting or not Path(settings.STATIC_ROOT).is_dir():
            raise Trouble("The database or the pages are not those of this version yet. Run first: hlvstudy prepare")
        if interrupted_mark().exists():
            raise Trouble("A restore was interrupted. Run it again: hlvstudy restore FILE --replace")
        warn_of_root(settings.PUBLIC_URL)


def interrupted_mark() -> Path:
    """The file that says that a restore has replaced the database, but not yet put all files in their places."""
    from django.conf import settings

    return Path(settings.STATE_DIR) / "restoring" / "not-finished"


def _refuse_partly_upgraded() -> None:
    """Raise Trouble for a database of before the first release that was not brought up to its last version."""
    from django.db import connection

    from hlvstudy.backups.tables import PartlyUpgraded, applied_in

    try:
        applied_in(connection)
    except PartlyUpgraded as error:
        raise Trouble(str(error)) from None


def forget_old_figures() -> None:
    """Forget what earlier processes of a web server counted for Prometheus."""
    with plain_settings():
        from django.conf import settings

        from hlvstudy.monitoring import forget_ended_processes

        forget_ended_processes(Path(settings.STATE_DIR))


@contextmanager
def plain_settings() -> Iterator[None]:
    """Turn a wrong setting into its sentence, which says how to fix it and which a traceback would hide."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    from django.core.exceptions import ImproperlyConfigured

    try:
        yield
    except ImproperlyConfigured as error:
        raise Trouble(str(error)) from None
