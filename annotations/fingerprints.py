"""The SHA-256 of a matrix. Needs neither Django nor the database."""

import hashlib

import numpy as np

from annotations.arrays import Matrix, Vector


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
