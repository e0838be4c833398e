"""Files that are kept on another machine belong to a backup too."""

from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from hlvstudy.backups import files
from tests.hlvstudy.backups.conftest import Installation


def test_uploads_of_a_storage_that_is_no_folder_are_found_and_come_back(settings, tmp_path: Path) -> None:
    settings.STATE_DIR = tmp_path
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    default_storage.save("imports/20260101/labels.csv", ContentFile(b"text,label"))
    (found,) = files.uploaded_files()
    assert found.name == "uploads/imports/20260101/labels.csv"
    with found.opened() as opened:
        assert opened is not None
        assert opened.read() == b"text,label"
    files.stage(found.name, iter([b"as it was"]))
    files.put_staged_in_place([found.name])
    files.put_staged_in_place([found.name])  # again, after an interruption
    with default_storage.open("imports/20260101/labels.csv") as now:
        assert now.read() == b"as it was"


def test_the_state_folder_gives_what_cannot_be_made_anew(settings, tmp_path: Path) -> None:
    settings.STATE_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "pages"
    for name in (
        "secret_key",
        "notes/kept.txt",
        "hlvstudy.sqlite3",
        "hlvstudy.sqlite3-wal",
        "broker.sqlite3",
        "pages/index.js",
        "backups/b.zip",
        "tmp/x",
        "web.log",
        "running.lock",
        "demo/hlvstudy.sqlite3",
        "demo/key",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert [one.name for one in files.state_files()] == ["state/secret_key", "state/notes/kept.txt"]


def test_no_file_of_an_archive_takes_the_place_of_the_restored_database(earlier: Installation) -> None:
    named = earlier.database.rename(earlier.folder / "answers.db")
    restored = Installation(earlier.folder, url=f"sqlite:///{named}")
    before = named.read_bytes()
    names = ["state/answers.db", "state/answers.db-wal", "state/secret_key"]
    restored.python(
        "from hlvstudy.backups import files\n"
        f"for name in {names}: files.stage(name, iter([b'of the archive']))\n"
        f"files.put_staged_in_place({names})"
    )
    assert named.read_bytes() == before
    assert not named.with_name("answers.db-wal").exists()
    assert (earlier.folder / "secret_key").read_bytes() == b"of the archive"
