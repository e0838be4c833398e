"""Write the files of an export into a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from annotations.exporting.formats import ExportFile


def write_files(folder: Path, files: list[ExportFile], out: OutputWrapper) -> None:
    """Write every file completely or not at all, and print its size."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            size = _write(folder / file.name, file.chunks())
            out.write(f"{folder / file.name}  {size:,} bytes")
    except OSError as error:
        raise CommandError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error


def _write(path: Path, chunks: Any) -> int:
    """Write a temporary file and rename it, so that the file is only ever seen complete."""
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("wb") as out:
        size = sum(out.write(chunk) for chunk in chunks)
    unfinished.replace(path)
    return size
