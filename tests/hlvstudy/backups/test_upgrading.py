"""An earlier version's database becomes today's, with a way back; a newer one is left alone."""

import hashlib
import json
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from hlvstudy.backups.tables import LAST_WITH_ALL, PartlyUpgraded, all_migrations, schema_after
from tests.hlvstudy.backups.conftest import ROOT, Installation
from tests.hlvstudy.backups.test_restoring import digest_of, tables_of

FAILING = """
import sys
from unittest import mock
from hlvstudy.program.main import main
import django; django.setup()
from django.core.management.commands.migrate import Command
right = Command.handle
def wrong(self, *arguments, **options):
    right(self, *arguments, **options)
    raise RuntimeError("the last migration fails")
with mock.patch.object(Command, "handle", wrong):
    sys.exit(main(["upgrade"]))
"""


def failing(installation: Installation) -> str:
    done = subprocess.run(
        [sys.executable, "-c", FAILING],
        cwd=ROOT,
        env=installation.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


def way(installation: Installation, tmp_path: Path, kept: Path) -> None:
    """There, failing, and back."""
    before = tables_of(installation, tmp_path / "before.zip")
    assert "It applies" in installation.run("upgrade", "--dry-run")
    assert tables_of(installation, tmp_path / "still.zip") == before
    said = failing(installation)
    assert "The database is as it was before" in said
    assert "A backup is in" in said
    assert tables_of(installation, tmp_path / "failed.zip") == before
    said = installation.run("upgrade")
    assert "applies" in said
    assert "A backup is made first" in said
    assert "Start the servers and the workers" in said
    assert "only pages are collected" in installation.run("upgrade")
    backups = sorted((installation.folder / "backups").iterdir())
    installation.run("restore", str(backups[-1]), "--replace", "--yes", "--keep-version")
    assert tables_of(installation, tmp_path / "back.zip") == before


@pytest.mark.long
def test_the_earlier_database_is_upgraded_on_sqlite_and_there_is_a_way_back(
    earlier: Installation, tmp_path: Path, kept_backup: Path
) -> None:
    way(earlier, tmp_path, kept_backup)


@pytest.mark.long
@pytest.mark.postgresql
def test_the_earlier_database_is_upgraded_on_postgresql_and_there_is_a_way_back(
    tmp_path: Path, kept_backup: Path, new_postgresql: Callable[[], str]
) -> None:
    there = Installation(tmp_path / "there", url=new_postgresql())
    there.run("restore", str(kept_backup), "--keep-version")
    way(there, tmp_path, kept_backup)


def test_a_newer_database_is_left_alone(earlier: Installation) -> None:
    with sqlite3.connect(earlier.database) as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('annotations', '9999_later', '2030-01-01')"
        )
    before = digest_of(earlier.database)
    for command in (["upgrade"], ["backup"]):
        said = earlier.run(*command, fails=True)
        assert "newer than this program" in said
        assert "annotations.9999_later" in said
    assert digest_of(earlier.database) == before


def test_tables_of_an_app_that_earlier_versions_had_go_with_an_upgrade(earlier: Installation, tmp_path: Path) -> None:
    before = tables_of(earlier, tmp_path / "before.zip")
    with sqlite3.connect(earlier.database) as database:
        database.execute("CREATE TABLE axes_accesslog (id integer PRIMARY KEY, username text)")
        database.execute("INSERT INTO axes_accesslog (username) VALUES ('old@example.org')")
        database.execute("DELETE FROM django_migrations WHERE name = '0106_without_axes'")
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('axes', '0001_initial', '2025')")
    assert tables_of(earlier, tmp_path / "now.zip") == before
    earlier.run("upgrade", "--no-backup")
    with sqlite3.connect(earlier.database) as database:
        assert database.execute("SELECT name FROM sqlite_master WHERE name LIKE 'axes%'").fetchall() == []
        assert database.execute("SELECT name FROM django_migrations WHERE app = 'axes'").fetchall() == []


def test_a_backup_with_tables_of_an_app_that_earlier_versions_had_is_restored_without_them(
    empty: Installation, tmp_path: Path, kept_backup: Path
) -> None:
    rows = b"1\told@example.org\n"
    with zipfile.ZipFile(kept_backup) as kept, zipfile.ZipFile(tmp_path / "older.zip", "w") as older:
        manifest = json.loads(kept.read("manifest.json"))
        manifest["migrations"].append(["axes", "0001_initial"])
        stated = {"rows": 1, "digest": "", "columns": ["id", "username"], "sha256": hashlib.sha256(rows).hexdigest()}
        before = dict(manifest["tables"])
        manifest["tables"]["axes_accesslog"] = stated | {"bytes": len(rows)}
        for name in set(kept.namelist()) - {"manifest.json"}:
            older.writestr(name, kept.read(name))
        older.writestr("tables/axes_accesslog.copy", rows)
        older.writestr("manifest.json", json.dumps(manifest))
    empty.run("restore", str(tmp_path / "older.zip"), "--keep-version")
    stated = {name: (table["rows"], table["digest"]) for name, table in before.items()}
    assert tables_of(empty, tmp_path / "again.zip") == stated


OLD = [old for migration in MigrationLoader(None).disk_migrations.values() for old in migration.replaces]
"""The migrations of before the first release; a database has their names also when it was made by those of today."""


def with_migrations_of_before(installation: Installation, *, without: str = "") -> None:
    with sqlite3.connect(installation.database) as database:
        database.execute("DELETE FROM django_migrations WHERE name IN ('0100_tables', '0101_triggers')")
        database.execute("DELETE FROM django_migrations WHERE name = ?", [without])
        assert database.execute("SELECT count(*) FROM django_migrations WHERE name < '0100'").fetchone()[0] >= 70


@pytest.mark.long
def test_a_database_with_all_migrations_of_before_the_first_release_goes_on(
    earlier: Installation, tmp_path: Path
) -> None:
    before = tables_of(earlier, tmp_path / "before.zip")
    with_migrations_of_before(earlier)
    assert tables_of(earlier, tmp_path / "the_same.zip") == before
    planned = earlier.run("upgrade", "--dry-run")
    assert "9000_later" in planned
    assert "0100_tables" not in planned
    earlier.run("prepare")
    with sqlite3.connect(earlier.database) as database:
        rows = set(database.execute("SELECT app, name FROM django_migrations WHERE name >= '0100'"))
    assert rows >= {("annotations", "0101_triggers"), ("annotations", "9000_later"), ("metaeval", "0100_tables")}
    after = tables_of(earlier, tmp_path / "after.zip")
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"annotations_study", "auth_permission"} & changed


@pytest.mark.long
def test_a_database_with_some_of_them_is_refused_and_left_alone(earlier: Installation) -> None:
    lacking = "0055_splits"
    with_migrations_of_before(earlier, without=lacking)
    before = digest_of(earlier.database)
    for command in (["upgrade"], ["prepare"], ["backup"], ["manage", "migrate"], ["web", "--check-config"]):
        said = earlier.run(*command, fails=True)
        assert lacking in said, command
        assert LAST_WITH_ALL in said, command
        assert "newer" not in said, command
    assert digest_of(earlier.database) == before


def test_a_backup_of_before_the_first_release_is_read_if_it_has_all_of_them_and_else_refused() -> None:
    replacing = {("annotations", "0100_tables"), ("annotations", "0101_triggers"), ("metaeval", "0100_tables")}
    others = {key for key in all_migrations() if key[0] not in {"annotations", "metaeval"}}
    assert schema_after({*others, *OLD}).applied == others | replacing
    for lacking in OLD:
        with pytest.raises(PartlyUpgraded) as refused:
            schema_after({*others, *OLD} - {lacking})
        assert ".".join(lacking) in refused.value.sentence
