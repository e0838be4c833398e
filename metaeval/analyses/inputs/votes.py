"""Imported pairwise votes as arrays: who found which of two systems better, for which instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from annotations.ground.arrays import Integers, Mask, Vector
from metaeval.analyses.inputs.kinds import SubjectKind
from metaeval.analyses.inputs.stated import Stated

OUTCOMES = ("first", "second", "tie", "tie_inconsistent")
"""What a vote says; `outcome` holds positions in this tuple."""

FIRST, SECOND, TIE, TIE_INCONSISTENT = range(len(OUTCOMES))


def _no_names() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, eq=False, kw_only=True)
class VotesInputs:
    """The pairwise votes of a dataset: arrays of length V, in the order of the files."""

    kind: ClassVar[SubjectKind] = SubjectKind.VOTES
    slug: str
    title: str
    systems: tuple[str, ...]
    """The names that occur, sorted."""
    judges: tuple[str, ...]
    """The judges' codes, sorted."""
    is_machine: Mask
    """Which of the judges are machines: one entry per judge."""
    instance: Integers
    """Position of the instance in the dataset."""
    judge: Integers
    """Position in `judges`."""
    first: Integers
    """Position in `systems`. Which of the two comes first is as recorded."""
    second: Integers
    outcome: Integers
    """Position in `OUTCOMES`."""
    certainty: Vector
    """In [0, 1]; NaN: not given."""
    instances_count: int
    is_simulated: bool = False
    fingerprint: str = ""
    read_instances: Callable[[], tuple[str, ...]] = _no_names

    def __len__(self) -> int:
        return len(self.outcome)

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The instances' external ids, by position."""
        return self.read_instances()

    @property
    def counts(self) -> dict[str, int]:
        return {
            "systems": len(self.systems),
            "instances": self.instances_count,
            "judges": len(self.judges),
            "votes": len(self),
        }

    @property
    def stated(self) -> Stated:
        return Stated(kind="votes", slug=self.slug, title=self.title, dataset=self.slug)
