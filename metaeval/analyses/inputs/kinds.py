"""What all inputs have in common: their subject, counts, and fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from annotations.ground.errors import HLVError
from metaeval.analyses.inputs.stated import Stated


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
