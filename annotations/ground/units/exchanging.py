"""Which systems may change places with which, in how many ways, and which choice follows from their names."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from annotations.ground.arrays import Codes
from annotations.ground.units.crossing import Crossing

Exchangeable = Literal["systems", "within model", "methods jointly", "models jointly", "models and methods"]

EXCHANGEABLE: tuple[Exchangeable, ...] = get_args(Exchangeable)

ENOUGH_METHODS = 6
"""With this many methods, exchanging whole methods alone is enough: 2/6! is .0028, whereas 2/4! is .083."""

EXACTLY_HELD = 2**53
"""Larger counts are not stored: different databases' JSON would return them with different digits."""


class Alike(NamedTuple):
    """Units of which any two may change places."""

    of: Literal["systems", "methods", "models"]
    """What a unit is: a system, a method (in one model or in several), a model."""

    units: Codes
    """The systems of each unit: shape (units, systems of a unit), at least two units."""


def exchanges(crossing: Crossing, exchangeable: Exchangeable) -> tuple[Alike, ...]:
    """The sets of units of which any two may change places.

    Exchanging units u and v of a set puts the k-th system of u in the place of the k-th of v and the other way round.
    A permutation of the systems exchanges within each set, one set after another. The sets share no system, except
    those of models in `models and methods`, which come last: each exchange of methods combines with each of models.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "xyz"])
    >>> [alike.units.tolist() for alike in exchanges(crossing, "methods jointly")]
    [[[0, 3], [1, 4], [2, 5]]]
    >>> [alike.units.tolist() for alike in exchanges(crossing, "within model")]
    [[[0], [1], [2]], [[3], [4], [5]]]
    """
    if exchangeable not in EXCHANGEABLE:
        msg = f"exchangeable is {exchangeable!r}; expected one of {', '.join(map(repr, EXCHANGEABLE))}"
        raise ValueError(msg)
    methods: list[list[list[int]]] = []
    models: list[list[list[int]]] = []
    if exchangeable == "systems":
        free = np.arange(len(crossing))[:, np.newaxis]
        return (Alike("systems", free),) if len(free) > 1 else ()
    if exchangeable == "within model":
        methods = [
            [crossing.systems_of(model=model, method=int(method)) for method in np.flatnonzero(row == runs)]
            for model, row in enumerate(crossing.table)
            for runs in np.unique(row[row > 0])
        ]
    if exchangeable in {"methods jointly", "models and methods"}:
        methods = _alike_methods(crossing)
    if exchangeable in {"models jointly", "models and methods"}:
        models = _alike_models(crossing)
    return (
        *(Alike("methods", np.array(units, dtype=np.int64)) for units in methods if len(units) > 1),
        *(Alike("models", np.array(units, dtype=np.int64)) for units in models if len(units) > 1),
    )


def _alike_methods(crossing: Crossing) -> list[list[list[int]]]:
    """Sets of methods that have the same number of systems in each model."""
    alike: dict[tuple[int, ...], list[list[int]]] = {}
    for method, column in enumerate(crossing.table.T):
        alike.setdefault(tuple(column.tolist()), []).append(crossing.systems_of(method=method))
    return list(alike.values())


def _alike_models(crossing: Crossing) -> list[list[list[int]]]:
    """The models, each with its systems of those methods of which all models have the same number.

    If no method is in two models, or no model has two, models with the same number of methods (and runs) are alike.
    """
    counts = crossing.table
    models = range(len(counts))
    if crossing.is_nested or crossing.cells == len(counts):
        alike: dict[tuple[int, ...], list[list[int]]] = {}
        for model in models:
            by_runs = sorted(np.flatnonzero(counts[model]).tolist(), key=lambda method: int(counts[model, method]))
            systems = [place for method in by_runs for place in crossing.systems_of(model=model, method=method)]
            alike.setdefault(tuple(int(counts[model, method]) for method in by_runs), []).append(systems)
        return list(alike.values())
    even = [method for method, column in enumerate(counts.T) if (column == column[0]).all() and column[0]]
    if not even:
        return []
    return [[[at for method in even for at in crossing.systems_of(model=m, method=method)] for m in models]]


def count_permutations(crossing: Crossing, exchangeable: Exchangeable) -> int:
    """How many permutations there are, including the one that changes nothing.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "wxyz"])
    >>> {choice: count_permutations(crossing, choice) for choice in EXCHANGEABLE[1:]}
    {'within model': 576, 'methods jointly': 24, 'models jointly': 2, 'models and methods': 48}
    """
    return math.prod(math.factorial(len(alike.units)) for alike in exchanges(crossing, exchangeable))


def held_exactly(count: int) -> float | None:
    """A count as a number in a result; None if a float cannot hold it exactly.

    >>> held_exactly(24), held_exactly(2**53 + 1)
    (24.0, None)
    """
    return float(count) if count <= EXACTLY_HELD else None


def smallest_p(crossing: Crossing, exchangeable: Exchangeable, *, permutations: int, double: bool = True) -> float:
    """The smallest p-value that a test can give, whatever the data; worth knowing before they are collected.

    If there are no more than `permutations`, all are enumerated, and it is 1 over their number; otherwise that many
    are sampled, and it is 1 / (1 + permutations). `double`: two-sided, as twice the smaller tail. Never above 1.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "wxyz"])
    >>> round(smallest_p(crossing, "methods jointly", permutations=9999), 4)
    0.0833
    >>> smallest_p(crossing, "systems", permutations=9999)
    0.0002
    """
    if permutations < 1:
        msg = f"permutations is {permutations}; expected at least 1"
        raise ValueError(msg)
    count = count_permutations(crossing, exchangeable)
    smallest = 1 / count if count <= permutations else 1 / (1 + permutations)
    return min(1.0, (2 if double else 1) * smallest)


def default_exchangeable(crossing: Crossing) -> Exchangeable:
    """What is safe to exchange, from the names alone; `explained` says it in words.

    - One model: its methods are the units, which is `systems`; with several runs of one method, `methods jointly`.
    - One method, none named, or (nearly) each model with only one: the models are the units, which is `systems`; with
      several runs of one model, `models jointly`.
    - No method in two models: `within model`.
    - (Nearly) every method in every model: `methods jointly` with at least six methods that are in all models,
      otherwise `models and methods`.
    - Some methods shared, most not: `methods jointly` if that gives as many permutations as six methods do, otherwise
      `within model`.

    >>> default_exchangeable(Crossing.of([(model, method) for model in "AB" for method in "uvwxyz"]))
    'methods jointly'
    >>> default_exchangeable(Crossing.of([(model, method) for model in "AB" for method in "wxyz"]))
    'models and methods'
    >>> default_exchangeable(Crossing.of([("A", "w"), ("A", "x"), ("B", "y"), ("B", "z")]))
    'within model'
    """
    if len(crossing.model_names) <= 1:
        return "methods jointly" if crossing.has_runs else "systems"
    if crossing.stand_alone:
        return "models jointly" if crossing.has_runs else "systems"
    if crossing.is_nested:
        return "within model"
    enough = count_permutations(crossing, "methods jointly") >= math.factorial(ENOUGH_METHODS)
    if crossing.is_crossed:
        return "methods jointly" if enough and len(crossing.complete) >= ENOUGH_METHODS else "models and methods"
    return "methods jointly" if enough else "within model"
