"""Read an archive that may come from a stranger: bounded, in memory, and only files listed in its package."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Any

from annotations.exporting.spreadsheets import restore
from annotations.ground import bounded_json
from annotations.ground.errors import HLVError


class BundleError(HLVError):
    """The archive is not a bundle, was damaged or changed, or is not safe to read."""

    code = "bad_bundle"


PACKAGE = "datapackage.json"
MAX_BYTES = 2 * 1024**3
"""The maximum size of all unpacked files of an archive."""
MAX_FILES = 20_000
MAX_JSON = 512 * 1024**2
SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class Archive:
    """A bundle that is open for reading. Opening checks names, sizes and checksums of everything in it.

    Raises `BundleError` if it is not a zip archive, and for unsafe paths, duplicate files, links, encrypted files, more
    than `max_bytes` when unpacked (even if the archive lies about it), files that are missing or not listed in the
    package, and wrong checksums.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile, ValueError) as error:
            raise BundleError(f"{path.name} is not a readable zip archive.") from error
        try:
            self._entries = _checked(self._zip.infolist(), max_bytes)
            self.package = self._package()
            self._check_sums()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._zip.close()

    @property
    def paths(self) -> list[str]:
        """Everything except the package itself, in order."""
        return sorted(self._entries.keys() - {PACKAGE})

    def read(self, path: str) -> bytes:
        """The content of a file: never more than its entry promised."""
        entry = self._entries.get(path)
        if entry is None:
            raise BundleError(f"{path} is missing.")
        try:
            with self._zip.open(entry) as file:
                content = file.read(entry.file_size)
                more = file.read(1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
            raise BundleError(f"{path} is damaged.") from error
        if more or len(content) != entry.file_size:
            raise BundleError(f"{path} is not as long as the archive says.")
        return content

    def json(self, path: str) -> Any:
        """A JSON file; NaN and infinities are refused."""
        entry = self._entries.get(path)
        if entry is not None and entry.file_size > MAX_JSON:
            raise BundleError(f"{path} is too large.")
        try:
            return bounded_json.loads(self.read(path).decode("utf-8"), parse_constant=_refuse)
        except ValueError as error:
            raise BundleError(f"{path} is not readable JSON.") from error

    def table(self, path: str, header: list[str], *, later: Collection[str] = ()) -> list[dict[str, str]]:
        """The rows of a CSV file whose columns must be those of `header`; the `later` ones are optional."""
        try:
            rows = list(csv.reader(io.StringIO(self.read(path).decode("utf-8"), newline=""), strict=True))
        except (ValueError, csv.Error) as error:
            raise BundleError(f"{path} is not readable CSV.") from error
        present = set(rows[0]) if rows else set()
        header = [name for name in header if name in present or name not in later]
        if not rows or rows[0] != header:
            raise BundleError(f"{path} does not have the expected columns: {', '.join(header)}.")
        if any(len(row) != len(header) for row in rows):
            raise BundleError(f"A row of {path} has more or fewer cells than columns.")
        return [dict(zip(header, map(restore, row), strict=True)) for row in rows[1:]]

    def _package(self) -> dict[str, Any]:
        package = self.json(PACKAGE)
        try:
            named = [resource["path"] for resource in package["resources"]]
        except (KeyError, TypeError) as error:
            raise BundleError(f"{PACKAGE} does not list its resources.") from error
        if sorted(map(str, named)) != self.paths:
            other = sorted(set(map(str, named)) ^ set(self.paths)) or sorted(map(str, named))
            raise BundleError(f"{PACKAGE} and the archive do not name the same files: {', '.join(other[:5])}.")
        return dict(package)

    def _check_sums(self) -> None:
        for resource in self.package["resources"]:
            content = self.read(resource["path"])
            stated = (resource.get("bytes"), resource.get("hash"))
            if stated != (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}"):
                raise BundleError(f"{resource['path']} does not match its checksum: it was changed or damaged.")


def _checked(entries: list[zipfile.ZipInfo], max_bytes: int) -> dict[str, zipfile.ZipInfo]:
    if len(entries) > MAX_FILES:
        raise BundleError(f"The archive holds {len(entries):,} files; a bundle has at most {MAX_FILES:,}.")
    checked: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        if not SAFE.fullmatch(entry.orig_filename) or entry.filename != entry.orig_filename:
            raise BundleError(
                f"The archive holds a file with a name that does not belong in a bundle: {entry.orig_filename!r:.80}."
            )
        if entry.filename in checked:
            raise BundleError(f"The archive holds {entry.filename} twice.")
        kind = entry.external_attr >> 28
        if entry.flag_bits & 0x1 or entry.compress_type not in METHODS or kind not in {0, 0o10}:
            raise BundleError(f"{entry.filename} is encrypted, a link, or packed in an unusual way.")
        checked[entry.filename] = entry
    total = sum(entry.file_size for entry in entries)
    if total > max_bytes:
        raise BundleError(f"Unpacked, the archive would have {total:,} bytes; at most {max_bytes:,} are read.")
    if PACKAGE not in checked:
        raise BundleError(f"The archive has no {PACKAGE}, so it is not a bundle.")
    return checked


def _refuse(constant: str) -> None:
    raise ValueError(constant)
