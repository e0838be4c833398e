"""The commands that copy the database: `hlvstudy backup`, `restore`, `move-database` and `upgrade`.

What they copy, and in which form, is in hlvstudy/backups. Django is set up within `django_inside` only.
"""

import argparse
import os
import re
import shutil
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

import django
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.utils import timezone

from hlvstudy import __version__
from hlvstudy.backups import NotCopied, files
from hlvstudy.backups.archives import opened_archive, write_archive
from hlvstudy.backups.holding import nobody_else
from hlvstudy.backups.places import changed_database, in_place_of_the_default, new_database, settings_of
from hlvstudy.backups.rows import counters, fill, lines_of, make_tables, snapshot
from hlvstudy.backups.tables import all_migrations, applied_in, schema_after, strangers
from hlvstudy.program.managing import collect_pages, interrupted_mark, plain_settings
from hlvstudy.program.steps import Trouble

NAME = re.compile(r"hlvstudy-\d{8}T\d{6}Z\.zip")
"""How a backup is named if nobody names it; only such files are ever deleted."""
PART = ".part"


@contextmanager
def django_inside() -> Iterator[None]:
    """Django, set up, and troubles as sentences.

    Raises:
        Trouble: a setting is wrong, the database does not answer, or nothing could be copied.
    """
    with plain_settings():
        django.setup()
        try:
            yield
        except NotCopied as error:
            raise Trouble(str(error)) from None
        except (OperationalError, InterfaceError) as error:
            raise Trouble(f"The database does not answer: {str(error).strip()}") from None
        except OSError as error:
            raise Trouble(f"{error.filename or 'A file'} cannot be used ({error.strerror}).") from None


def tell(text: str) -> None:
    """Say what happens, beside what is written to standard output."""
    print(text, file=sys.stderr, flush=True)


def confirmed(question: str, *, name: str, yes: bool) -> None:
    """Ask the person at the terminal to type a name.

    Raises:
        Trouble: it was not typed, or nobody is there.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise Trouble(f"{question} Give --yes if you mean it.")
    if input(f"{question}\nType its name, {name}, to go on: ").strip() != name:
        raise Trouble("That is not its name. Nothing was changed.")


def database_name() -> str:
    """The name of the database, without where it is and who signs in to it."""
    return Path(str(settings.DATABASES["default"]["NAME"])).name


def _now() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"


# -- backup


def backup(options: argparse.Namespace) -> None:
    """Make a backup, or check one."""
    if options.check:
        _check_backup(Path(options.check))
        return
    if options.keep is not None and options.keep < 1:
        raise Trouble("--keep needs a number from 1.")
    with django_inside():
        if options.to == "-":
            if options.keep:
                raise Trouble("--keep needs a folder: leave --to - out.")
            if sys.stdout.isatty():
                raise Trouble(
                    "A backup is not readable. Send it into a file or a program: hlvstudy backup --to - | ..."
                )
            made = _written(sys.stdout.buffer, without_uploads=options.without_uploads)
            sys.stdout.flush()
            tell(f"Written: {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}.")
            return
        path = make_backup(_place(options.to), without_uploads=options.without_uploads)
        if options.keep:
            _forget_oldest(path.parent, keep=options.keep)


def make_backup(path: Path, *, without_uploads: bool = False) -> Path:
    """Write a backup under a temporary name, then give it its name; within `django_inside`."""
    part = path.with_name(path.name + PART)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
            os.fchmod(out.fileno(), 0o600)
            made = _written(out, without_uploads=without_uploads)
            out.flush()
            os.fsync(out.fileno())
        os.link(part, path)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise Trouble(f"{path} exists already. Name another file.") from None
    except OSError as error:
        raise Trouble(f"The backup could not be written to {path} ({error.strerror}). No backup was made.") from None
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
    from hlvstudy.checks.machine import in_units

    tell(
        f"Backed up {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}: "
        f"{path} ({in_units(path.stat().st_size)}). Keep it as secret as the database."
    )
    return path


def _written(out: IO[bytes], *, without_uploads: bool) -> Any:
    with in_place_of_the_default(settings.DATABASES["default"]) as connection, snapshot(connection) as schema:
        if not schema.applied:
            raise Trouble("There is no database yet, so there is nothing to back up. Run first: hlvstudy prepare")
        copied = files.state_files() if without_uploads else chain(files.state_files(), files.uploaded_files())
        uploads = "excluded" if without_uploads else "included"
        made = write_archive(out, connection, schema, files=copied, uploads=uploads, tell=tell)
    if without_uploads:
        tell(f"Uploads are not in it; they stay in {files.where_uploads_are()}.")
    if made.not_included:
        tell(f"Not in it, because no migration made them: the tables {', '.join(made.not_included)}.")
    return made


def _place(path: str | None) -> Path:
    name = f"hlvstudy-{_now()}.zip"
    if path is None:
        return Path(settings.STATE_DIR) / "backups" / name
    place = Path(path).expanduser().absolute()
    if place.is_dir() or path.endswith("/"):
        return place / name
    if place.exists():
        raise Trouble(f"{place} exists already. Name another file.")
    return place


def _forget_oldest(folder: Path, *, keep: int) -> None:
    made = sorted(path for path in folder.iterdir() if NAME.fullmatch(path.name) and path.is_file())
    for path in made[:-keep]:
        path.unlink()
        tell(f"Deleted the older backup {path.name}.")


def _check_backup(path: Path) -> None:
    with django_inside(), opened_archive(path) as archive:
        archive.check()
        made = archive.manifest
    answers = made.tables.get("annotations_preferenceresponse", {}).get("rows", 0)
    print(
        f"{path} is whole. It was made at {made.made_at} by version {made.version} from a {made.database} database "
        f"with {len(made.migrations)} migrations.\nIt holds {made.rows:,} rows of {len(made.tables)} tables, "
        f"{answers:,} answers among them, and {len(made.files)} files; uploads are {made.uploads}."
    )


# -- restore


def restore(options: argparse.Namespace) -> None:
    """Restore a backup: all of it, or nothing is changed."""
    with django_inside(), _as_file(options.file) as path:
        with opened_archive(path) as archive, nobody_else(Path(settings.STATE_DIR)):
            tell(f"Checking {options.file} ...")
            archive.check()
            _refuse_to_overwrite(options)
            refuse_while_workers_run()
            restore_archive(archive, keep_version=options.keep_version)
            made = archive.manifest
        tell(
            f"Restored: {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}, as they were at "
            f"{made.made_at}."
        )
        if options.keep_version:
            tell(f"The database is that of version {made.version}: start that version, not this one.")
        else:
            tell("Now run: hlvstudy prepare")


def restore_archive(archive: Any, *, keep_version: bool = False) -> None:
    """Make the archive's database the database, and put its files in their places."""
    from annotations.erasing.executing import remembered

    made = archive.manifest
    schema = archive.schema_in(schema_after(made.migrations))
    if any(name.startswith("uploads/") for name in made.files):
        files.try_storage()  # while nothing has been changed
    files.forget_staged()
    erased = remembered()  # outside the database: the backup may be older and bring it back
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
            mark = interrupted_mark()
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text("A restore was interrupted.")
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


def _erase_again(entries: Any) -> None:
    """Erase again what the backup brought back; before anybody can sign in."""
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


def _refuse_to_overwrite(options: argparse.Namespace) -> None:
    """Raise Trouble if the database has people or answers, unless it is to be replaced and that was confirmed."""
    name = database_name()
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
            present = set(connection.introspection.table_names(cursor))
            counts = {}
            for what, table in tables.items():
                counts[what] = 0
                if table in present:
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
def _as_file(name: str) -> Iterator[Path]:
    """The archive as a file: what comes through a pipe is kept until the end."""
    if name != "-":
        yield Path(name).expanduser().absolute()
        return
    if sys.stdin.isatty():
        raise Trouble("Send the backup into the command: ... | hlvstudy restore -")
    with NamedTemporaryFile(dir=settings.STATE_DIR, suffix=".part") as file:  # only its owner can read it
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield Path(file.name)


# -- move-database


def move_database(options: argparse.Namespace) -> None:
    """Copy everything into another, empty database, all or nothing. The present one stays as it is."""
    with django_inside():
        target = settings_of(options.url)
        with nobody_else(Path(settings.STATE_DIR)):
            rows = copy_database(settings.DATABASES["default"], target)
        tell(f"Moved {rows:,} rows; counts and digests of all tables are the same in both.")
        tell("Set DATABASE_URL to the new address for every server and worker, run hlvstudy prepare, and start them.")
        tell("The old database was not changed. Delete it when you no longer need it.")


def copy_database(source: dict[str, Any], target: dict[str, Any]) -> int:
    """Copy all tables; gives the number of rows."""
    if _address(source) == _address(target):
        raise Trouble("That is the database that is in use already.")
    with in_place_of_the_default(target) as other:
        if any(in_use(other).values()):
            raise Trouble("The other database is not empty: it holds people or answers. Nothing was changed.")
    with in_place_of_the_default(source) as reading:
        refuse_while_workers_run()
        with snapshot(reading, nobody_writes=True) as schema:
            if all_migrations() - schema.applied:
                raise Trouble("The database is not of this version yet. Run first: hlvstudy upgrade")
            unknown = strangers(reading, schema)
            if unknown:
                tell(f"Not moved, because no migration made them: the tables {', '.join(unknown)}.")
            with new_database(target) as writing:
                tell("Making the tables ...")
                make_tables(writing, schema)
                tell("Copying and comparing the rows ...")
                copied = fill(
                    writing,
                    schema,
                    lambda table: lines_of(reading, table),
                    counted=counters(reading, schema),
                    from_postgresql=reading.vendor == "postgresql",
                )
    return sum(tally.rows for tally in copied.values())


def _address(settings: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(settings.get(part) or "") for part in ("ENGINE", "HOST", "PORT", "NAME"))


# -- upgrade


def upgrade(options: argparse.Namespace) -> None:
    """Back up, migrate, check, collect the pages. If something fails, the database is as it was."""
    with django_inside():
        try:
            before = applied_in(connection)
        finally:
            connection.close()
        schema_after(before)  # refuses a newer one
        waiting = sorted(all_migrations() - before)
        tell(_plan(waiting, fresh=not before, backs_up=bool(before) and not options.no_backup))
        if options.dry_run:
            return
        if waiting:
            with nobody_else(Path(settings.STATE_DIR)):
                refuse_while_workers_run()
                backup = None
                if before and not options.no_backup:
                    backup = make_backup(Path(settings.STATE_DIR) / "backups" / f"before-upgrade-{_now()}.zip")
                _migrate(backup)
        collect_pages()
        _check_installation()
        tell(f"The database and the pages are those of version {__version__}. Start the servers and the workers.")


def _plan(waiting: list[tuple[str, str]], *, fresh: bool, backs_up: bool) -> str:
    if not waiting:
        return f"The database {database_name()} has all migrations of version {__version__}; only pages are collected."
    counted = "1 migration" if len(waiting) == 1 else f"{len(waiting)} migrations"
    first = "It makes all tables" if fresh else f"It applies {counted}"
    lines = [f"Upgrading the database {database_name()} to version {__version__}. {first}:"]
    by_app: dict[str, list[str]] = {}
    for app, name in waiting:
        by_app.setdefault(app, []).append(name)
    lines += [f"  {app}: {names[0]}{f' to {names[-1]}' if len(names) > 1 else ''}" for app, names in by_app.items()]
    if backs_up:
        lines.append("A backup is made first.")
    return "\n".join(lines)


def _migrate(backup: Path | None) -> None:
    try:
        with changed_database(settings.DATABASES["default"]) as connection:
            tell("Migrating the database ...")
            call_command("migrate", interactive=False, verbosity=0)
            connection.check_constraints()
    except (KeyboardInterrupt, SystemExit):
        raise
    except (NotCopied, Trouble) as error:
        raise Trouble(f"{error}\n{_way_back(backup)}") from None
    except Exception as error:
        message = str(error).strip().splitlines()[0] if isinstance(error, DatabaseError) and str(error).strip() else ""
        traceback.print_exc(file=sys.stderr)
        raise Trouble(
            f"The migration failed: {type(error).__name__}{f' ({message})' if message else ''}.\n{_way_back(backup)}"
        ) from None
    if backup:
        tell(f"To go back: hlvstudy restore {backup} --replace --keep-version, then start the earlier version.")


def _way_back(backup: Path | None) -> str:
    has = f" A backup is in {backup}." if backup else ""
    return f"The database is as it was before, so the earlier version can be started again.{has}"


def _check_installation() -> None:
    from hlvstudy.checks.conditions import Condition
    from hlvstudy.health import look_at_installation

    broken = [part for part in look_at_installation() if part.condition is Condition.BROKEN]
    connection.close()
    if broken:
        raise Trouble("\n".join(f"{part.name}: {part.sentence} {part.remedy}" for part in broken))


COMMANDS = {"backup": backup, "restore": restore, "move-database": move_database, "upgrade": upgrade}
