"""An earlier version's database becomes today's, with a way back; a newer one is left alone."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hlvstudy.copies.conftest import ROOT, Installation
from tests.hlvstudy.copies.test_restoring import digest_of, tables_of

pytestmark = pytest.mark.long

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
        env={**installation.environment(), "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"},
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


def test_the_earlier_database_is_upgraded_on_sqlite_and_there_is_a_way_back(
    earlier: Installation, tmp_path: Path, kept_backup: Path
) -> None:
    way(earlier, tmp_path, kept_backup)


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
