"""A split: for each fold, the part that each instance plays in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from annotations.ground.arrays import Codes, ShortColumn

SplitKind = Literal["given", "folds", "shares"]


class SplitPart(IntEnum):
    """What an instance is used for in a fold."""

    UNUSED = 0
    TRAIN = 1
    DEV = 2
    TEST = 3

    @property
    def word(self) -> str:
        """As files name it."""
        return self.name.lower()


@dataclass(frozen=True)
class Fold:
    """The places of a fold's instances, ascending: learnt from, for the choice of settings, to be predicted."""

    train: Codes
    dev: Codes
    test: Codes


@dataclass(frozen=True, eq=False)
class Split:
    """F folds of N instances. Each instance plays one part in each fold; no text is in two parts of a fold.

    Attributes:
        kind: "given" by the files, "folds" in which each usable instance is predicted once, or "shares".
        ids: the instances.
        parts: (F, N) int8, a `SplitPart` each.
        seed: of the draw; 0 if the split is given.
        is_stratified: whether the majority labels are spread evenly.
        twins: how many instances of a given split are unused because the same text is in a part that counts more
            (test before dev before train).
    """

    kind: SplitKind
    ids: tuple[str, ...]
    parts: ShortColumn
    seed: int = 0
    is_stratified: bool = False
    twins: int = 0

    def __post_init__(self) -> None:
        if self.parts.ndim != 2 or self.parts.shape[1] != len(self.ids):
            raise ValueError(f"the parts are {self.parts.shape}, not folds x {len(self.ids)} instances")

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, fold: int) -> Fold:
        places = (np.flatnonzero(self.parts[fold] == part) for part in (SplitPart.TRAIN, SplitPart.DEV, SplitPart.TEST))
        return Fold(*places)

    def __iter__(self) -> Iterator[Fold]:
        return (self[fold] for fold in range(len(self)))

    @property
    def final_learns_from_dev(self) -> bool:
        """Whether the model that predicts the test part learns from train and dev, once the settings are chosen.

        As published (section 5.1): so with k folds; with a given split or shares it learns from train alone.
        """
        return self.kind == "folds"

    def final(self, fold: int) -> Codes:
        """The places of the instances that the fold's final model learns from, ascending."""
        learnt = (SplitPart.TRAIN, SplitPart.DEV) if self.final_learns_from_dev else (SplitPart.TRAIN,)
        return np.flatnonzero(np.isin(self.parts[fold], learnt))

    @property
    def has_dev(self) -> bool:
        """Whether every fold has a development part."""
        return bool((self.parts == SplitPart.DEV).any(axis=1).all())

    @cached_property
    def tested(self) -> Codes:
        """The places of the instances that some fold predicts, ascending."""
        return np.flatnonzero((self.parts == SplitPart.TEST).any(axis=0))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the instances' ids and their parts."""
        digest = hashlib.sha256(json.dumps([self.kind, list(self.parts.shape), self.ids]).encode())
        digest.update(np.ascontiguousarray(self.parts, dtype=np.int8).tobytes())
        return digest.hexdigest()

    def stated(self) -> dict[str, Any]:
        """What a result says of the split, without its parts."""
        return {
            "kind": self.kind,
            "folds": len(self),
            "seed": self.seed,
            "is_stratified": self.is_stratified,
            "final_learns_from_dev": self.final_learns_from_dev,
            "twins_left_out": self.twins,
            "fingerprint": self.fingerprint,
        }

    def document(self) -> dict[str, Any]:
        """All of it as plain JSON; a fold is one digit for each instance. The inverse is `of_document`."""
        rows = ["".join(map(str, row)) for row in self.parts.tolist()]
        return {**self.stated(), "ids": list(self.ids), "parts": rows}

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """The split that a document of `document` describes."""
        ids = tuple(document["ids"])
        rows = np.array([[int(digit) for digit in row] for row in document["parts"]], dtype=np.int8)
        return cls(
            kind=document["kind"],
            ids=ids,
            parts=rows.reshape(len(document["parts"]), len(ids)),
            seed=document["seed"],
            is_stratified=document["is_stratified"],
            twins=document["twins_left_out"],
        )
