"""What can be stored: how large an import may be, and what every database takes as a name or a text.

Sizes declared in a file are checked before it is loaded.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

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
