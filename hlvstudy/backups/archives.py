"""One file that holds a database and the state folder's files: a zip archive with a manifest.

It is written in one pass, also into a pipe, so the manifest comes last; an archive that was cut off has none.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.db.backends.base.base import BaseDatabaseWrapper

from hlvstudy import __version__
from hlvstudy.backups import NotCopied
from hlvstudy.backups.files import Kept
from hlvstudy.backups.rows import BLOCK, Tally, counters, lines_of, tallied
from hlvstudy.backups.tables import GONE, CopiedTable, Schema, strangers

FORMAT = 1
MANIFEST = "manifest.json"
COMPRESSION = 3
"""As fast as the disk, and half again as large as the slowest."""


@dataclass(frozen=True)
class Manifest:
    """What an archive holds, and from where."""

    made_at: str
    version: str
    database: str
    """`sqlite` or `postgresql`."""
    migrations: list[tuple[str, str]]
    tables: dict[str, dict[str, Any]]
    counted: dict[str, int]
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    uploads: str = "included"
    not_included: list[str] = field(default_factory=list)
    """Tables that no migration made."""
    format: int = FORMAT

    @property
    def rows(self) -> int:
        return sum(table["rows"] for table in self.tables.values())


def write_archive(
    out: IO[bytes],
    connection: BaseDatabaseWrapper,
    schema: Schema,
    *,
    files: Iterable[Kept],
    uploads: str,
    tell: Callable[[str], None] = lambda _: None,
) -> Manifest:
    """Write all tables and files, and the manifest last; to be called within `snapshot`."""
    counted = counters(connection, schema)
    tables: dict[str, dict[str, Any]] = {}
    entries: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for table in schema.tables:
            tally = Tally()
            stored = _store(archive, f"tables/{table.name}.copy", tallied(table, lines_of(connection, table), tally))
            columns = [column.name for column in table.columns]
            tables[table.name] = {"rows": tally.rows, "digest": tally.digest, "columns": columns, **stored}
            if tally.rows >= 100_000:
                tell(f"  {table.name}: {tally.rows:,} rows")
        for file in files:
            with file.opened() as source:
                if source is not None:  # removed by the server since it was listed
                    entries[file.name] = _store(archive, file.name, iter(lambda: source.read(BLOCK), b""))
        made = Manifest(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            version=__version__,
            database=connection.vendor,
            migrations=sorted(schema.applied),
            tables=tables,
            counted=counted,
            files=entries,
            uploads=uploads,
            not_included=strangers(connection, schema),
        )
        archive.writestr(_member(MANIFEST), json.dumps(made.__dict__, indent=1))
    return made


def _member(name: str) -> zipfile.ZipInfo:
    now = datetime.now(UTC)
    member = zipfile.ZipInfo(name, date_time=(now.year, now.month, now.day, now.hour, now.minute, now.second))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member


def _store(archive: zipfile.ZipFile, name: str, blocks: Iterable[bytes]) -> dict[str, Any]:
    total, size = hashlib.sha256(), 0
    with archive.open(_member(name), "w", force_zip64=True) as member:
        for block in blocks:
            total.update(block)
            size += len(block)
            member.write(block)
    return {"sha256": total.hexdigest(), "bytes": size}


class BackupFile:
    """An archive that is read. Nothing in it is believed before it was compared with the manifest."""

    def __init__(self, opened: zipfile.ZipFile, manifest: Manifest) -> None:
        self.opened = opened
        self.manifest = manifest

    def lines(self, table: CopiedTable) -> Iterator[bytes]:
        """A table's rows, in the order of the columns that `schema_in` gives."""
        return self.blocks(f"tables/{table.name}.copy", self.manifest.tables[table.name])

    def blocks(self, name: str, stated: Mapping[str, Any]) -> Iterator[bytes]:
        """A member's bytes.

        Raises:
            NotCopied: they are not those that the manifest states.
        """
        total, size = hashlib.sha256(), 0
        try:
            with self.opened.open(name) as member:
                while block := member.read(BLOCK):
                    total.update(block)
                    size += len(block)
                    if size > stated["bytes"]:
                        break
                    yield block
        except (zipfile.BadZipFile, EOFError, OSError, KeyError, NotImplementedError, RuntimeError):
            raise NotCopied(f"The archive is damaged: {name} cannot be read.") from None
        except Exception as error:
            if type(error).__module__ == "zlib":
                raise NotCopied(f"The archive is damaged: {name} cannot be read.") from None
            raise
        if (total.hexdigest(), size) != (stated["sha256"], stated["bytes"]):
            raise NotCopied(f"The archive is damaged or was changed: {name} is not what its manifest says.")

    def check(self) -> None:
        """Read everything once.

        Raises:
            NotCopied: something is missing, damaged, or not as stated.
        """
        for name, stated in self.manifest.tables.items():
            rows = sum(block.count(b"\n") for block in self.blocks(f"tables/{name}.copy", stated))
            if rows != stated["rows"]:
                raise NotCopied(
                    f"The archive is damaged: {name} has {rows} rows, and its manifest says {stated['rows']}."
                )
        for name, stated in self.manifest.files.items():
            for _ in self.blocks(name, stated):
                pass

    def schema_in(self, schema: Schema) -> Schema:
        """The schema with the tables and the columns in the order in which they were stored.

        Raises:
            NotCopied: the archive lacks one of them, or has another.
        """
        stated = {name: of for name, of in self.manifest.tables.items() if not name.startswith(f"{GONE}_")}
        for table in schema.tables:
            columns = {column.name for column in table.columns}
            if table.name not in stated or columns != set(stated[table.name]["columns"]):
                raise NotCopied(f"The archive does not fit: its table {table.name} is another than this program knows.")
        if len(stated) != len(schema.tables):
            raise NotCopied("The archive does not fit: it has tables that this program does not know.")
        return replace(schema, tables=tuple(_in_order(table, stated[table.name]["columns"]) for table in schema.tables))


def _in_order(table: CopiedTable, names: list[str]) -> CopiedTable:
    by_name = {column.name: column for column in table.columns}
    return replace(table, columns=tuple(by_name[name] for name in names))


@contextmanager
def opened_archive(path: Path) -> Iterator[BackupFile]:
    """An archive whose manifest was read and whose members are exactly those that it names.

    Raises:
        NotCopied: it is not a whole archive of ours.
    """
    if not path.is_file():
        raise NotCopied(f"There is no file {path}.")
    try:
        opened = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError):
        raise NotCopied(f"{path} is not a whole backup: it was cut off, is damaged, or is something else.") from None
    with opened:
        yield BackupFile(opened, _manifest_of(opened, path))


def _manifest_of(opened: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        if opened.getinfo(MANIFEST).file_size > 64 * 1024**2:
            raise ValueError("too large")
        content = json.loads(opened.read(MANIFEST))
        form = content["format"]
        if form == FORMAT:
            made = Manifest(**{**content, "migrations": [(app, name) for app, name in content["migrations"]]})
            names = {f"tables/{name}.copy" for name in made.tables} | set(made.files) | {MANIFEST}
            stated = [*made.tables.values(), *made.files.values()]
            well = all(type(entry["sha256"]) is str and type(entry["bytes"]) is int for entry in stated)
            if not well or not all(type(table["rows"]) is int for table in made.tables.values()):
                raise TypeError("a size or a digest is none")
    except Exception:  # whatever it is, it is no manifest
        raise NotCopied(f"{path} is not a backup of HLV Study, or its manifest is damaged.") from None
    if form != FORMAT:
        raise NotCopied(
            f"{path} was made by a newer version of HLV Study ({content.get('version')}). Restore it with that."
        )
    members = [member.filename for member in opened.infolist()]
    if len(members) != len(set(members)) or set(members) != names:
        raise NotCopied(
            f"{path} is damaged or was changed: it does not hold exactly the files that its manifest names."
        )
    for name in made.files:
        parts = PurePosixPath(name).parts
        bad = {"..", "."} & set(name.split("/")) or "\\" in name or "\0" in name or name.startswith("/")
        if bad or len(parts) < 2 or parts[0] not in {"state", "uploads"}:
            raise NotCopied(f"{path} was changed: it names a file that lies outside of where files are kept.")
    return made
