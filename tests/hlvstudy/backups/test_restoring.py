"""A backup becomes the database again: all of it, or nothing is changed."""

import fcntl
import hashlib
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hlvstudy.backups.archives import opened_archive
from tests.hlvstudy.backups.conftest import ROOT, Installation


def tables_of(installation: Installation, out: Path) -> dict[str, Any]:
    """Counts and digests of all tables, as a backup states them."""
    installation.run("backup", "--to", str(out))
    with opened_archive(out) as archive:
        return {name: (table["rows"], table["digest"]) for name, table in archive.manifest.tables.items()}


def answers_in(kept: Path) -> int:
    with opened_archive(kept) as archive:
        return int(archive.manifest.tables["annotations_preferenceresponse"]["rows"])


def digest_of(database: Path) -> str:
    with sqlite3.connect(database) as opened:
        return hashlib.sha256("\n".join(opened.iterdump()).encode()).hexdigest()


def test_an_empty_installation_gets_every_row_and_file(empty: Installation, kept_backup: Path, tmp_path: Path) -> None:
    said = empty.run("restore", str(kept_backup), "--keep-version")
    with opened_archive(kept_backup) as archive:
        assert f"Restored: {archive.manifest.rows:,} rows" in said
        stated = {name: (table["rows"], table["digest"]) for name, table in archive.manifest.tables.items()}
        counted = archive.manifest.counted
    assert tables_of(empty, tmp_path / "again.zip") == stated
    with opened_archive(tmp_path / "again.zip") as archive:
        assert archive.manifest.counted == counted
    assert (empty.folder / "uploads/imports/20260101/labels.csv").read_text() == "text,label\nÜber,1\n"
    assert (empty.folder / "secret_key").read_text() == "k" * 60
    assert not (empty.folder / "restoring").exists()
    assert empty.database.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(empty.database) as database:
        triggers = database.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'").fetchone()[0]
        assert triggers > 5
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            database.execute("UPDATE annotations_event SET subject = 'x'")


def test_a_database_with_people_stays_unless_it_is_to_be_replaced(earlier: Installation, kept_backup: Path) -> None:
    with sqlite3.connect(earlier.database) as database:
        database.execute("UPDATE annotations_user SET password = 'changed'")
    before = digest_of(earlier.database)
    said = earlier.run("restore", str(kept_backup), fails=True)
    assert f"{answers_in(kept_backup)} answers" in said
    assert "--replace" in said
    assert "--yes" in earlier.run("restore", str(kept_backup), "--replace", fails=True), "nobody is there to type"
    assert digest_of(earlier.database) == before
    earlier.run("restore", str(kept_backup), "--replace", "--yes", "--keep-version")
    with sqlite3.connect(earlier.database) as database:
        assert database.execute("SELECT COUNT(*) FROM annotations_user WHERE password = 'changed'").fetchone() == (0,)


@pytest.mark.long
def test_who_was_erased_after_the_backup_was_made_is_erased_again(earlier: Installation, kept_backup: Path) -> None:
    earlier.run("upgrade", "--no-backup")
    earlier.run("manage", "erase", "person", "erin@example.org", "--yes")
    said = earlier.run("restore", str(kept_backup), "--replace", "--yes")
    assert "Erased again, because the backup was older than the erasure: 1." in said
    with sqlite3.connect(earlier.database) as database:
        names = {row[0] for row in database.execute("SELECT email FROM annotations_user")}
    assert "erin@example.org" not in names
    assert "admin@example.org" in names


@pytest.mark.long
def test_a_process_that_is_killed_halfway_leaves_the_old_database(earlier: Installation, kept_backup: Path) -> None:
    before = digest_of(earlier.database)
    process = earlier.start("restore", str(kept_backup), "--replace", "--yes")
    assert process.stdout
    for line in process.stdout:
        if b"Copying" in line:
            process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    assert digest_of(earlier.database) == before
    earlier.run("restore", str(kept_backup), "--replace", "--yes", "--keep-version")
    assert not (earlier.folder / "hlvstudy.sqlite3.new").exists()


@pytest.mark.long
def test_a_server_that_runs_keeps_its_database(earlier: Installation, kept_backup: Path) -> None:
    from hlvstudy.backups import holding

    with open(earlier.folder / holding.LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        said = earlier.run("restore", str(kept_backup), "--replace", "--yes", fails=True)
    assert "A server or a worker is running" in said


@pytest.mark.long
def test_a_worker_that_was_seen_lately_keeps_its_database(earlier: Installation, kept_backup: Path) -> None:
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    with sqlite3.connect(earlier.database) as database:
        seen = ("far-away:7", now, '["celery"]')
        database.execute("INSERT INTO annotations_workerheartbeat (name, seen_at, queues) VALUES (?, ?, ?)", seen)
    said = earlier.run("restore", str(kept_backup), "--replace", "--yes", fails=True)
    assert "Workers are running (far-away:7)" in said


@pytest.mark.long
def test_a_full_disk_is_said_and_changes_nothing(earlier: Installation, empty: Installation, kept_backup: Path) -> None:
    before = digest_of(earlier.database)
    for installation in (earlier, empty):
        done = subprocess.run(
            [sys.executable, "-m", "hlvstudy", "restore", str(kept_backup), "--replace", "--yes"],
            cwd=ROOT,
            env=installation.environment(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)),
        )
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        assert not installation.database.with_name("hlvstudy.sqlite3.new").exists()
    assert digest_of(earlier.database) == before
    assert not empty.database.exists()


@pytest.mark.long
def test_an_interrupted_restore_is_said_before_a_server_starts(empty: Installation) -> None:
    empty.run("prepare")
    (empty.folder / "restoring").mkdir()
    (empty.folder / "restoring" / "not-finished").touch()
    assert "A restore was interrupted" in empty.run("web", "--check-config", fails=True)


@pytest.mark.long
@pytest.mark.postgresql
def test_postgresql_and_sqlite_get_each_others_backups(
    empty: Installation,
    earlier: Installation,
    kept_backup: Path,
    tmp_path: Path,
    new_postgresql: Callable[[], str],
) -> None:
    there = Installation(tmp_path / "there", url=new_postgresql())
    there.run("restore", str(kept_backup))
    earlier.run("upgrade", "--no-backup")
    moved = tables_of(there, tmp_path / "postgresql.zip")
    assert {k: v for k, v in moved.items() if k not in MADE_ANEW} == {
        k: v for k, v in tables_of(earlier, tmp_path / "sqlite.zip").items() if k not in MADE_ANEW
    }
    empty.run("restore", str(tmp_path / "postgresql.zip"))
    assert tables_of(empty, tmp_path / "back.zip") == moved
    # What is in the database stays when the program is killed, or somebody holds it.
    assert f"{answers_in(kept_backup)} answers" in there.run("restore", str(kept_backup), fails=True)
    process = there.start("restore", str(kept_backup), "--replace", "--yes")
    assert process.stdout
    for line in process.stdout:
        if b"Copying" in line:
            process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    assert tables_of(there, tmp_path / "unchanged.zip") == moved
    there.run("restore", str(tmp_path / "sqlite.zip"), "--replace", "--yes")
    exported = earlier.exports(tmp_path / "earlier-out")
    assert there.exports(tmp_path / "there-out") == exported == empty.exports(tmp_path / "empty-out")


MADE_ANEW = {"auth_permission", "django_content_type"}
"""Which Django makes in an order of its own."""
