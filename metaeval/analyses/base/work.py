"""How an analysis reports its progress, draws random numbers, and runs its long loops: here, or on many workers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol

import numpy as np

from annotations.ground.errors import naming
from annotations.ground.progress import Progress, silent
from metaeval.sampling import Steps

SCALE = 10_000
"""Progress is reported in ten-thousandths of the whole."""


class Plan(Protocol):
    """Work divided into blocks that can be done by anyone in any order: `metaeval.stats` makes such plans.

    The values of a block depend only on its number and the plan; the answer depends only on the values.
    """

    @property
    def blocks(self) -> Sequence[Any]:
        """One entry per block."""

    def block(self, number: int) -> Any:
        """The values of one block: an array."""

    def merged(self, blocks: Sequence[Any]) -> Any:
        """The answer, from the values of all blocks in the order of their numbers."""


def block_of(plan: Plan, name: str, number: int) -> Any:
    """The values of one block of a named plan; an error says of which."""
    with naming(f"{name}, block {number}"):
        return plan.block(number)


Answered = dict[str, Any]
"""The answer of each plan, by name; its type depends on the plan."""


class Work:
    """The context that an analysis works in. This one does everything in this process.

    An analysis announces its stages (`stage("Metrics", until=0.1)`), reports steps within a stage (`step(3, 26)`), and
    hands its long loops to `run`, which returns when all of them are done.
    """

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress
        self._message = self._reached = ""
        self._from = self._until = 0.0

    def stage(self, message: str, *, until: float = 1.0) -> None:
        """Begin the next stage, which ends when this share of the whole is done."""
        self._from, self._until = self._until, max(until, self._until)
        self._message = message
        self.step(0, 1)

    def step(self, done: int, total: int, message: str = "") -> None:
        """Report how many of this stage's steps are done. Call it often: it also notices a cancellation."""
        share = done / total if total else 1.0
        reached = self._from + ((self._until or 1.0) - self._from) * share
        self._reached = message or self._message
        self._progress(int(SCALE * reached), SCALE, self._reached)

    def part(self, place: int, parts: int, message: str = "") -> Steps:
        """The progress of one of several equal parts of this stage."""
        return lambda done, total: self.step(place * total + done, parts * total, message)

    def run(self, plans: Mapping[str, Plan]) -> Answered:
        """Do all blocks of the named plans; return each plan's answer by name.

        Call it with all plans that do not need each other's answers, so that they are distributed together. Between two
        calls, an analysis must do the same each time: a helping worker repeats it up to the plan that it helps with.
        """
        total = sum(len(plan.blocks) for plan in plans.values())
        done = 0
        answers = {}
        for name, plan in plans.items():
            values = []
            for number in range(len(plan.blocks)):
                self.blocks_done(done, total)
                values.append(block_of(plan, name, number))
                done += 1
            answers[name] = plan.merged(values)
        self.blocks_done(total, total)
        return answers

    def reached(self) -> str:
        """The stage, or the step within it that was last reported: where an error occurred."""
        return self._reached

    def blocks_done(self, done: int, total: int) -> None:
        """Report the progress of `run`."""
        self.step(done, total, f"{self._message or 'Resampling'}: block {done} of {total}")


def blocks_in(message: str) -> tuple[int, int] | None:
    """How many blocks of a loop are done, and of how many, as `Work.blocks_done` reported it; None outside loops.

    >>> blocks_in("Resampling: block 3 of 168"), blocks_in("Reading the data")
    ((3, 168), None)
    """
    match = re.search(r": block (\d+) of (\d+)$", message)
    return (int(match[1]), int(match[2])) if match else None


class Purpose(IntEnum):
    """What a stream of random numbers is for. The numbers are part of a result: never change them."""

    PERMUTATIONS = 1000
    CORRELATION_BOOTSTRAP = 1001
    PAIRED_METRICS = 1002
    SENSITIVITY = 1003
    AGREEMENT = 1010
    RANKING = 1020
    METRIC_RELATIONSHIP = 1030
    POWER = 1050
    LEADERBOARD = 1090
    STUDY_QUALITY = 1100
    UNCERTAINTY = 1200
    UNCERTAINTY_CURVES = 1210
    HUMAN_CALIBRATION = 1220


def root_stream(seed: int, purpose: Purpose) -> np.random.SeedSequence:
    """The root of the streams of one purpose, separate from those that planned the study with the same seed."""
    return np.random.SeedSequence(seed, spawn_key=(int(purpose),))
