"""The systems of a test or an interval: their scores and target, and which units of them are exchanged, also if a
metric is defined for some systems only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Matrix, Places, Vector
from annotations.ground.units import EXCHANGEABLE, Alike, Crossing, Exchangeable, default_exchangeable, exchanges
from metaeval.checking import as_numbers, checked_array, checked_rows
from metaeval.frames import with_target

StatisticName = Literal["overall", "within models", "within methods"]

STATISTICS: dict[Exchangeable, StatisticName] = {
    "systems": "overall",
    "within model": "within models",
    "methods jointly": "within models",
    "models jointly": "within methods",
    "models and methods": "overall",
}
"""Which coefficient is tested: the one whose mean over the permutations is 0. Exchanging whole methods does not change
the means of models, so these are taken out; exchanging whole models does not change those of methods (the coefficient
within models would keep what methods have in common in all models, and hardly vary). Exchanging both keeps nothing
fixed."""

PARTS: dict[StatisticName, str] = {"overall": "", "within models": "model", "within methods": "method"}


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Some systems of a crossing (`places`, ascending), and the sets of their units that may be exchanged."""

    crossing: Crossing
    exchangeable: Exchangeable
    places: Places
    sets: tuple[Alike, ...]

    @classmethod
    def of(cls, crossing: Crossing, exchangeable: Exchangeable, places: Places) -> Arrangement:
        """All exchanges that these systems allow."""
        return cls(crossing, exchangeable, places, _exchanges_among(crossing, exchangeable, places))

    @property
    def count(self) -> int:
        """How many permutations there are."""
        return math.prod(math.factorial(len(alike.units)) for alike in self.sets)

    @property
    def statistic(self) -> StatisticName:
        return STATISTICS[self.exchangeable]

    @cached_property
    def parts(self) -> Codes:
        """Which part of the coefficient each system belongs to (`STATISTICS`), in the order of `places`.

        If models that have their own methods are exchanged as wholes, a system's part is its place in its model.
        """
        if self.statistic == "overall":
            return np.zeros(len(self.places), dtype=np.int64)
        if self.statistic == "within models":
            return self.crossing.models[self.places]
        if not (self.crossing.is_nested or self.crossing.cells == len(self.crossing.model_names)):
            return self.crossing.methods[self.places]
        parts = -1 - self.places.astype(np.int64)  # a system that stays is its own part
        for number, alike in enumerate(self.sets):
            for unit in alike.units:
                parts[np.searchsorted(self.places, unit)] = number * len(self.crossing) + np.arange(len(unit))
        return parts

    def among(self, places: Places) -> Arrangement:
        """The exchanges of these systems restricted to some of them.

        In each set, units that are still alike keep the order that the shared permutation gives them, which is again
        uniform. A unit that now lacks a system is exchanged only with units of its set that lack the same, or stays.
        """
        if len(places) == len(self.places):
            return self
        sets = []
        for alike in _exchanges_among(self.crossing, self.exchangeable, places):
            for mine in self.sets:
                here = {self.unit(mine, unit) for unit in mine.units} if mine.of == alike.of else set()
                common = [unit for unit in alike.units if self.unit(alike, unit) in here]
                if len(common) > 1:
                    sets.append(Alike(alike.of, np.array(common)))
        return Arrangement(self.crossing, self.exchangeable, places, tuple(sets))

    def unit(self, alike: Alike, systems: Codes) -> tuple[int, int]:
        """Which model or method, or both, a unit is: (model or -1, method or -1)."""
        model, method = int(self.crossing.models[systems[0]]), int(self.crossing.methods[systems[0]])
        if alike.of == "models":
            return model, -1
        return (model, method) if self.exchangeable == "within model" else (-1, method)


def checked_scores(
    scores: Mapping[str, npt.ArrayLike], target: npt.ArrayLike, target_name: str, systems: Sequence[str] | None
) -> tuple[Matrix, Vector, tuple[str, ...]]:
    """The rows of scores (R, n) and the target (n,), with Series in the target's order, and the systems' names, by
    default their numbers."""
    checked_rows(scores)
    target, scores = with_target(target, scores)
    y = checked_array(target_name, target, 1, "one value per system (n,)", missing=True)
    rows = [as_numbers(name, row, "one value per system (n,)") for name, row in scores.items()]
    for name, row in zip(scores, rows, strict=True):
        if row.shape != y.shape:
            msg = f"{name} has shape {row.shape}, the target {y.shape}; expected one value per system in both"
            raise ValueError(msg)
    names = tuple(map(str, range(len(y)))) if systems is None else tuple(systems)
    if len(names) != len(y):
        msg = f"{len(names)} names of systems for {len(y)} values of {target_name}"
        raise ValueError(msg)
    return np.array(rows).reshape(len(rows), len(y)), y, names


def checked_units(
    units: Crossing | Sequence[tuple[str, str]] | None, exchangeable: Exchangeable | None, systems: int
) -> tuple[Crossing, Exchangeable]:
    """The crossing of that many systems and what is exchangeable in it; without one, all systems are."""
    if units is None:
        if exchangeable not in {None, "systems"}:
            msg = f"exchangeable is {exchangeable!r}, which needs `units`: the model and method of each system"
            raise ValueError(msg)
        return Crossing.of([("", "")] * systems), "systems"
    crossing = units if isinstance(units, Crossing) else Crossing.of(units)
    if len(crossing) != systems:
        msg = f"units name {len(crossing)} systems, the target has {systems}"
        raise ValueError(msg)
    if exchangeable is not None and exchangeable not in EXCHANGEABLE:
        msg = f"exchangeable is {exchangeable!r}; expected one of {', '.join(map(repr, EXCHANGEABLE))}"
        raise ValueError(msg)
    return crossing, exchangeable or default_exchangeable(crossing)


def _exchanges_among(crossing: Crossing, exchangeable: Exchangeable, places: Places) -> tuple[Alike, ...]:
    return tuple(
        Alike(alike.of, places[alike.units].astype(np.int64))
        for alike in exchanges(crossing.of_systems(places.astype(np.int64)), exchangeable)
    )


class ExchangeTables(NamedTuple):
    """An arrangement, and its restriction to each group of rows, as arrays for the compiled loops.

    starts (F + 1,): where each of the F sets of units begins among all of their units; orders (F,): how many orders a
    set has; comparators and comparator_starts: the sorting networks of the sets, one after the other. For each group,
    lists[group_starts[g]:group_starts[g + 1]] are its own sets: (set of the arrangement, units, systems of a unit,
    where its members begin, where its places begin, 1 if it is the whole set, 1 if it follows another of the same
    systems). members: for each unit of the arrangement's set, its number among the group's own units, or -1; places: of
    the own units' systems, compact.

    The loops read the fields by position, so a new order must be compiled anew (`metaeval.compiled`).
    """

    starts: Codes
    orders: Codes
    comparators: Codes
    comparator_starts: Codes
    lists: Codes
    group_starts: Codes
    members: Codes
    places: Codes

    @classmethod
    def of(cls, whole: Arrangement, groups: Sequence[Arrangement]) -> ExchangeTables:
        from .permutation_kernels import network

        sizes = [len(alike.units) for alike in whole.sets]
        networks = [network(size) for size in sizes]
        lists: list[tuple[int, ...]] = []
        starts, members, places = [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for group in groups:
            moved: set[int] = set()
            for alike in group.sets:
                own = [group.unit(alike, unit) for unit in alike.units]
                number, member = _member_of(whole, alike, own)
                compact = np.searchsorted(group.places, alike.units)
                at = sum(map(len, members)), sum(map(len, places))
                again = bool(moved & set(alike.units.ravel().tolist()))
                lists.append((number, *compact.shape, *at, int((member >= 0).all()), int(again)))
                moved |= set(alike.units.ravel().tolist())
                members.append(member)
                places.append(compact.ravel().astype(np.int64))
            starts.append(len(lists))
        return cls(
            starts=_sums(sizes),
            # A set with more orders than an integer can hold is never enumerated.
            orders=np.array([math.factorial(size) if size <= 20 else 0 for size in sizes], dtype=np.int64),
            comparators=np.concatenate([*networks, np.zeros((0, 2), dtype=np.int64)]),
            comparator_starts=_sums([len(comparators) for comparators in networks]),
            lists=np.array(lists, dtype=np.int64).reshape(len(lists), 7),
            group_starts=np.array(starts, dtype=np.int64),
            members=np.concatenate(members),
            places=np.concatenate(places),
        )


def _member_of(whole: Arrangement, alike: Alike, own: Sequence[tuple[int, int]]) -> tuple[int, Codes]:
    """The set of the arrangement that a group's set comes from, and which own unit each of its units is, or -1."""
    for number, mine in enumerate(whole.sets):
        units = [whole.unit(mine, unit) for unit in mine.units]
        if mine.of == alike.of and set(own) <= set(units):
            return number, np.array([own.index(unit) if unit in own else -1 for unit in units], dtype=np.int64)
    msg = "the units of a group are not among those of the arrangement"
    raise ValueError(msg)


def _sums(sizes: Sequence[int]) -> Codes:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
