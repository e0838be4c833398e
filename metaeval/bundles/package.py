"""The Frictionless data package around the files: what each is, its columns, its length, its SHA-256."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from annotations.exporting.formats import ExportFile
from metaeval.bundles.archive import PACKAGE
from metaeval.bundles.parts import BundleFile

MEDIA = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown",
}


def packed(parts: Sequence[BundleFile], about: Mapping[str, Any]) -> list[ExportFile]:
    """The files of the archive: every part, and finally the package with the checksums of those before it.

    They must be written in this order. The same parts give the same bytes: they contain no creation time.
    """
    tallies = {part.path: _Tally() for part in parts}
    files = [ExportFile(part.path, partial(tallies[part.path].counted, part)) for part in parts]
    return [*files, ExportFile(PACKAGE, lambda: [_package(parts, tallies, about)])]


class _Tally:
    """Length and SHA-256 of what was written."""

    def __init__(self) -> None:
        self.bytes = 0
        self.digest = hashlib.sha256()

    def counted(self, part: BundleFile) -> Iterator[bytes]:
        self.bytes, self.digest = 0, hashlib.sha256()
        for chunk in part.chunks():
            self.bytes += len(chunk)
            self.digest.update(chunk)
            yield chunk


def _package(parts: Sequence[BundleFile], tallies: Mapping[str, _Tally], about: Mapping[str, Any]) -> bytes:
    package = {
        "profile": "data-package",
        **about,
        "resources": [_resource(part, tallies[part.path]) for part in parts],
    }
    return (json.dumps(package, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _resource(part: BundleFile, tally: _Tally) -> dict[str, Any]:
    ending = PurePosixPath(part.path).suffix.removeprefix(".")
    resource: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", part.path.lower()),
        "path": part.path,
        "profile": "tabular-data-resource" if part.fields else "data-resource",
        "title": part.title,
        "format": ending,
        "mediatype": MEDIA[ending],
        "encoding": "utf-8",
        "bytes": tally.bytes,
        "hash": f"sha256:{tally.digest.hexdigest()}",
    }
    if part.fields:
        resource["dialect"] = {"delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True}
        resource["schema"] = {"fields": [field.described for field in part.fields], "missingValues": [""]}
    return resource
