"""Turn writers that need a file into streams: an export's zip archive, and Parquet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence

from annotations.exporting.formats import ExportFile


class ByteSink(io.RawIOBase):
    """A write-only file; what was written is taken out in pieces and forgotten."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]  # it may be any buffer
        self._pieces.append(piece)
        self._position += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._position

    def take(self) -> bytes:
        """What was written since the last call."""
        piece = b"".join(self._pieces)
        self._pieces = []
        return piece


def zipped(files: Sequence[ExportFile]) -> Iterator[bytes]:
    """A zip archive of the files as a stream, with never more than one chunk of one file in memory."""
    sink = ByteSink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry_info = zipfile.ZipInfo(file.name)  # its date is fixed: the same data give the same archive
            entry_info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry_info, "w", force_zip64=True) as entry:
                for chunk in file.chunks():
                    entry.write(chunk)
                    if piece := sink.take():
                        yield piece
    yield sink.take()
