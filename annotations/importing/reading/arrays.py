"""Load NumPy's own files, after checking their headers. Nothing is ever unpickled."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.arrays import Matrix
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile
from annotations.shown.plurals import filled, with_or, written

MAGIC = b"\x93NUMPY"
HEADER_ROOM = 10_000
REMEDY_WHOLE = gettext_noop("Download the complete file again.")
REMEDY_SAVE = gettext_noop("Save it with numpy.save or numpy.savez, as numbers.")
Shape = tuple[int, ...]


def load_npy(file: SourceFile, *, shapes: list[Shape], problems: Problems) -> Matrix:
    """The array of a `.npy` file, float64, if it has one of these shapes; otherwise stop."""
    with file.path.open("rb") as stream:
        return _load(stream, file.size, file.name, "", shapes, problems)


def load_npz(file: SourceFile, *, shapes: list[Shape], problems: Problems) -> Iterator[tuple[str, Matrix]]:
    """Name and array of every member of a `.npz` file. Sizes are checked before anything is unpacked."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = archive.infolist()
            if not members:
                problems.stop(file.name, _("the archive is empty"), remedy=REMEDY_SAVE)
            for member in members:
                yield member.filename.removesuffix(".npy"), _member(archive, member, file, shapes, problems)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        problems.stop(file.name, _("the archive is damaged or incomplete"), remedy=REMEDY_WHOLE)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: SourceFile, shapes: list[Shape], problems: Problems
) -> Matrix:
    name = member.filename
    if not name.endswith(".npy"):
        problems.stop(file.name, _("the archive contains something other than arrays"), field=name, remedy=REMEDY_SAVE)
    room = HEADER_ROOM + max(8 * int(np.prod(shape)) for shape in shapes)
    if member.file_size > room:
        problems.stop(
            file.name,
            _("the array is larger than the dataset"),
            field=name,
            value=filled(_("{size} bytes"), size=written(member.file_size)),
            remedy=filled(_("Use arrays of {shapes}."), shapes=_shapes(shapes)),
        )
    with archive.open(member) as stream:
        content = stream.read(room + 1)  # the archive may declare a wrong size
    return _load(io.BytesIO(content), len(content), file.name, name, shapes, problems)


def _load(  # noqa: PLR0917 (one place calls it from two sides)
    stream: BinaryIO, size: int, file: str, field: str, shapes: list[Shape], problems: Problems
) -> Matrix:
    def stop(reason: str, remedy: str, value: object = "") -> None:
        problems.stop(file, reason, field=field, value=value, remedy=remedy)

    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream)
    except Exception:  # NumPy parses the header as Python, so that parser may raise anything
        stop(_("this is not a NumPy array, or its header is incomplete"), REMEDY_SAVE)
    if dtype.hasobject:
        stop(_("the array contains pickled Python objects, and pickles are never read"), REMEDY_SAVE)
    if dtype.kind not in "fiub":
        stop(_("the array does not contain real numbers"), REMEDY_SAVE, value=dtype)
    if shape not in shapes:
        stop(
            _("the array has the wrong shape; expected {shapes}").format(shapes=_shapes(shapes)),
            _("Check the rows and labels."),
            value=shape,
        )
    expected = stream.tell() + int(np.prod(shape)) * dtype.itemsize
    if size != expected:
        reason = _("the array is incomplete") if size < expected else _("there is extra data after the array")
        stop(
            reason,
            REMEDY_WHOLE,
            value=filled(_("{size} bytes of {expected}"), size=written(size), expected=written(expected)),
        )
    flat = np.frombuffer(stream.read(), dtype=dtype)
    return flat.reshape(shape, order="F" if fortran else "C").astype(np.float64, order="C")


def _shapes(shapes: list[Shape]) -> str:
    """
    >>> _shapes([(3, 2), (2, 3, 2)])
    '(3, 2) or (2, 3, 2)'
    """
    return with_or([str(shape) for shape in shapes])
