"""By what a matrix, or a text, is known again. Needs neither Django nor the database."""

import hashlib
import unicodedata
from collections.abc import Iterable

import numpy as np

from annotations.ground.arrays import Matrix, Vector


def matrix_fingerprint(matrix: Matrix) -> str:
    """SHA-256 over the shape and the values of a matrix (little-endian float64, row by row).

    >>> matrix_fingerprint(np.zeros((1, 2))) == matrix_fingerprint(np.zeros((2, 1)))
    False
    """
    digest = hashlib.sha256(repr(matrix.shape).encode())
    digest.update(np.ascontiguousarray(matrix, dtype="<f8").data)
    return digest.hexdigest()


def prediction_fingerprint(Q: Matrix, below: Vector | None = None) -> str:
    """SHA-256 of a system's predictions: its matrix, preceded by its shares below the scale as a column, if any."""
    return matrix_fingerprint(Q if below is None else np.column_stack([below, Q]))


def text_digest(segments: Iterable[str]) -> int | None:
    """The first 64 bits of the SHA-256 of an instance's words, as a signed integer; None if it has none.

    Capitals, spaces and the way in which accents are encoded make no difference: people would know the text again.

    >>> text_digest(["The  Court held."]) == text_digest([" the court held. "])
    True
    """
    words = "\x1f".join(" ".join(unicodedata.normalize("NFC", segment).casefold().split()) for segment in segments)
    if not words.strip("\x1f"):
        return None
    return int.from_bytes(hashlib.sha256(words.encode(errors="surrogatepass")).digest()[:8], "big", signed=True)


def texts_fingerprint(digests: np.ndarray) -> str:
    """SHA-256 over the digests of texts (int64, ascending)."""
    return hashlib.sha256(np.ascontiguousarray(digests, dtype="<i8").data).hexdigest()
