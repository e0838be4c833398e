"""Which models were combined with which methods, as far as the systems' names tell. Needs no Django."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from annotations.ground.arrays import Codes, Counts

NEARLY_ALL = 0.8
"""The share that counts as nearly all."""


@dataclass(frozen=True, eq=False)
class Crossing:
    """Which models were combined with which methods: one entry per system in `models` and `methods`, both codes.

    `model_names` and `method_names` say what the codes stand for. A name may be empty: "no method named". Systems
    with neither are not known to share anything, and count as separate methods of one unnamed model.
    """

    models: Codes
    methods: Codes
    model_names: tuple[str, ...]
    method_names: tuple[str, ...]
    table: Counts = field(init=False, repr=False)
    """The number of systems of each model (rows) and method (columns): 0 is a hole, more than 1 are runs."""

    def __post_init__(self) -> None:
        table = np.zeros((len(self.model_names), len(self.method_names)), dtype=np.int64)
        np.add.at(table, (self.models, self.methods), 1)
        object.__setattr__(self, "table", table)

    @classmethod
    def of(cls, systems: Sequence[tuple[str, str]]) -> Crossing:
        """From (model, method) of each system; the codes follow the order in which names first appear.

        >>> crossing = Crossing.of([("RoBERTa", "ReL"), ("RoBERTa", "AL"), ("BERT", "ReL")])
        >>> crossing.models.tolist(), crossing.methods.tolist(), crossing.table.tolist()
        ([0, 0, 1], [0, 1, 0], [[1, 1], [1, 0]])
        """
        models: dict[str, int] = {}
        methods: dict[str | int, int] = {}
        codes = []
        for system, (model, method) in enumerate(systems):
            key = method if model or method else system
            codes.append((models.setdefault(model, len(models)), methods.setdefault(key, len(methods))))
        pairs = np.array(codes, dtype=np.int64).reshape(len(codes), 2)
        names = tuple(key if isinstance(key, str) else "" for key in methods)
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), tuple(models), names)

    def __len__(self) -> int:
        """How many systems there are."""
        return len(self.models)

    def of_systems(self, places: Sequence[int] | Codes) -> Crossing:
        """The same for only some of the systems, in this order; models and methods without any are left out.

        >>> Crossing.of([("A", "x"), ("A", "y"), ("B", "x")]).of_systems([2]).model_names
        ('B',)
        """
        kept = np.asarray(places, dtype=np.int64)
        models, model_codes = np.unique(self.models[kept], return_inverse=True)
        methods, method_codes = np.unique(self.methods[kept], return_inverse=True)
        return Crossing(
            model_codes.astype(np.int64),
            method_codes.astype(np.int64),
            tuple(self.model_names[model] for model in models),
            tuple(self.method_names[method] for method in methods),
        )

    @cached_property
    def complete(self) -> Codes:
        """The methods that every model has."""
        return np.flatnonzero((self.table > 0).all(axis=0))

    @cached_property
    def holed(self) -> Codes:
        """The methods that some model lacks."""
        return np.flatnonzero((self.table == 0).any(axis=0))

    @cached_property
    def cells(self) -> int:
        """How many combinations of model and method there are: systems, counting several runs once."""
        return int((self.table > 0).sum())

    @property
    def has_runs(self) -> bool:
        """Whether several systems are runs of one model and method."""
        return self.cells < len(self)

    @property
    def is_nested(self) -> bool:
        """Whether there are several models, and no method is in two of them."""
        return len(self.model_names) > 1 and bool(((self.table > 0).sum(axis=0) <= 1).all())

    @property
    def is_crossed(self) -> bool:
        """Whether nearly every method is in every model: at least two are in all, and at most a fifth of all
        combinations are holes."""
        return (
            len(self.model_names) > 1 and len(self.complete) > 1 and self.cells >= NEARLY_ALL * float(self.table.size)
        )

    @property
    def stand_alone(self) -> bool:
        """Whether (nearly) every combination is the only one of its model: at least four fifths are."""
        return int(((self.table > 0).sum(axis=1) == 1).sum()) >= NEARLY_ALL * self.cells

    def systems_of(self, *, model: int | None = None, method: int | None = None) -> list[int]:
        """The positions of the systems of a model, a method or both: by model, then method, then run."""
        kept = np.ones(len(self), dtype=bool)
        if model is not None:
            kept &= self.models == model
        if method is not None:
            kept &= self.methods == method
        places = np.flatnonzero(kept)
        return [int(place) for place in places[np.lexsort((self.methods[places], self.models[places]))]]
