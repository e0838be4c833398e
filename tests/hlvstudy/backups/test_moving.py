"""Everything gets into the other kind of database, and is the same there."""

import fcntl
import sqlite3
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.hlvstudy.backups.conftest import Installation
from tests.hlvstudy.backups.test_restoring import digest_of, tables_of

pytestmark = pytest.mark.long

SIGNS_IN = """
from annotations.models import User
user = User.objects.order_by("pk").first()
user.set_password("a long password"); user.save()
made = User.objects.create_user("new@example.org", "a long password")
assert made.pk > user.pk
print(user.pk, made.pk)
"""


def test_an_address_that_is_none_and_the_same_database_are_refused(earlier: Installation) -> None:
    assert "not the address of a database" in earlier.run("move-database", "mysql://x/y", fails=True)
    assert "in use already" in earlier.run("move-database", f"sqlite:///{earlier.database}", fails=True)


def test_sqlite_moves_into_another_file_and_a_server_that_runs_is_told(earlier: Installation, tmp_path: Path) -> None:
    from hlvstudy.backups import holding

    earlier.run("upgrade", "--no-backup")
    before = digest_of(earlier.database)
    with open(earlier.folder / holding.LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        said = earlier.run("move-database", f"sqlite:///{tmp_path}/other.sqlite3", fails=True)
    assert "A server or a worker is running" in said
    earlier.run("move-database", f"sqlite:///{tmp_path}/other.sqlite3")
    assert digest_of(earlier.database) == before
    other = Installation(earlier.folder, url=f"sqlite:///{tmp_path}/other.sqlite3")
    assert tables_of(other, tmp_path / "other.zip") == tables_of(earlier, tmp_path / "earlier.zip")
    said = earlier.run("move-database", f"sqlite:///{tmp_path}/other.sqlite3", fails=True)
    assert "not empty" in said


@pytest.mark.postgresql
def test_sqlite_moves_to_postgresql_and_back(
    earlier: Installation, tmp_path: Path, new_postgresql: Callable[[], str]
) -> None:
    earlier.run("upgrade", "--no-backup")
    before, stated = digest_of(earlier.database), tables_of(earlier, tmp_path / "before.zip")
    url = new_postgresql()
    assert "are the same in both" in earlier.run("move-database", url)
    assert digest_of(earlier.database) == before
    there = Installation(earlier.folder, url=url)
    assert tables_of(there, tmp_path / "there.zip") == stated
    back = Installation(earlier.folder, url=f"sqlite:///{tmp_path}/back.sqlite3")
    there.run("move-database", back.url)
    assert tables_of(back, tmp_path / "back.zip") == stated
    exported = earlier.exports(tmp_path / "out")
    assert there.exports(tmp_path / "out-there") == exported
    assert back.exports(tmp_path / "out-back") == exported
    # The rules that the database enforces stand again, and keys go on where they were.
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as server:
        with pytest.raises(psycopg.errors.CheckViolation, match="never changed"):
            server.execute("UPDATE annotations_event SET subject = 'x'")
        server.rollback()
        (disabled,) = server.execute(
            "SELECT COUNT(*) FROM pg_trigger WHERE tgenabled <> 'O' AND NOT tgisinternal"
        ).fetchone() or (1,)
        assert disabled == 0
    there.python(SIGNS_IN)
    there.run("manage", "check")


@pytest.mark.postgresql
def test_a_row_that_does_not_fit_is_named_by_its_table_only_and_nothing_is_there(
    earlier: Installation, new_postgresql: Callable[[], str]
) -> None:
    earlier.run("upgrade", "--no-backup")
    with sqlite3.connect(earlier.database) as database:
        database.execute("UPDATE annotations_user SET email = email || char(0) || 'secret'")
    url = new_postgresql()
    said = earlier.run("move-database", url, fails=True)
    assert "annotations_user does not fit" in said
    assert "secret" not in said
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as server:
        assert server.execute("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.postgresql
def test_a_process_that_is_killed_halfway_leaves_the_other_database_empty(
    earlier: Installation, new_postgresql: Callable[[], str]
) -> None:
    earlier.run("upgrade", "--no-backup")
    before, url = digest_of(earlier.database), new_postgresql()
    process = earlier.start("move-database", url)
    assert process.stdout
    for line in process.stdout:
        if b"Copying" in line:
            process.kill()
    assert process.wait(timeout=60) != 0
    assert digest_of(earlier.database) == before
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as server:
        assert server.execute("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
    earlier.run("move-database", url)


@pytest.mark.postgresql
def test_who_writes_meanwhile_waits_and_is_named_if_it_takes_too_long(
    empty: Installation, kept_backup: Path, tmp_path: Path, new_postgresql: Callable[[], str]
) -> None:
    there = Installation(tmp_path / "there", url=new_postgresql())
    there.run("restore", str(kept_backup))
    with psycopg.connect(there.url.replace("postgres://", "postgresql://")) as writer:
        writer.execute("UPDATE annotations_user SET password = 'x'")
        said = there.run("move-database", f"sqlite:///{tmp_path}/other.sqlite3", fails=True)
    assert "did not let go within" in said
    assert not (tmp_path / "other.sqlite3").exists()
