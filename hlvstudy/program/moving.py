"""`hlvstudy move-database`: everything into another database, for example from SQLite to PostgreSQL."""

import argparse
from pathlib import Path
from typing import Any

from hlvstudy.program.django_inside import django_inside, tell
from hlvstudy.program.restoring import in_use, refuse_while_workers_run
from hlvstudy.program.steps import Trouble


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="the address of an empty database, as in DATABASE_URL")


def move_database(options: argparse.Namespace) -> None:
    """Copy everything into another, empty database, all or nothing. The present one stays as it is."""
    with django_inside() as settings:
        from hlvstudy.copies.holding import nobody_else
        from hlvstudy.copies.places import settings_of

        wanted = settings_of(options.url)
        with nobody_else(Path(settings.STATE_DIR)):
            rows = copy_database(settings.DATABASES["default"], wanted)
        tell(f"Moved {rows:,} rows; counts and digests of all tables are the same in both.")
        tell("Set DATABASE_URL to the new address for every server and worker, run hlvstudy prepare, and start them.")
        tell("The old database was not changed. Delete it when you no longer need it.")


def copy_database(source: dict[str, Any], target: dict[str, Any]) -> int:
    """Copy all tables; gives the number of rows."""
    from hlvstudy.copies.places import in_place_of_the_default, new_database
    from hlvstudy.copies.reading import counters, lines_of, snapshot
    from hlvstudy.copies.tables import all_migrations, strangers
    from hlvstudy.copies.writing import fill, make_tables

    if _address(source) == _address(target):
        raise Trouble("That is the database that is in use already.")
    with in_place_of_the_default(target) as there:
        if any(in_use(there).values()):
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
