"""What all inputs have in common: their subject, counts, and fingerprint.

Some fields of inputs were added after bundles and results had been stored without them. Such a field declares what its
absence means. If it says no more than that, it is not part of the fingerprint and needs no column in a bundle: what an
earlier version stored for the same data stays valid.

    runs: str = field(default="single", metadata=added_later("single"))
    identical: Mask = field(metadata=added_later(False))
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import Field, dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol

import numpy as np

from annotations.ground.arrays import AnyArray
from annotations.ground.errors import HLVError
from metaeval.analyses.inputs.parts import Stated

ABSENCE = "what its absence meant"


class InputsError(HLVError):
    """What is stored cannot be analysed; the message says why."""

    code = "inputs_unusable"
    status = 409


class SubjectKind(StrEnum):
    """What an analysis is about."""

    STUDY = "study"
    DATASET = "dataset"
    VOTES = "votes"  # the pairwise votes of a dataset
    DATASETS = "datasets"  # several, as on a leaderboard
    NOTHING = "nothing"  # parameters only: simulations


class Inputs(Protocol):
    """What every kind of inputs can say about itself."""

    kind: ClassVar[SubjectKind]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that a result can depend on, as hexadecimal digits."""

    @property
    def is_simulated(self) -> bool:
        """Whether any part is simulated."""

    @property
    def counts(self) -> dict[str, int]:
        """How much there is: systems, instances, labels and so on."""

    @property
    def stated(self) -> Stated:
        """What the result says it is about."""


@dataclass(frozen=True)
class NoInputs:
    """The inputs of an analysis that only has parameters."""

    kind: ClassVar[SubjectKind] = SubjectKind.NOTHING
    is_simulated: bool = True
    """Simulations are marked as simulated."""

    @property
    def fingerprint(self) -> str:
        return fingerprint_of({})

    @property
    def counts(self) -> dict[str, int]:
        return {}

    @property
    def stated(self) -> Stated:
        return Stated(kind="nothing", slug=None, title="Simulation")


def fingerprint_of(content: Mapping[str, object]) -> str:
    """SHA-256 of named parts: arrays by type, shape and bytes, everything else as canonical JSON.

    >>> fingerprint_of({"a": np.arange(2)}) == fingerprint_of({"a": np.arange(2)})
    True
    >>> fingerprint_of({"a": np.arange(2)}) == fingerprint_of({"a": np.arange(2.0)})
    False
    """
    digest = hashlib.sha256()
    for name in sorted(content):
        part = content[name]
        digest.update(f"\x00{name}\x00".encode())
        if isinstance(part, np.ndarray):
            little = np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
            digest.update(f"{little.dtype.str}{little.shape}".encode())
            digest.update(little.tobytes())
        else:
            digest.update(json.dumps(part, sort_keys=True, ensure_ascii=True).encode())
    return digest.hexdigest()


def added_later(means: str | float | bool | tuple[()] | None) -> dict[str, object]:
    """`metadata` of a dataclass field that was added later; for a column, what every entry meant."""
    return {ABSENCE: means}


def is_later(column: Field[Any]) -> bool:
    return ABSENCE in column.metadata


def says_more(column: Field[Any], value: object) -> bool:
    """Whether a field says more than its absence would. A field that always existed does."""
    if not is_later(column):
        return True
    absence = column.metadata[ABSENCE]
    if not isinstance(value, np.ndarray):
        return bool(value != absence)
    if isinstance(absence, float) and np.isnan(absence):
        return not np.isnan(value).all()
    return not (value == absence).all()


def column_of(column: Field[Any], stored: Mapping[str, AnyArray], *, rows: int) -> AnyArray:
    """A stored column; if it is missing, what that meant."""
    if column.name in stored or not is_later(column):
        return stored[column.name]
    return np.full(rows, column.metadata[ABSENCE])
