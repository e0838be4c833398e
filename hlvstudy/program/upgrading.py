"""`hlvstudy upgrade`: an earlier version's database becomes this version's, with a backup first and checks after it."""

import argparse
import sys
from pathlib import Path
from typing import Any

from hlvstudy import __version__
from hlvstudy.program.django_inside import database_name, django_inside, tell
from hlvstudy.program.managing import collect_pages
from hlvstudy.program.restoring import refuse_while_workers_run
from hlvstudy.program.steps import Trouble


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--no-backup", action="store_true", help="make no backup first; you have one already")


def upgrade(options: argparse.Namespace) -> None:
    """Back up, migrate, check, collect the pages. If something fails, the database is as it was."""
    with django_inside() as settings:
        from django.db import connection

        from hlvstudy.copies.holding import nobody_else
        from hlvstudy.copies.tables import all_migrations, schema_after

        before = _applied_now(connection)
        schema_after(before)  # refuses a newer one
        waiting = sorted(all_migrations() - before)
        tell(_plan(waiting, fresh=not before, settings=settings, backs_up=bool(before) and not options.no_backup))
        if options.dry_run:
            return
        if waiting:
            with nobody_else(Path(settings.STATE_DIR)):
                refuse_while_workers_run()
                kept = _backed_up(settings) if before and not options.no_backup else None
                _migrate(settings, kept)
        collect_pages()
        _check(connection, settings)
        tell(f"The database and the pages are those of version {__version__}. Start the servers and the workers.")


def _applied_now(connection: Any) -> frozenset[tuple[str, str]]:
    from hlvstudy.copies.tables import applied_in

    try:
        return applied_in(connection)
    finally:
        connection.close()


def _plan(waiting: list[tuple[str, str]], *, fresh: bool, settings: Any, backs_up: bool) -> str:
    if not waiting:
        return (
            f"The database {database_name(settings)} has all migrations of version {__version__}; only pages are "
            "collected."
        )
    counted = "1 migration" if len(waiting) == 1 else f"{len(waiting)} migrations"
    first = "It makes all tables" if fresh else f"It applies {counted}"
    lines = [f"Upgrading the database {database_name(settings)} to version {__version__}. {first}:"]
    by_app: dict[str, list[str]] = {}
    for app, name in waiting:
        by_app.setdefault(app, []).append(name)
    lines += [f"  {app}: {names[0]}{f' to {names[-1]}' if len(names) > 1 else ''}" for app, names in by_app.items()]
    if backs_up:
        lines.append("A backup is made first.")
    return "\n".join(lines)


def _backed_up(settings: Any) -> Path:
    from datetime import UTC, datetime

    from hlvstudy.program.backing_up import make_backup

    name = f"before-upgrade-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.zip"
    return make_backup(Path(settings.STATE_DIR) / "backups" / name)


def _migrate(settings: Any, kept: Path | None) -> None:
    from django.core.management import call_command
    from django.db import DatabaseError

    from hlvstudy.copies import NotCopied
    from hlvstudy.copies.places import changed_database

    try:
        with changed_database(settings.DATABASES["default"]) as connection:
            tell("Migrating the database ...")
            call_command("migrate", interactive=False, verbosity=0)
            connection.check_constraints()
    except (KeyboardInterrupt, SystemExit):
        raise
    except (NotCopied, Trouble) as error:
        raise Trouble(f"{error}\n{_way_back(kept)}") from None
    except Exception as error:
        said = str(error).strip().splitlines()[0] if isinstance(error, DatabaseError) and str(error).strip() else ""
        import traceback

        traceback.print_exc(file=sys.stderr)
        raise Trouble(
            f"The migration failed: {type(error).__name__}{f' ({said})' if said else ''}.\n{_way_back(kept)}"
        ) from None
    if kept:
        tell(f"To go back: hlvstudy restore {kept} --replace --keep-version, then start the earlier version.")


def _way_back(kept: Path | None) -> str:
    has = f" A backup is in {kept}." if kept else ""
    return f"The database is as it was before, so the earlier version can be started again.{has}"


def _check(connection: Any, settings: Any) -> None:
    """What can be known without a running server.

    Raises:
        Trouble: a part does not do what it should.
    """
    from annotations.background.conditions import Condition
    from annotations.background.health import look_at_installation

    broken = [part for part in look_at_installation() if part.condition is Condition.BROKEN]
    connection.close()
    if broken:
        raise Trouble("\n".join(f"{part.name}: {part.sentence} {part.remedy}" for part in broken))
