"""The work of an erasure: the database in one transaction, then the files, then what the database left behind.

What deleted rows left in the database's own files is overwritten. SQLite: `secure_delete` while erasing, then VACUUM
(which writes the file anew) and a truncated write-ahead log. PostgreSQL: VACUUM FULL of the tables that were touched,
which writes them anew: without what was deleted once nobody can see that any more, so that older transactions of the
database (a dump) are waited for. Its write-ahead log keeps older contents until its segments are recycled, usually
within hours; archived segments are backups.

A restored backup does not know the erasures after it was made: their list is kept outside the database.
After restoring, call `reapply_erasures()` before anybody can sign in; `hlvstudy manage erase again` does.

The list has one small file for each erasure in the server's storage (`erasures/<id>.json`), with ids, choices and an
HMAC, and no name, address or text::

    {
        "id": "5b0c...",
        "what": "person",
        "target": 12,
        "with_answers": false,
        "erased_at": "2026-11-25T19:40:00+00:00",
        "mark": "9f2a...",
    }
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from annotations.background.executors import executes
from annotations.background.jobs import JobProgress
from annotations.erasing.retention import sweep_sometimes
from annotations.erasing.subjects import Counts, erase_dataset, erase_person, erase_study, erase_text
from annotations.ground.errors import HLVError, NotFound
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import Dataset, Erased, Erasure, EventKind, Instance, JobState, Study, User
from annotations.storing.mail_addresses import normalised

logger = logging.getLogger(__name__)
STEPS = 3
WAIT_SECONDS = 20
"""For older transactions, and then for each table."""
ALWAYS = ("annotations.Event", "annotations.Session")
"""Rows of these change often: what an erasure removed may also be in what earlier changes left."""
FOLDER = "erasures"


class NotOverwritten(HLVError):
    """Everything is gone from the database's tables, but its file could not be written anew now."""


def tidy_up() -> None:
    """Delete the files of erasures whose worker died between the transaction and the files, write their entries, and
    apply what is kept how long.
    """
    for erasure in Erasure.objects.exclude(erased_at=None).exclude(files=[]):
        _remove_files(erasure)
    sweep_sometimes()


@executes(Erasure, tidy_up=tidy_up)
def execute_erasure(erasure: Erasure, progress: Progress) -> dict[str, Any]:
    """Erase; repeating what is done changes nothing. Returns the fields to store with its success."""
    progress(0, STEPS, "")
    if erasure.erased_at is None:
        erase_rows(erasure)
    erasure.refresh_from_db()
    progress(1, STEPS, "")
    _remove_files(erasure)
    progress(2, STEPS, "")
    clean(erasure.counts)
    return {}


def carry_out(erasure: Erasure) -> None:
    """Do it here and now, without a worker (commands, a restore)."""
    execute_erasure(erasure, JobProgress())
    now = timezone.now()
    Erasure.objects.filter(pk=erasure.pk).update(state=JobState.SUCCEEDED, finished_at=now, progress_done=STEPS)


def erase_rows(erasure: Erasure) -> None:
    """Erase everything from the database, and record it, in one transaction: all of it or nothing."""
    with secure_deletes(), transaction.atomic():
        erasure = Erasure.objects.select_for_update(of=("self",)).get(pk=erasure.pk)
        if erasure.erased_at is not None:
            return
        row = find(erasure.what, erasure.target)
        mark = mark_of(row) if row is not None and getattr(row, "erased_at", None) is None else erasure.mark
        counts = erase(row, with_answers=erasure.with_answers, actor=erasure.owner)
        # Unless the dataset was erased meanwhile, and the text with it.
        is_there = isinstance(row, Instance) and Instance.objects.filter(pk=row.pk).exists()
        dataset = row.dataset if is_there and isinstance(row, Instance) else None
        about: dict[str, Any] = {"what": str(erasure.what), "erasure": str(erasure.pk), "counts": counts.rows}
        if isinstance(row, User):
            about |= {"person": row.pk, "with_answers": erasure.with_answers}
        events.record(EventKind.ERASED, actor=erasure.owner, dataset=dataset, **about)
        Erasure.objects.filter(pk=erasure.pk).update(
            erased_at=timezone.now(), counts=counts.rows, files=counts.files, mark=mark
        )


def erase(row: User | Instance | Study | Dataset | None, *, with_answers: bool, actor: User | None) -> Counts:
    """Erase a row with all that names it. Nothing, if it is gone already."""
    if isinstance(row, User):
        return erase_person(user=row, with_answers=with_answers, actor=actor)
    if isinstance(row, Instance):
        return erase_text(instance=row, with_answers=with_answers, actor=actor)
    if isinstance(row, Study):
        return erase_study(study=row, actor=actor)
    return Counts() if row is None else erase_dataset(dataset=row, actor=actor)


def preview(row: User | Instance | Study | Dataset, *, with_answers: bool, actor: User | None) -> Counts:
    """What would go: the erasure is done and rolled back, so that the counts are exact.

    Raises what erasing raises.
    """
    with transaction.atomic():
        counts = erase(row, with_answers=with_answers, actor=actor)
        transaction.set_rollback(True)
    return counts


def _remove_files(erasure: Erasure) -> None:
    keep(
        {
            "id": str(erasure.pk),
            "what": erasure.what,
            "target": erasure.target,
            "with_answers": erasure.with_answers,
            "erased_at": erasure.erased_at.isoformat() if erasure.erased_at else None,
            "mark": erasure.mark,
        }
    )
    if erasure.files:
        Erasure.objects.filter(pk=erasure.pk).update(files=_delete_files(list(erasure.files)))


def _delete_files(names: list[str]) -> list[str]:
    """Delete files; returns those that could not be deleted now."""
    undeleted = []
    for name in names:
        try:
            default_storage.delete(name)
        except OSError:
            undeleted.append(name)
    return undeleted


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


@dataclass(slots=True)
class Reapplied:
    """What was done with a list of erasures."""

    again: list[str] = field(default_factory=list)
    """Ids of erasures whose target was there again, and is erased again."""
    gone: list[str] = field(default_factory=list)
    """The target is not there, or was erased before the backup was made."""
    unsure: list[str] = field(default_factory=list)
    """Under the id there is somebody or something else, or SECRET_KEY is another: nothing was done."""


def reapply_erasures(entries: Iterable[Mapping[str, Any]] | None = None) -> Reapplied:
    """Erase again what a restored backup has brought back.

    Call it after restoring, migrated and before the server runs. It is safe to repeat.

    Args:
        entries: as `remembered` returns them, which is also the default. Read them before the storage is replaced by
            an older one, too.
    """
    done = Reapplied()
    for entry in remembered() if entries is None else list(entries):
        keep(entry)
        row = find(str(entry["what"]), int(entry["target"]))
        if row is None or getattr(row, "erased_at", None) is not None:
            done.gone.append(str(entry["id"]))
        elif not constant_time_compare(mark_of(row), str(entry["mark"])):
            done.unsure.append(str(entry["id"]))
        else:
            erasure, _ = Erasure.objects.update_or_create(
                pk=entry["id"],
                defaults={
                    "what": entry["what"],
                    "target": entry["target"],
                    "with_answers": entry["with_answers"],
                    "mark": entry["mark"],
                    "erased_at": None,
                },
            )
            carry_out(erasure)
            done.again.append(str(entry["id"]))
    return done


def find(what: str, target: int) -> User | Instance | Study | Dataset | None:
    """The row that an erasure is about, if it is still there."""
    user: User | Instance | Study | Dataset | None = _rows(what).filter(pk=target).first()
    return user


def _rows(what: str) -> Any:
    rows: dict[str, Any] = {
        Erased.PERSON: User.objects,
        Erased.TEXT: Instance.objects.select_related("dataset"),
        Erased.STUDY: Study.objects,
        Erased.DATASET: Dataset.objects,
    }
    return rows[what]


def name_of(row: User | Instance | Study | Dataset) -> str:
    """What people know it by, and type to confirm: an address, a text's id, a slug."""
    if isinstance(row, User):
        return row.email
    return row.external_id if isinstance(row, Instance) else row.slug


def mark_of(row: User | Instance | Study | Dataset) -> str:
    """An HMAC of what identifies it, under SECRET_KEY: it can be compared but not read."""
    name = normalised(row.email) if isinstance(row, User) else name_of(row)
    if isinstance(row, Instance):
        name = f"{row.dataset.slug} {row.position} {name}"
    return salted_hmac("annotations.erasing", f"{type(row).__name__}: {name}", algorithm="sha256").hexdigest()


def keep(entry: Mapping[str, Any]) -> None:
    """Write an entry's file, unless it is there."""
    path = f"{FOLDER}/{entry['id']}.json"
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(json.dumps(dict(entry)).encode()))


def remembered() -> list[dict[str, Any]]:
    """All entries in the server's storage, oldest first."""
    if not default_storage.exists(FOLDER):
        return []
    orders = []
    for name in sorted(default_storage.listdir(FOLDER)[1]):
        with default_storage.open(f"{FOLDER}/{name}") as file:
            orders.append(json.load(file))
    return sorted(orders, key=lambda order: (str(order["erased_at"]), str(order["id"])))


def find_named(
    *,
    what: str,
    person: int | None = None,
    study: str = "",
    number: int | None = None,
    dataset: str = "",
    position: int | None = None,
) -> tuple[str, int]:
    """The kind and id of what a request names. Raises NotFound."""
    names: dict[str, dict[str, Any]] = {
        Erased.PERSON: {"memberships__study__slug": study, "memberships__number": -1 if number is None else number},
        Erased.TEXT: {"dataset__slug": dataset, "position": -1 if position is None else position},
        Erased.STUDY: {"slug": study},
        Erased.DATASET: {"slug": dataset},
    }
    is_by_id = what == Erased.PERSON and person is not None
    key = _rows(what).filter(**{"pk": person} if is_by_id else names[what]).values_list("pk", flat=True).first()
    if key is None:
        raise NotFound
    return what, key
