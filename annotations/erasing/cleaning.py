"""Overwrite what deleted rows left in the database's own files.

SQLite: `secure_delete` while erasing, then VACUUM (which writes the file anew) and a truncated write-ahead log.
PostgreSQL: VACUUM FULL of the tables that were touched, which writes them anew: without what was deleted once nobody
can see that any more, so that older transactions of the database (a dump) are waited for. Its write-ahead log keeps
older contents until its segments are recycled, usually within hours; archived segments are backups.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import OperationalError, connection
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.models import Erasure

logger = logging.getLogger(__name__)
WAIT_SECONDS = 20
"""For older transactions, and then for each table."""
ALWAYS = ("annotations.Event", "annotations.Session")
"""Rows of these change often: what an erasure removed may also be in what earlier changes left."""


class NotOverwritten(HLVError):
    """Everything is gone from the database's tables, but its file could not be written anew now."""

    code = "not_overwritten"


@contextmanager
def secure_deletes() -> Iterator[None]:
    """Have SQLite overwrite with zeros what it deletes meanwhile."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA secure_delete").fetchone()[0]
        cursor.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA secure_delete = {int(before)}")


def clean(counts: Mapping[str, int]) -> None:
    """Write anew what held the rows that went. Inside a transaction (a test) there is nothing to write yet.

    Raises:
        NotOverwritten: others held the database for too long; trying again later is safe.
    """
    if connection.in_atomic_block:
        return
    try:
        if connection.vendor == "sqlite":
            _clean_sqlite()
        else:
            _clean_postgresql(counts)
    except OperationalError as error:
        logger.warning("the database could not be written anew (%s)", type(error).__name__)
        raise NotOverwritten(
            _(
                "Everything was erased, but the database was too busy to overwrite the freed space. Try again when "
                "fewer people are working."
            )
        ) from None


def _clean_sqlite() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise OperationalError  # readers hold the write-ahead log


def _clean_postgresql(counts: Mapping[str, int]) -> None:
    models = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    labels = {*counts, *ALWAYS, Erasure._meta.label} & set(models)
    with connection.cursor() as cursor:
        _wait_for_older_transactions(cursor)
        cursor.execute(f"SET lock_timeout = '{WAIT_SECONDS}s'")
        try:
            for label in sorted(labels):
                table = connection.ops.quote_name(models[label]._meta.db_table)
                # FULL alone would copy deleted rows too, as long as an older transaction runs in another database.
                cursor.execute(f"VACUUM (DISABLE_PAGE_SKIPPING) {table}")
                cursor.execute(f"VACUUM (FULL) {table}")
        finally:
            cursor.execute("RESET lock_timeout")


def _wait_for_older_transactions(cursor: Any) -> None:
    """Wait for those who began before the erasure had ended and can still see its rows.

    Transactions of other accounts are waited for only if this account may see them.

    Raises:
        OperationalError: they take too long.
    """
    cursor.execute("SELECT (txid_current() % 4294967296)::text")
    (ours,) = cursor.fetchone()
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND greatest(age(backend_xmin), age(backend_xid)) > age(%s::xid)",
            [ours],
        )
        if not cursor.fetchone()[0]:
            return
        if time.monotonic() > deadline:
            raise OperationalError
        time.sleep(0.05)
