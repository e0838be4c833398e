"""Open the append-only tables to the running transaction. Only this package does it (a test holds that).

The triggers (annotations/migrations/0101_triggers.py) look for a row that only this transaction can see: it is deleted
before the transaction ends, and on PostgreSQL it also carries the transaction's own number.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.transaction import TransactionManagementError

from annotations.models import ErasingGate


@contextmanager
def open_gate() -> Iterator[None]:
    """Allow the transaction to change and delete what nothing else may."""
    if not connection.in_atomic_block:
        raise TransactionManagementError
    gate = ErasingGate.objects.create(key=_transaction())
    yield
    # Not `finally`: after an error the transaction is rolled back, and the row with it.
    gate.delete()


def _transaction() -> str:
    if connection.vendor == "sqlite":
        return "open"  # SQLite has one writer at a time
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()::text")
        return str(cursor.fetchone()[0])
