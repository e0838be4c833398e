"""`hlvstudy restore`: a backup becomes the database, on SQLite or PostgreSQL, whichever it was made from."""

import argparse
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from hlvstudy.program.django_inside import confirmed, database_name, django_inside, tell
from hlvstudy.program.steps import Trouble


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a backup made by hlvstudy backup, or - for standard input")
    parser.add_argument("--replace", action="store_true", help="replace a database that is in use; asks for its name")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--keep-version",
        action="store_true",
        help="leave the database as the version that made the backup had it, to go back to that version",
    )


def restore(options: argparse.Namespace) -> None:
    """Restore a backup: all of it, or nothing is changed."""
    with django_inside() as settings, _as_file(options.file, settings) as path:
        from hlvstudy.copies.archives import opened_archive
        from hlvstudy.copies.holding import nobody_else

        with opened_archive(path) as archive, nobody_else(Path(settings.STATE_DIR)):
            tell(f"Checking {options.file} ...")
            archive.check()
            _refuse_to_overwrite(options, settings)
            refuse_while_workers_run()
            restore_archive(archive, settings, keep_version=options.keep_version)
            made = archive.manifest
        tell(
            f"Restored: {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}, as they were at "
            f"{made.made_at}."
        )
        if options.keep_version:
            tell(f"The database is that of version {made.version}: start that version, not this one.")
        else:
            tell("Now run: hlvstudy prepare")


def restore_archive(archive: Any, settings: Any, *, keep_version: bool = False) -> None:
    """Make the archive's database the database, and put its files in their places."""
    from django.core.management import call_command

    from hlvstudy.copies import files
    from hlvstudy.copies.places import new_database
    from hlvstudy.copies.tables import schema_after
    from hlvstudy.copies.writing import fill, make_tables

    made = archive.manifest
    schema = archive.schema_in(schema_after(made.migrations))
    if any(name.startswith("uploads/") for name in made.files):
        files.try_storage()  # while nothing has been changed
    files.forget_staged()
    erased = _erasures()
    is_replaced = False
    try:
        for name, stated in made.files.items():
            files.stage(name, archive.blocks(name, stated))
        with new_database(settings.DATABASES["default"]) as connection:
            tell("Making the tables ...")
            make_tables(connection, schema)
            tell("Copying and comparing the rows ...")
            fill(
                connection,
                schema,
                archive.lines,
                counted=made.counted,
                from_postgresql=made.database == "postgresql",
            )
            if not keep_version:
                call_command("migrate", interactive=False, verbosity=0)
            interrupted_mark(settings).parent.mkdir(parents=True, exist_ok=True)
            interrupted_mark(settings).write_text("A restore was interrupted.")
        is_replaced = True
        files.put_staged_in_place(list(made.files))
        if not keep_version:
            _erase_again(erased)
    except BaseException:
        if is_replaced:
            tell("The database is the backup's, but not everything is in its place. Run the same again with --replace.")
        else:
            files.forget_staged()
        raise
    files.forget_staged()


def _erasures() -> Any:
    """What was erased here, as remembered outside the database: the backup may be older and bring it back."""
    from annotations.erasing.executing import remembered

    return remembered()


def _erase_again(entries: Any) -> None:
    """Erase again what the backup brought back; before anybody can sign in."""
    from django.db import connection

    from annotations.erasing.executing import reapply_erasures

    if not entries:
        return
    try:
        done = reapply_erasures(entries)
    finally:
        connection.close()
    if done.again:
        tell(f"Erased again, because the backup was older than the erasure: {len(done.again)}.")
    if done.unsure:
        tell(f"Not erased again, because something else has the same id now: {', '.join(done.unsure)}. Look at them.")


def interrupted_mark(settings: Any) -> Path:
    """The file that is there between the moment the database is replaced and the moment all files are in place."""
    return Path(settings.STATE_DIR) / "restoring" / "not-finished"


def _refuse_to_overwrite(options: argparse.Namespace, settings: Any) -> None:
    """Raise Trouble if the database has people or answers, unless it is to be replaced and that was confirmed."""
    from django.db import connection

    name = database_name(settings)
    counts = in_use(connection)
    if not any(counts.values()):
        return
    held = f"The database {name} holds {counts['people']:,} people and {counts['answers']:,} answers."
    if not options.replace:
        raise Trouble(f"{held} Nothing was changed. To replace all of it by the backup, give --replace.")
    confirmed(f"{held} They will be replaced by the backup.", name=name, yes=options.yes)


def in_use(connection: Any) -> dict[str, int]:
    """How many people and answers a database holds, whatever version it is of; it is closed afterwards."""
    if connection.vendor == "sqlite" and not Path(str(connection.settings_dict["NAME"])).exists():
        return {"people": 0, "answers": 0}  # asking would make the file
    tables = {"people": "annotations_user", "answers": "annotations_preferenceresponse"}
    try:
        with connection.cursor() as cursor:
            there = set(connection.introspection.table_names(cursor))
            counts = {}
            for what, table in tables.items():
                counts[what] = 0
                if table in there:
                    cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our tables' names
                    counts[what] = cursor.fetchone()[0]
        return counts
    finally:
        connection.close()


def refuse_while_workers_run() -> None:
    """Those of other machines are known by what they sign on with in the database.

    Raises:
        Trouble: one was seen lately.
    """
    from django.db import DatabaseError, connection
    from django.utils import timezone

    from annotations.background.jobs import HEARTBEAT_FRESH
    from annotations.models import WorkerHeartbeat

    if connection.vendor == "sqlite" and not Path(str(connection.settings_dict["NAME"])).exists():
        return
    try:
        seen_lately = WorkerHeartbeat.objects.filter(seen_at__gt=timezone.now() - HEARTBEAT_FRESH)
        alive = list(seen_lately.values_list("name", flat=True))  # all that tables of earlier versions have
    except DatabaseError:  # there is no such table yet
        return
    finally:
        connection.close()
    if alive:
        names = ", ".join(alive[:3])
        raise Trouble(f"Workers are running ({names}). Stop all servers and workers, wait 20 seconds, and try again.")


@contextmanager
def _as_file(name: str, settings: Any) -> Iterator[Path]:
    """The archive as a file: what comes through a pipe is kept until the end."""
    if name != "-":
        yield Path(name).expanduser().absolute()
        return
    if sys.stdin.isatty():
        raise Trouble("Send the backup into the command: ... | hlvstudy restore -")
    with NamedTemporaryFile(dir=settings.STATE_DIR, suffix=".part") as kept:  # only its owner can read it
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name)
