"""What can be stored: how large an import may be, and what every database takes as a name or a text.

Sizes declared in a file are checked before it is loaded.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from annotations.importing.memory.problems import Problems
from annotations.shown.plurals import filled, written

MAX_TABLE_BYTES = 4 << 30  # a table's values, unpacked
MAX_MATRIX_BYTES = 2 << 30  # one matrix
MAX_DOCUMENT_BYTES = 128 << 20  # one JSON document, which is read completely into eight times as much memory
MAX_LABELS = 10_000
MAX_COLUMNS = 11_000  # of a table: one for every label, and room for texts and the others
NAME_LENGTH = 200  # external ids, labels, annotator codes
SYSTEM_PART_LENGTH = 100  # model, method, run
SPLIT_LENGTH = 20  # train, dev, test


# PostgreSQL cannot store U+0000, and no encoding has lone surrogates.
NUL = "\x00"


def repeated_name(names: Iterable[str]) -> str | None:
    """The first name that was there before; None if each is there once. Every name is looked up once.

    >>> repeated_name(["b", "a", "c", "a", "b"]), repeated_name(["a", "b"])
    ('a', None)
    """
    before: set[str] = set()
    for name in names:
        if name in before:
            return name
        before.add(name)
    return None


def all_storable(texts: Sequence[str], length: int | None = None) -> bool:
    """Whether every text can be stored, checked all at once because there may be a million.

    >>> all_storable(["fine", "also fine"], 10), all_storable(["fine", "much too long"], 10)
    (True, False)
    """
    if length is not None and max(map(len, texts), default=0) > length:
        return False
    return not unstorable("".join(texts))


def unstorable(text: str, length: int | None = None) -> str:
    """Why the text cannot be stored, as the end of a sentence; empty if it can.

    >>> unstorable("fine", 10), unstorable("much too long", 10)
    ('', 'is longer than 10 characters')
    """
    if length is not None and len(text) > length:
        return _("is longer than {length} characters").format(length=length)
    if NUL in text:
        return _("contains the character U+0000")
    try:
        text.encode()
    except UnicodeEncodeError:
        return _("contains half a character (a lone surrogate)")
    return ""


CELL = 8  # bytes of a number


def refuse_large_matrices(
    problems: Problems, file: str, *, instances: int, labels: int, systems: int = 0, layers: int = 1
) -> None:
    """Stop if the matrices of so many systems (0: the dataset's own) would take more than is allowed. One may come in
    `layers`: people's and the system's.
    """
    needed = CELL * layers * max(systems, 1) * instances * labels
    if needed <= MAX_MATRIX_BYTES:
        return
    if systems:
        reason = _("{shape} systems x {shape_2} instances x {shape_3} labels are too many").format(
            shape=written(systems), shape_2=written(instances), shape_3=written(labels)
        )
        remedy = _("Check that the columns contain what their names say, or import the systems in several parts.")
    else:
        reason = _("{instances} instances x {labels} labels are too many").format(
            instances=written(instances), labels=written(labels)
        )
        remedy = _("Check that the labels are labels and not, for example, texts or ids, or split the dataset.")
    message = _("{needed} MB of memory needed, at most {most} MB allowed")
    value = filled(message, needed=written(needed >> 20), most=written(MAX_MATRIX_BYTES >> 20))
    problems.stop(file, reason, value=value, remedy=remedy)


def refuse_large_table(
    problems: Problems, file: str, *, rows: int, columns: int, declared: int = 0, cell: int = CELL
) -> None:
    """Stop if so many rows and columns, with so many bytes for each cell, would take more than is allowed. `declared`
    is what the file says of itself.
    """
    if max(cell * rows * columns, declared) > MAX_TABLE_BYTES:
        problems.stop(
            file,
            filled(_("the table would take more than {most} GB in memory"), most=MAX_TABLE_BYTES >> 30),
            value=filled(_("{rows} rows, {columns} columns"), rows=written(rows), columns=written(columns)),
            remedy=_("Split it into several files, or remove columns."),
        )


def refuse_many_columns(problems: Problems, file: str, columns: int) -> None:
    """Stop if a table has more columns than can be read, before any row is."""
    if columns > MAX_COLUMNS:
        problems.stop(
            file,
            filled(
                _("the table has {columns, number} columns, but at most {most, number} can be read"),
                columns=columns,
                most=MAX_COLUMNS,
            ),
            line=1,
            remedy=_(
                "Write one row for each label instead (columns instance, label and probability), or remove columns "
                "that are not needed."
            ),
        )
