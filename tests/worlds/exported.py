"""What a study's export has in it, in memory or in a folder, as the tests of exports and of restoring read it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from annotations.models import Study


def written(study: Study, format_name: str = "study_responses") -> dict[str, bytes]:
    """An export's files by name, whole."""
    return {file.name: b"".join(file.chunks()) for file in formats.get(format_name).files(ResponseSource(study))}


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    """The folder, with the files in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def lines(content: bytes) -> list[Any]:
    """What JSON lines say."""
    return [json.loads(line) for line in content.decode().splitlines()]
