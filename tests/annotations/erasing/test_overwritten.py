"""What was erased is not in the database's own files either."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from annotations.erasing import executing
from annotations.erasing.executing import carry_out
from annotations.models import Erased, Erasure, Instance, User
from tests.annotations.erasing.test_erasing import MARK, planted, storage  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db(transaction=True)


def files() -> Iterator[tuple[str, bytes]]:
    """The files that hold the tables, as they are on disk."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA database_list")
            name = next(row[2] for row in cursor.fetchall() if row[1] == "main")
            assert name, "a database in memory has no file"
            for path in (Path(name), Path(f"{name}-wal")):
                if path.exists():
                    # By another process: closing such a file here would drop the locks that SQLite holds on it, and
                    # the next process that leaves the database would take the log away from under this one.
                    yield path.name, subprocess.run(["cat", path], capture_output=True, check=True).stdout
            return
        cursor.execute("SELECT usesuper FROM pg_user WHERE usename = current_user")
        assert cursor.fetchone()[0], "only a superuser may read PostgreSQL's files: let the tests' role be one"
        cursor.execute("CHECKPOINT")
        cursor.execute("SELECT relname, pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 't', 'i')")
        for name, path in cursor.fetchall():
            cursor.execute("SELECT pg_read_binary_file(%s, 0, 100000000, true)", [path])
            content = cursor.fetchone()[0]
            yield name, bytes(content or b"")


def found(mark: str) -> list[str]:
    return sorted({name for name, content in files() if mark.encode() in content.lower()})


@pytest.fixture
def fresh_files(transactional_db: None) -> None:
    """Nothing of earlier tests is in the files: what they rolled back stays there until a table is written anew."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM" if connection.vendor == "sqlite" else "VACUUM (FULL)")
    assert found(MARK) == []


@contextmanager
def busy(database: str) -> Iterator[None]:
    """On PostgreSQL, a transaction under way in this database, which sees and changes what was there before."""
    if connection.vendor == "sqlite":
        yield
        return
    other = connection.copy()
    other.settings_dict = {**connection.settings_dict, "NAME": database}
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT txid_current()")
            yield
    finally:
        other.close()


def test_neither_a_person_nor_a_text_is_left_in_the_files(fresh_files: None, storage: Path) -> None:  # noqa: F811 - a fixture, not the import
    root = User.objects.create_superuser("root@example.org", "a long password")
    study, user = planted(root)
    instance = study.dataset.instances.get(position=0)
    Instance.objects.filter(pk=instance.pk).update(segments=[{"name": "", "text": f"words {MARK}9"}])
    study.invitations.filter(email=f"new-{MARK}@example.org").delete()
    assert found(MARK) != []
    with busy("postgres"):
        for what, target in ((Erased.TEXT, instance.pk), (Erased.PERSON, user.pk)):
            carry_out(Erasure.objects.create(owner=root, what=what, target=target))
    assert found(MARK) == []


@pytest.mark.postgresql
def test_who_can_still_see_what_was_erased_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "WAIT_SECONDS", 0.1)
    with busy(str(connection.settings_dict["NAME"])):
        with connection.cursor() as cursor:
            cursor.execute("SELECT txid_current()")  # something ends later
        with pytest.raises(executing.NotOverwritten):
            executing.clean({})
