"""How an analysis tells how far it is, and has its long loops done: here, or by any number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from annotations.progress import Progress, silent

SCALE = 10_000
"""Progress is told in ten-thousandths of the whole."""


class Plan(Protocol):
    """Work cut into blocks that anybody can do in any order: `metaeval.stats` makes such plans.

    The values of a block depend on its number and on the plan only; the answer depends on the values only.
    """

    @property
    def blocks(self) -> Sequence[Any]:
        """One entry a block."""

    def block(self, number: int) -> Any:
        """The values of one block: an array."""

    def merged(self, blocks: Sequence[Any]) -> Any:
        """The answer, from the values of all blocks in the order of their numbers."""


class Work:
    """What an analysis gets to work with. This one does everything in this process.

    An analysis announces its stages (`stage("Metrics", until=0.1)`), tells its steps within a stage (`step(3, 26)`),
    and hands its long loops to `run`, which does not come back before all of them are done.
    """

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress
        self._message = ""
        self._from = self._until = 0.0

    def stage(self, message: str, *, until: float = 1.0) -> None:
        """Begin the next stage, which ends when that share of the whole is done."""
        self._from, self._until = self._until, max(until, self._until)
        self._message = message
        self.step(0, 1)

    def step(self, done: int, total: int, message: str = "") -> None:
        """So many of the steps of this stage are done. Call it often: it also hears a cancellation."""
        share = done / total if total else 1.0
        reached = self._from + ((self._until or 1.0) - self._from) * share
        self._progress(int(SCALE * reached), SCALE, message or self._message)

    def run(self, plans: Mapping[str, Plan]) -> dict[str, Any]:
        """Do all blocks of the named plans; each plan's answer under its name.

        Call it with all plans that do not need each other's answers, so that they are shared out together. Between two
        calls an analysis must do the same each time: a helping worker repeats it up to the plan that it helps with.
        """
        total = sum(len(plan.blocks) for plan in plans.values())
        done = 0
        answers = {}
        for name, plan in plans.items():
            values = []
            for number in range(len(plan.blocks)):
                self.blocks_done(done, total)
                values.append(plan.block(number))
                done += 1
            answers[name] = plan.merged(values)
        self.blocks_done(total, total)
        return answers

    def blocks_done(self, done: int, total: int) -> None:
        """Tell the progress of `run`."""
        self.step(done, total, f"{self._message or 'Resampling'}: block {done} of {total}")
