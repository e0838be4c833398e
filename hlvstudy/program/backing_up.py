"""`hlvstudy backup`: one file with the database and the files that belong to it, made while the server runs."""

import argparse
import os
import re
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from hlvstudy.program.django_inside import django_inside, tell
from hlvstudy.program.steps import Trouble

NAME = re.compile(r"hlvstudy-\d{8}T\d{6}Z\.zip")
"""How a backup is named if nobody names it; only such files are ever deleted."""
PART = ".part"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to",
        metavar="PLACE",
        help="a folder, a new file, or - for standard output, for example to encrypt it "
        "(default: the folder's backups)",
    )
    parser.add_argument(
        "--keep", type=int, metavar="N", help="afterwards, delete the oldest of the folder's backups, except for N"
    )
    parser.add_argument("--without-uploads", action="store_true", help="leave uploaded and exported files out")
    parser.add_argument("--check", metavar="FILE", help="make no backup, but read FILE and say whether it is whole")


def backup(options: argparse.Namespace) -> None:
    """Make a backup, or check one."""
    if options.check:
        _check(Path(options.check))
        return
    if options.keep is not None and options.keep < 1:
        raise Trouble("--keep needs a number from 1.")
    with django_inside() as settings:
        if options.to == "-":
            if options.keep:
                raise Trouble("--keep needs a folder: leave --to - out.")
            if sys.stdout.isatty():
                raise Trouble(
                    "A backup is not readable. Send it into a file or a program: hlvstudy backup --to - | ..."
                )
            made = _written(sys.stdout.buffer, without_uploads=options.without_uploads)
            sys.stdout.flush()
            tell(f"Written: {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}.")
            return
        path = make_backup(_place(options.to, settings), without_uploads=options.without_uploads)
        if options.keep:
            _forget_oldest(path.parent, keep=options.keep)


def make_backup(path: Path, *, without_uploads: bool = False) -> Path:
    """Write a backup under a temporary name, then give it its name; within `django_inside`."""
    part = path.with_name(path.name + PART)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
            os.fchmod(out.fileno(), 0o600)
            made = _written(out, without_uploads=without_uploads)
            out.flush()
            os.fsync(out.fileno())
        os.link(part, path)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise Trouble(f"{path} exists already. Name another file.") from None
    except OSError as error:
        raise Trouble(f"The backup could not be written to {path} ({error.strerror}). No backup was made.") from None
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
    from annotations.background.health import in_units

    tell(
        f"Backed up {made.rows:,} rows of {len(made.tables)} tables; files: {len(made.files)}: "
        f"{path} ({in_units(path.stat().st_size)}). Keep it as secret as the database."
    )
    return path


def _written(out: IO[bytes], *, without_uploads: bool) -> Any:
    from itertools import chain

    from django.conf import settings

    from hlvstudy.copies.archives import write_archive
    from hlvstudy.copies.files import state_files, uploaded_files, where_uploads_are
    from hlvstudy.copies.places import in_place_of_the_default
    from hlvstudy.copies.reading import snapshot

    with in_place_of_the_default(settings.DATABASES["default"]) as connection, snapshot(connection) as schema:
        if not schema.applied:
            raise Trouble("There is no database yet, so there is nothing to back up. Run first: hlvstudy prepare")
        files = state_files() if without_uploads else chain(state_files(), uploaded_files())
        uploads = "excluded" if without_uploads else "included"
        made = write_archive(out, connection, schema, files=files, uploads=uploads, tell=tell)
    if without_uploads:
        tell(f"Uploads are not in it; they stay in {where_uploads_are()}.")
    if made.not_included:
        tell(f"Not in it, because no migration made them: the tables {', '.join(made.not_included)}.")
    return made


def _place(wanted: str | None, settings: Any) -> Path:
    name = f"hlvstudy-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.zip"
    if wanted is None:
        return Path(settings.STATE_DIR) / "backups" / name
    place = Path(wanted).expanduser().absolute()
    if place.is_dir() or wanted.endswith("/"):
        return place / name
    if place.exists():
        raise Trouble(f"{place} exists already. Name another file.")
    return place


def _forget_oldest(folder: Path, *, keep: int) -> None:
    made = sorted(path for path in folder.iterdir() if NAME.fullmatch(path.name) and path.is_file())
    for path in made[:-keep]:
        path.unlink()
        tell(f"Deleted the older backup {path.name}.")


def _check(path: Path) -> None:
    with django_inside():
        from hlvstudy.copies.archives import opened_archive

        with opened_archive(path) as archive:
            archive.check()
            made = archive.manifest
    answers = made.tables.get("annotations_preferenceresponse", {}).get("rows", 0)
    print(
        f"{path} is whole. It was made at {made.made_at} by version {made.version} from a {made.database} database "
        f"with {len(made.migrations)} migrations.\nIt holds {made.rows:,} rows of {len(made.tables)} tables, "
        f"{answers:,} answers among them, and {len(made.files)} files; uploads are {made.uploads}."
    )
