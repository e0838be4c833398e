"""Fields of inputs that were added after bundles and results had been stored without them.

Such a field declares what its absence means. If it says no more than that, it is not part of the fingerprint and needs
no column in a bundle: what an earlier version stored for the same data stays valid.

    runs: str = field(default="single", metadata=added_later("single"))
    identical: Mask = field(metadata=added_later(False))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any

import numpy as np

from annotations.ground.arrays import AnyArray

MEANT = "what its absence meant"


def added_later(means: str | float | bool | tuple[()] | None) -> dict[str, object]:
    """`metadata` of a dataclass field that was added later; for a column, what every entry meant."""
    return {MEANT: means}


def is_later(column: Field[Any]) -> bool:
    return MEANT in column.metadata


def says_more(column: Field[Any], value: object) -> bool:
    """Whether a field says more than its absence would. A field that always existed does."""
    if not is_later(column):
        return True
    meant = column.metadata[MEANT]
    if isinstance(value, np.ndarray):
        return not _all_mean(value, meant)
    return bool(value != meant)


def column_of(column: Field[Any], stored: Mapping[str, AnyArray], *, rows: int) -> AnyArray:
    """A stored column; if it is missing, what that meant."""
    if column.name in stored or not is_later(column):
        return stored[column.name]
    return np.full(rows, column.metadata[MEANT])


def _all_mean(values: AnyArray, meant: object) -> bool:
    if isinstance(meant, float) and np.isnan(meant):
        return bool(np.isnan(values).all())
    return bool((values == meant).all())
