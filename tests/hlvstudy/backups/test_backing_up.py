"""A backup is whole, secret and of one moment; one that is not whole is told."""

import json
import resource
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hlvstudy.backups import NotCopied
from hlvstudy.backups.archives import opened_archive
from tests.hlvstudy.backups.conftest import ROOT, Installation


def rewritten(kept: Path, out: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The archive with other members."""
    with zipfile.ZipFile(kept) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out


def refusal(path: Path) -> str:
    with pytest.raises(NotCopied) as refused, opened_archive(path) as archive:
        archive.check()
    return str(refused.value)


def test_it_holds_all_rows_and_files_and_only_its_owner_can_read_it(earlier: Installation, tmp_path: Path) -> None:
    said = earlier.run("backup", "--to", f"{tmp_path}/out/")
    (made,) = (tmp_path / "out").iterdir()
    assert f"{made} (" in said
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    with opened_archive(made) as archive, sqlite3.connect(earlier.database) as database:
        archive.check()
        manifest = archive.manifest
        for name, table in manifest.tables.items():
            assert database.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (table["rows"],)  # noqa: S608 - our tables' names
        assert set(manifest.files) == {"state/secret_key", "uploads/imports/20260101/labels.csv"}
        assert manifest.not_included == []
    checked = earlier.run("backup", "--check", str(made))
    assert "is whole" in checked
    assert f"{manifest.tables['annotations_preferenceresponse']['rows']} answers" in checked


@pytest.mark.long
def test_the_database_s_own_file_is_not_among_the_files_whatever_it_is_called(
    earlier: Installation, tmp_path: Path
) -> None:
    named = earlier.database.rename(earlier.folder / "answers.db")
    renamed = Installation(earlier.folder, url=f"sqlite:///{named}")
    renamed.run("backup", "--to", str(tmp_path / "kept.zip"))
    with opened_archive(tmp_path / "kept.zip") as archive:
        assert set(archive.manifest.files) == {"state/secret_key", "uploads/imports/20260101/labels.csv"}


@pytest.mark.long
def test_it_is_of_one_moment_while_somebody_writes(earlier: Installation, tmp_path: Path) -> None:
    earlier.run("backup", "--to", str(tmp_path / "before.zip"))
    with sqlite3.connect(earlier.database, isolation_level=None) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE annotations_user SET password = 'somebody else'")
        earlier.run("backup", "--to", str(tmp_path / "during.zip"))
        writer.execute("ROLLBACK")
    with opened_archive(tmp_path / "before.zip") as one, opened_archive(tmp_path / "during.zip") as other:
        assert one.manifest.tables == other.manifest.tables


@pytest.mark.long
def test_it_goes_into_a_pipe(earlier: Installation, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hlvstudy", "backup", "--to", "-"]
    done = subprocess.run(command, cwd=ROOT, env=earlier.environment(), capture_output=True, check=True)
    (tmp_path / "piped.zip").write_bytes(done.stdout)
    with opened_archive(tmp_path / "piped.zip") as archive:
        archive.check()
        assert archive.manifest.rows > 1000


def test_only_the_oldest_of_its_own_backups_are_deleted(earlier: Installation) -> None:
    folder = earlier.folder / "backups"
    folder.mkdir()
    for name in ("hlvstudy-20200101T000000Z.zip", "hlvstudy-20210101T000000Z.zip", "mine.zip"):
        (folder / name).touch()
    earlier.run("backup", "--keep", "2")
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert names[-1] == "mine.zip"
    assert "hlvstudy-20210101T000000Z.zip" in names


@pytest.mark.long
def test_a_full_disk_is_said_and_leaves_no_file(earlier: Installation, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hlvstudy", "backup", "--to", str(tmp_path / "b.zip")],
        cwd=ROOT,
        env=earlier.environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert done.returncode == 1, done.stderr
    assert "could not be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["earlier"]


def test_an_existing_file_is_never_replaced(earlier: Installation, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("precious")
    assert "exists already" in earlier.run("backup", "--to", str(tmp_path / "b.zip"), fails=True)
    assert (tmp_path / "b.zip").read_text() == "precious"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_what_was_cut_off_is_refused(kept_backup: Path, tmp_path: Path, share: float) -> None:
    content = kept_backup.read_bytes()
    (tmp_path / "cut.zip").write_bytes(content[: int(len(content) * share)])
    assert "cut off" in refusal(tmp_path / "cut.zip")


def test_changed_bytes_are_refused(kept_backup: Path, tmp_path: Path) -> None:
    content = bytearray(kept_backup.read_bytes())
    for place in range(len(content) // 3, len(content) // 3 + 40):
        content[place] ^= 0xFF
    (tmp_path / "changed.zip").write_bytes(content)
    assert "damaged" in refusal(tmp_path / "changed.zip")


def test_other_rows_than_the_manifest_states_are_refused(kept_backup: Path, tmp_path: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["tables/annotations_user.copy"] = members["tables/annotations_user.copy"].replace(b"\tf\t", b"\tt\t", 1)

    assert "not what its manifest says" in refusal(rewritten(kept_backup, tmp_path / "c.zip", change))


def test_a_file_more_or_less_is_refused(kept_backup: Path, tmp_path: Path) -> None:
    more = rewritten(kept_backup, tmp_path / "more.zip", lambda members: members.update({"uploads/extra": b"x"}))
    less = rewritten(kept_backup, tmp_path / "less.zip", lambda members: members.pop("state/secret_key") and None)
    assert "exactly the files" in refusal(more)
    assert "exactly the files" in refusal(less)


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/outside", "state/../../outside", "uploads\\..\\outside", "elsewhere/x"]
)
def test_a_file_that_lies_outside_is_refused(kept_backup: Path, tmp_path: Path, name: str) -> None:
    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        manifest["files"][name] = manifest["files"].pop("state/secret_key")
        members[name] = members.pop("state/secret_key")
        members["manifest.json"] = json.dumps(manifest).encode()

    assert "outside" in refusal(rewritten(kept_backup, tmp_path / "crafted.zip", change))


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")
    assert "not a whole backup" in refusal(tmp_path / "text.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("manifest.json", "[" * 5000)
    assert "not a backup of HLV Study" in refusal(tmp_path / "other.zip")
    assert "There is no file" in refusal(tmp_path / "missing.zip")
