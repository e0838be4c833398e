"""Preference responses as the bootstrap needs them: system, comparison, expert, choice and weight."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Vector


class JudgedResponses(NamedTuple):
    """The arrays of `Judgements`, for the compiled loops."""

    comparison: Codes
    expert: Codes
    chosen: Vector
    weight: Vector
    system_starts: Codes
    comparison_starts: Codes
    experts: int


@dataclass(frozen=True)
class Judgements:
    """Responses, grouped by system and, within it, by comparison; experts cross systems. Built by `Judgements.of`.

    Attributes
    ----------
    systems : tuple of str
        Names of the S systems.
    comparison, expert : ndarray, shape (R,)
        The comparison, counted within the system, and the expert of each response.
    chosen, weight : ndarray, shape (R,)
        Whether each response preferred the system, and how much it counts.
    system_starts, comparison_starts : ndarray, shape (S + 1,)
        Where the responses and the comparisons of each system begin.
    experts : int
        How many experts there are.
    """

    systems: tuple[str, ...]
    comparison: Codes
    expert: Codes
    chosen: Vector
    weight: Vector
    system_starts: Codes
    comparison_starts: Codes
    experts: int

    @classmethod
    def of(
        cls,
        *,
        system: Sequence[Hashable],
        comparison: Sequence[Hashable],
        expert: Sequence[Hashable],
        chosen: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        systems: Sequence[str] | None = None,
    ) -> Judgements:
        """Group responses, given one per entry.

        `chosen` in [0, 1] says how much the system's distribution was preferred (1 yes, 0 no; the value for `both` is
        the caller's choice); `weight` >= 0 (default 1) may be the certainty, or 1 / responses of the comparison for the
        mean of per-comparison fractions. `systems` gives the order and may name systems without responses. ValueError
        for unequal lengths, values out of range, and responses of a system that is not in `systems`.

        >>> answers = Judgements.of(system="AAB", comparison=[1, 2, 3], expert="xyx", chosen=[1, 0, 1])
        >>> answers.systems, answers.fractions().tolist()
        (('A', 'B'), [0.5, 1.0])
        """
        value = np.asarray(chosen, dtype=np.float64)
        load = np.ones(len(value)) if weight is None else np.asarray(weight, dtype=np.float64)
        lengths = {"system": len(system), "comparison": len(comparison), "expert": len(expert), "weight": len(load)}
        if value.ndim != 1 or any(length != len(value) for length in lengths.values()):
            msg = f"chosen has shape {value.shape}, the others lengths {lengths}; expected one entry per response"
            raise ValueError(msg)
        if not ((value >= 0) & (value <= 1)).all():
            msg = "chosen must lie in [0, 1] (1: the system's distribution was chosen); leave out what is missing"
            raise ValueError(msg)
        if not ((load >= 0) & np.isfinite(load)).all():
            msg = "weights must be finite and not negative"
            raise ValueError(msg)
        names = tuple(sorted({str(name) for name in system})) if systems is None else tuple(systems)
        places = {name: place for place, name in enumerate(names)}
        unknown = sorted({str(name) for name in system} - set(names))
        if unknown:
            msg = f"responses of systems that are not among the given ones: {', '.join(unknown)}"
            raise ValueError(msg)
        row = np.array([places[str(name)] for name in system], dtype=np.int64)
        units = _codes(comparison)
        order = np.lexsort((units, row))
        row, units = row[order], units[order]
        counts = np.zeros(len(names), dtype=np.int64)
        within = np.zeros(len(row), dtype=np.int64)
        for place in range(len(names)):
            own = row == place
            found, within[own] = np.unique(units[own], return_inverse=True)
            counts[place] = len(found)
        people = _codes(expert)
        return cls(
            systems=names,
            comparison=within,
            expert=people[order],
            chosen=value[order],
            weight=load[order],
            system_starts=_starts(np.bincount(row, minlength=len(names))),
            comparison_starts=_starts(counts),
            experts=len(set(people.tolist())),
        )

    def responses(self) -> JudgedResponses:
        """The arrays alone."""
        return JudgedResponses(
            comparison=self.comparison,
            expert=self.expert,
            chosen=self.chosen,
            weight=self.weight,
            system_starts=self.system_starts,
            comparison_starts=self.comparison_starts,
            experts=self.experts,
        )

    def counts(self) -> Codes:
        """How many responses every system has (S,)."""
        return np.diff(self.system_starts)

    def fractions(self) -> Vector:
        """The preference fraction of every system (S,): weighted mean of `chosen`; NaN without responses."""
        answer = np.full(len(self.systems), np.nan)
        for place in range(len(self.systems)):
            own = slice(self.system_starts[place], self.system_starts[place + 1])
            total = self.weight[own].sum()
            if total > 0:
                answer[place] = (self.weight[own] * self.chosen[own]).sum() / total
        return answer


def _codes(labels: Sequence[Hashable]) -> Codes:
    """0, 1, ... in the order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def _starts(counts: npt.ArrayLike) -> Codes:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
