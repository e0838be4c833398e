"""The keys and turns in an export, which are needed to draw its sides again."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from annotations.ground.errors import HLVError
from annotations.ground.sides import ShownTurn, StatedKey
from annotations.importing.responses.study_records import COMPARISONS, HISTORY, METADATA, RESPONSES, STUDY
from annotations.importing.responses.study_responses import read_study_responses

FILES = (RESPONSES, METADATA, STUDY, COMPARISONS, HISTORY)
MOST_BYTES = 2 * 1024**3
"""The most bytes of an export's files together, unpacked."""


class NoSidesTold(HLVError):
    """The files contain no keys and turns."""

    code = "no_sides_told"


def told_in_export(path: Path) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The keys and turns in a `study_responses` export: a folder or the downloaded archive.

    Raises:
        ImportRefused: with every problem in the files.
        NoSidesTold: the export was made by a version without keys, or is of another kind.
    """
    with _folder(path) as folder:
        responses = read_study_responses(folder)
    if responses.record.sides is None:
        raise NoSidesTold("These files contain no keys or turns, because they come from an earlier version.")
    keys = [StatedKey(one.phase, one.name, one.sha256, one.key) for one in responses.record.sides.keys]
    turns = [
        ShownTurn(one.annotatorId, one.phase or "", one.turn, one.sideRule or 0, one.sideOrder == "first_is_a")
        for one in responses.history
        if one.turn is not None
    ]
    return keys, turns


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    try:
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as folder:
            here = [one for one in archive.infolist() if one.filename in FILES]
            if sum(one.file_size for one in here) > MOST_BYTES:
                raise NoSidesTold(f"{path.name} is larger than {MOST_BYTES:,} bytes when unpacked.")
            for one in here:
                archive.extract(one, folder)
            yield Path(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise NoSidesTold(f"{path.name} is neither a folder nor a readable zip archive.") from error
