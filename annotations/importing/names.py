"""What may be stored as a name or a text on every database."""

# PostgreSQL stores no U+0000, and no encoding has lone surrogates.
NUL = "\x00"


def unstorable(text: str, length: int | None = None) -> str:
    """Why the text cannot be stored, as the end of a sentence; empty when it can.

    >>> unstorable("fine", 10), unstorable("much too long", 10)
    ('', 'is longer than 10 characters')
    """
    if length is not None and len(text) > length:
        return f"is longer than {length} characters"
    if NUL in text:
        return "holds the character U+0000"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half a character (a lone surrogate)"
    return ""
