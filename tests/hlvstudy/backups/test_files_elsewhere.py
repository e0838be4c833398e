"""Uploads, exports and documents on an S3 server go into a backup, and from it into the empty bucket of another."""

import hashlib
import secrets
from pathlib import Path

import pytest

from tests.hlvstudy.backups.conftest import Installation
from tests.processes import free_port
from tests.s3 import served

pytestmark = pytest.mark.long
FILES = {
    "imports/20260101/labels.csv": "text,label\nÜber,1\n".encode(),
    "documents/Überblick (1) & more.pdf": secrets.token_bytes(300_000),
    "exports/large.zip": secrets.token_bytes(9_000_000),  # more than is sent or held in one piece
    "exports/empty.csv": b"",
}
SAVED = """
from pathlib import Path
from django.core.files.base import File
from django.core.files.storage import default_storage
folder = Path({folder!r})
for path in folder.rglob("*"):
    if path.is_file():
        name = path.relative_to(folder).as_posix()
        assert default_storage.save(name, File(path.open("rb"))) == name
"""
READ = """
import hashlib
from django.core.files.storage import default_storage
for name in {names!r}:
    print(name, hashlib.sha256(default_storage.open(name).read()).hexdigest())
"""


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_new_installation_with_an_empty_bucket_gets_every_file_byte_for_byte(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / name).write_bytes(content)
    with served(tmp_path / "old-storage") as old, served(tmp_path / "new-storage") as new:
        here = Installation(tmp_path / "here", settings={"STORAGE_URL": old})
        there = Installation(tmp_path / "there", settings={"STORAGE_URL": new})
        here.run("prepare")
        here.python(SAVED.format(folder=str(tmp_path / "files")))
        here.run("backup", "--to", str(tmp_path / "one.zip"))
        there.run("restore", str(tmp_path / "one.zip"))

        assert files_in(tmp_path / "new-storage" / "hlv" / "study") == FILES
        said = there.python(READ.format(names=list(FILES)))
    assert said.splitlines() == [f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in FILES.items()]
    assert not (there.folder / "uploads").exists()
    assert not (there.folder / "restoring").exists()


def test_a_storage_that_does_not_answer_is_said_and_nothing_is_made_or_changed(
    earlier: Installation, kept_backup: Path, tmp_path: Path
) -> None:
    away = {"STORAGE_URL": f"s3://KEY:SECRETKEY@127.0.0.1:{free_port()}/hlv?tls=0"}
    here = Installation(earlier.folder, settings=away)
    there = Installation(tmp_path / "there", settings=away)
    for said in (
        here.run("backup", "--to", str(tmp_path / "one.zip"), fails=True),
        there.run("restore", str(kept_backup), fails=True),
    ):
        assert "STORAGE_URL" in said
        assert "SECRETKEY" not in said
    assert not (tmp_path / "one.zip").exists()
    assert not there.database.exists()


def test_a_storage_that_takes_no_file_during_a_restore_keeps_it_unfinished_until_it_is_run_again(
    kept_backup: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "storage" / "hlv" / "study"
    with served(tmp_path / "storage") as url:
        there = Installation(tmp_path / "there", settings={"STORAGE_URL": url})
        # A file where a folder should be: the server takes the file that tries it, and not the upload.
        kept.mkdir()
        (kept / "imports").touch()
        said = there.run("restore", str(kept_backup), fails=True)
        assert "Run the same again with --replace" in said
        assert "A restore was interrupted" in there.run("web", "--check-config", fails=True)
    (kept / "imports").unlink()
    with served(tmp_path / "storage") as url:
        there = Installation(there.folder, settings={"STORAGE_URL": url})
        there.run("restore", str(kept_backup), "--replace", "--yes")
    assert list(files_in(kept)) == ["imports/20260101/labels.csv"]
    assert not (there.folder / "restoring").exists()
