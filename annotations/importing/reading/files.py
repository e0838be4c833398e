"""The files of an import, and what can be checked before they are interpreted."""

import codecs
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.importing.memory.problems import Problems
from annotations.shown.plurals import written

CHUNK = 1 << 20
HEAD = 1 << 16
"""How much of a file is searched for the words of its format."""
TABLE = gettext_noop("Provide the file that contains the data: CSV, JSON lines, Parquet, .npy or .npz.")
# Files that no reader accepts, recognised by their first bytes: magic bytes, what is wrong, what to do.
FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", gettext_noop("this is a gzip archive"), gettext_noop("Unpack it first (gunzip).")),
    (b"BZh", gettext_noop("this is a bzip2 archive"), gettext_noop("Unpack it first.")),
    (b"\xfd7zXZ", gettext_noop("this is an xz archive"), gettext_noop("Unpack it first.")),
    (b"\x28\xb5\x2f\xfd", gettext_noop("this is a zstd archive"), gettext_noop("Unpack it first.")),
    (b"%PDF", gettext_noop("this is a PDF document"), gettext_noop("Use CSV, JSON lines, Parquet, .npy or .npz.")),
    (b"\x89PNG\r\n", gettext_noop("this is an image (PNG), not a table"), TABLE),
    (b"\xff\xd8\xff", gettext_noop("this is an image (JPEG), not a table"), TABLE),
    (b"GIF8", gettext_noop("this is an image (GIF), not a table"), TABLE),
    (b"{\\rtf", gettext_noop("this is a formatted text (RTF), not a table"), TABLE),
    (
        b"SQLite format 3\x00",
        gettext_noop("this is a SQLite database, not a table"),
        gettext_noop("Export the table as CSV in UTF-8."),
    ),
    (
        b"\xd0\xcf\x11\xe0",
        gettext_noop("this is an old Excel or Word file"),
        gettext_noop("Save the sheet as CSV in UTF-8."),
    ),
)
# Zip archives that are something else: how their members' names begin, their suffix, what it is, what to do.
OFFICE = (
    ("xl/", ".xlsx", gettext_noop("this is an Excel sheet"), gettext_noop("Save the sheet as CSV in UTF-8.")),
    ("word/", ".docx", gettext_noop("this is a Word document, not a table"), TABLE),
    (
        "content.xml",
        ".ods",
        gettext_noop("this is an OpenDocument file"),
        gettext_noop("Save the sheet as CSV in UTF-8."),
    ),
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its path, and the name its owner gave it."""

    path: Path
    name: str

    @classmethod
    def at(cls, path: Path | str) -> "SourceFile":
        return cls(Path(path), Path(path).name)

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def head(self, count: int = CHUNK) -> bytes:
        with self.path.open("rb") as file:
            return file.read(count)

    def first_line(self) -> bytes:
        """The first line that is not blank, without a byte order mark; at most a megabyte."""
        head = self.head().removeprefix(codecs.BOM_UTF8).lstrip()
        return head.split(b"\n", 1)[0].rstrip()


Files = Sequence[SourceFile]
"""The files of one import."""


@dataclass(frozen=True, slots=True)
class HeadSign:
    """How files of a format begin. Everything stated must hold: their suffix, their first bytes, what their first line
    and their head contain, and what their head must not match.
    """

    suffix: str = ""
    start: bytes = b""
    line: tuple[bytes, ...] = ()
    head: tuple[bytes, ...] = ()
    matches: re.Pattern[bytes] | None = None
    without: re.Pattern[bytes] | None = None
    sure: float = 0.9

    def fits(self, file: SourceFile) -> bool:
        if self.suffix and file.suffix != self.suffix:
            return False
        if not (self.start or self.line or self.head):
            return True
        if not file.path.is_file() or not file.head(len(self.start)).startswith(self.start):
            return False
        line, head = file.first_line() if self.line else b"", file.head(HEAD)
        return (
            all(word in line for word in self.line)
            and all(word in head for word in self.head)
            and (self.matches is None or self.matches.match(head) is not None)
            and (self.without is None or self.without.match(head) is None)
        )


def refuse_foreign(file: SourceFile, problems: Problems) -> None:
    """Stop at a file that is missing, empty, an archive or a pickle, with helpful words."""
    if not file.path.is_file():
        problems.stop(file.name, _("this file does not exist"), remedy=_("Check the path."))
    head = file.head(16)
    if not head:
        problems.stop(file.name, _("the file is empty"), remedy=_("Provide the file that contains the data."))
    if is_pickle(file, head):
        problems.stop(
            file.name,
            _("this is a Python pickle, and pickles are never read because they can run arbitrary code"),
            remedy=_("Save the array with numpy.save (.npy) or numpy.savez (.npz), or the table as CSV or Parquet."),
        )
    for magic, what, remedy in FOREIGN:
        if head.startswith(magic):
            problems.stop(file.name, what, remedy=remedy)
    if head.startswith(b"PK\x03\x04") and file.suffix != ".npz":
        what, remedy = zipped_kind(file)
        problems.stop(file.name, what, remedy=remedy)


def zipped_kind(file: SourceFile) -> tuple[str, str]:
    """What a zip archive really is, and what to do: by its content, since its name may be misleading."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            held = archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        held = []
    for start, suffix, what, remedy in OFFICE:
        if file.suffix == suffix or any(name.startswith(start) for name in held):
            return what, remedy
    return _("this is a zip archive"), _("Unpack it first.")


def is_pickle(file: SourceFile, head: bytes) -> bool:
    """By its name, or by the first bytes of pickle protocols 2 to 5."""
    return file.suffix in {".pkl", ".pickle", ".pt", ".pth", ".joblib"} or (
        len(head) > 1 and head[0] == 0x80 and 2 <= head[1] <= 5
    )


def refuse_wrong_encoding(file: SourceFile, problems: Problems) -> None:
    """Stop at the first byte that is not UTF-8, and say where it is."""
    head = file.head(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.stop(file.name, _("the text is UTF-16, not UTF-8"), line=1, remedy=_("Save the file as UTF-8."))
    if b"\x00" in file.head():
        problems.stop(file.name, _("this is binary data, not text (it contains zero bytes)"), remedy=TABLE)
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, offset = 1, 0
    with file.path.open("rb") as stream:
        while True:
            chunk = stream.read(CHUNK)
            # Bytes the decoder still holds from the last chunk come before this one.
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                at = max(0, error.start - held)
                byte = error.object[error.start]
                problems.stop(
                    file.name,
                    _("the byte 0x{byte} at position {offset} is not UTF-8").format(
                        byte=format(byte, "02x"), offset=written(offset + error.start - held)
                    ),
                    line=line + chunk.count(b"\n", 0, at),
                    remedy=_("Save the file as UTF-8."),
                )
            if not chunk:
                return
            line += chunk.count(b"\n")
            offset += len(chunk)
