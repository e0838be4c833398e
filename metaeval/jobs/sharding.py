"""Distribute a run's long loops to workers: the run's own worker creates shards and also computes them.

Work of about a second is done here, without shards. So is what takes hardly longer than a helper needs to get to it,
because each helper reads the data and repeats the analysis up to the plan. The rest is divided into shards, rows that
any worker may take. The run's worker takes them like the others, so one worker is enough; if it dies, finished shards
remain, and the worker that continues the run starts from there.
"""

from __future__ import annotations

import io
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.ground.arrays import AnyArray
from annotations.ground.errors import HLVError, naming
from annotations.ground.progress import Progress
from annotations.models import JobState
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Plan, Work, block_of
from metaeval.analyses.inputs.gathering import gather
from metaeval.jobs.models import AnalysisRun, AnalysisShard, note
from metaeval.jobs.runs import input_name, subject_of

RUNS_KEPT = 2


_prepared: OrderedDict[UUID, dict[str, tuple[Plan, Callable[[], None]]]] = OrderedDict()
"""By run and name, the plans that are ready, each with the callback for every block."""


def keep_plans(run: UUID, plans: Mapping[str, Plan], told: Callable[[], None] = lambda: None) -> None:
    """Keep plans for the shards that this process will compute; those of the oldest run are forgotten."""
    _prepared.setdefault(run, {}).update({name: (plan, told) for name, plan in plans.items()})
    _prepared.move_to_end(run)
    while len(_prepared) > RUNS_KEPT:
        _prepared.popitem(last=False)


def forget_plans(run: UUID) -> None:
    """Forget the plans of a run that has ended."""
    _prepared.pop(run, None)


@executes(AnalysisShard)
def execute_shard(shard: AnalysisShard, progress: Progress) -> dict[str, Any]:
    """The work of a shard; returns the fields to store with its success.

    Raises `JobReturned` if the stored inputs are no longer those of the run: its own worker has them and continues.
    """
    with naming(input_name(shard.run)):
        return {"values": packed(_values(shard, progress))}


def _values(shard: AnalysisShard, progress: Progress) -> list[AnyArray]:
    blocks = shard.stop - shard.first
    progress(0, blocks)
    if shard.plan not in _prepared.get(shard.run_id, {}):
        keep_plans(shard.run_id, rebuilt_plans(shard.run_id, shard.plan, lambda *_: progress(0, blocks)))
    plan, tell = _prepared[shard.run_id][shard.plan]
    values = []
    for number in range(shard.first, shard.stop):
        progress(number - shard.first, blocks)
        try:
            tell()
        except jobs.JobCancelled:  # the run's own worker stops; others may continue
            raise jobs.JobReturned from None
        values.append(block_of(plan, shard.plan, number))
    progress(blocks, blocks)
    return values


def rebuilt_plans(pk: UUID, name: str, progress: Progress) -> Mapping[str, Plan]:
    """The run's plan with this name, and those computed with it, from the stored inputs: the analysis is repeated up to
    them.
    """
    run = AnalysisRun.objects.with_subject().filter(pk=pk, state=JobState.RUNNING).first()
    if run is None:
        raise jobs.JobCancelled
    inputs = gather(subject_of(run))
    if inputs.fingerprint != run.fingerprint:
        raise jobs.JobReturned
    entry = analyses.get(run.analysis)
    search = Search(pk, name, progress)
    try:
        with naming(search.reached):
            entry.compute(inputs, entry.recalled(run.parameters), run.seed, search)
    except PlanFound as found:
        return found.plans
    raise LookupError(f"{run.analysis} made no plan {name!r} this time; it must do the same each time")


class PlanFound(Exception):
    """Raised inside an analysis that is only repeated to get its plans."""

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        super().__init__()
        self.plans = plans


class Search(Work):
    """Repeats an analysis up to one plan. The answers of earlier plans are read from their shards."""

    def __init__(self, run: UUID, name: str, progress: Progress) -> None:
        super().__init__(progress)
        self._run, self._name = run, name

    def run(self, plans: Mapping[str, Plan]) -> dict[str, Any]:
        if self._name in plans:
            raise PlanFound(plans)
        answers = {}
        for name, plan in plans.items():
            values = stored_values(self._run, name)
            for number in range(len(plan.blocks)):
                if number not in values:  # the run's own worker computed these before there were shards
                    self.step(number, len(plan.blocks))
                    values[number] = block_of(plan, name, number)
            answers[name] = plan.merged([values[number] for number in range(len(plan.blocks))])
        return answers


def stored_values(run: UUID, plan: str) -> dict[int, AnyArray]:
    """The values of all blocks whose shards are done, by block."""
    done = AnalysisShard.objects.filter(run=run, plan=plan, state=JobState.SUCCEEDED)
    values: dict[int, AnyArray] = {}
    for first, content in done.values_list("first", "values").iterator(chunk_size=20):
        values |= dict(enumerate(unpacked(bytes(content)), start=first))
    return values


def packed(values: Iterable[AnyArray]) -> bytes:
    """Arrays as bytes, one after the other.

    >>> [array.tolist() for array in unpacked(packed([np.arange(2), np.ones((1, 2))]))]
    [[0, 1], [[1.0, 1.0]]]
    """
    file = io.BytesIO()
    for array in values:
        np.save(file, np.asarray(array), allow_pickle=False)
    return file.getvalue()


def unpacked(content: bytes) -> list[AnyArray]:
    """The arrays of `packed`."""
    file = io.BytesIO(content)
    arrays = []
    while file.tell() < len(content):
        arrays.append(np.load(file, allow_pickle=False))
    return arrays


MEASURE_SECONDS = 0.3
"""How long a worker works alone, to measure how long a block takes."""

WORTH_SECONDS = 0.7
"""If the rest takes no longer than this, it is not worth distributing."""

WORTH_TIMES = 2.0
"""Nor if it takes no longer than this many times what a helper would have to repeat before its first block."""

FIRST_BLOCKS = 2
"""Of every plan: the second predicts how long the others will take; the first may have to compile."""

SHORTEST, LONGEST = 0.4, 20.0
"""Seconds that a shard should take, at the end and at most."""

SHARE = 8
"""A shard is at most 1 / this of the rest, so that all workers finish at about the same time."""

BELLS = 16
"""How many workers are called at most; each continues with shards until none is left."""

LOOK_SECONDS = 0.1
COUNT_SECONDS = 0.5


class ShardFailed(HLVError):
    """A shard failed, and with it the run."""


class ShardTraceback(Exception):
    """The traceback of a shard that failed in another process."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


class NotedWork(Work):
    """The work of a run in one process; its stages are recorded in the run's log."""

    def __init__(self, run: AnalysisRun, progress: Progress) -> None:
        super().__init__(progress)
        self._run = run

    def stage(self, message: str, *, until: float = 1.0) -> None:
        note(self._run.pk, message)
        super().stage(message, until=until)


class SharedWork(NotedWork):
    """The work of a run, distributing loops that take long.

    What a helper repeats before its first block is everything that this worker did outside its loops: reading the data
    and the analysis up to the plan.
    """

    def __init__(self, run: AnalysisRun, progress: Progress) -> None:
        super().__init__(run, progress)
        self._began = time.monotonic()
        self._in_loops = 0.0

    def run(self, plans: Mapping[str, Plan]) -> dict[str, Any]:
        began = time.monotonic()
        loop = Loop(self, self._run, plans, repeated=began - self._began - self._in_loops)
        loop.alone()
        if loop.remaining:
            loop.share_out()
            loop.together()
        self._in_loops += time.monotonic() - began
        self.blocks_done(loop.total, loop.total)
        return {
            name: plan.merged([loop.values[name][number] for number in range(len(plan.blocks))])
            for name, plan in plans.items()
        }


class Loop:
    """One call of `Work.run`: its plans, and the values of the blocks that are done."""

    def __init__(self, work: Work, run: AnalysisRun, plans: Mapping[str, Plan], *, repeated: float = 0.0) -> None:
        """`repeated`: the seconds of what a helper would have to do again before its first block."""
        self.work, self.run, self.plans = work, run, plans
        self.worth = max(WORTH_SECONDS, WORTH_TIMES * repeated)
        self.total = sum(len(plan.blocks) for plan in plans.values())
        self.values: dict[str, dict[int, AnyArray]] = {name: {} for name in plans}
        self.timed: dict[str, list[float]] = {}
        self.most = 0
        self.counted_at = 0.0
        self.shards = AnalysisShard.objects.filter(run=run, plan__in=list(plans))

    @property
    def done_alone(self) -> int:
        return sum(map(len, self.values.values()))

    @property
    def remaining(self) -> int:
        return self.total - self.done_alone

    def alone(self) -> None:
        """Compute blocks that no shard has, for a while; all of them if a worker has already distributed the others."""
        shared = self._shared_blocks()
        until = time.monotonic() + MEASURE_SECONDS
        for name, number in self._in_turn():
            if number in shared[name]:
                continue
            if time.monotonic() > until and not any(shared.values()) and self._is_worth_sharing():
                return
            self.work.blocks_done(self.done_alone, self.total)
            began = time.monotonic()
            self.values[name][number] = block_of(self.plans[name], name, number)
            self.timed.setdefault(name, []).append(time.monotonic() - began)

    def _in_turn(self) -> Iterator[tuple[str, int]]:
        """All blocks: first some of every plan, so that each has been timed, and then plan by plan."""
        counts = {name: len(plan.blocks) for name, plan in self.plans.items()}
        for number in range(FIRST_BLOCKS):
            yield from ((name, number) for name, count in counts.items() if number < count)
        for name, count in counts.items():
            yield from ((name, number) for number in range(FIRST_BLOCKS, count))

    def share_out(self) -> None:
        """Create shards for what is left, unless they exist, and call workers. Only for the worker that holds the
        run."""
        with transaction.atomic():
            mine = AnalysisRun.objects.select_for_update().filter(
                pk=self.run.pk, lease_owner=self.run.lease_owner, state=JobState.RUNNING
            )
            if not mine.exists():
                raise jobs.JobCancelled
            if self.shards.exists():
                return
            now = timezone.now()
            made = [
                AnalysisShard(
                    run=self.run,
                    owner_id=self.run.owner_id,
                    plan=name,
                    first=first,
                    stop=stop,
                    rung_at=now,
                    progress_total=stop - first,
                )
                for name in self.plans
                for first, stop in self._cut(name)
            ]
            AnalysisShard.objects.bulk_create(made)
        note(self.run.pk, f"Shared out {sum(s.stop - s.first for s in made):,} blocks in {len(made)} shards")
        for shard in made[:BELLS]:
            jobs.ring(shard)

    def together(self) -> None:
        """Compute shards until all are done; wait for those that others are computing."""
        keep_plans(self.run.pk, self.plans, self.tell)
        while True:
            self.tell()
            pk = self.shards.to_be_had().order_by("plan", "first").values_list("pk", flat=True).first()
            if pk is not None:
                jobs.run(AnalysisShard, pk)
            elif self._all_done():
                break
            else:
                time.sleep(LOOK_SECONDS)
        for name in self.plans:
            self.values[name] |= stored_values(self.run.pk, name)

    def tell(self) -> None:
        """Report the progress of all workers together; notices a cancellation."""
        if time.monotonic() - self.counted_at > COUNT_SECONDS:
            self.counted_at = time.monotonic()
            counted = self.shards.aggregate(done=Sum("progress_done"))["done"] or 0
            self.most = max(self.most, min(self.done_alone + counted, self.total))
        self.work.blocks_done(self.most, self.total)

    def _is_worth_sharing(self) -> bool:
        """Whether the rest takes long, judging by the blocks timed so far; plans without a time count as long."""
        seconds = {name: self._seconds(name) for name in self.plans}
        open_blocks = {name: len(plan.blocks) - len(self.values[name]) for name, plan in self.plans.items()}
        return any(second is None for second in seconds.values()) or (
            sum((seconds[name] or 0.0) * open_blocks[name] for name in self.plans) > self.worth
        )

    def _seconds(self, name: str) -> float | None:
        """How long a block of a plan takes: the mean of the later half, since the first ones compile and fill
        caches."""
        timed = self.timed.get(name)
        return fmean(timed[len(timed) // 2 :]) if timed else None

    def _all_done(self) -> bool:
        states = set(self.shards.values_list("state", flat=True).distinct().order_by())
        if JobState.FAILED in states:
            failed = self.shards.defer(None).defer("values").filter(state=JobState.FAILED).first()
            if failed is not None:
                raise ShardFailed(failed.error) from ShardTraceback(failed.error_detail)
        if not states or JobState.CANCELLED in states:
            raise jobs.JobCancelled
        return states == {JobState.SUCCEEDED}

    def _shared_blocks(self) -> dict[str, set[int]]:
        """The blocks that have a shard, from a worker that had this run before and died."""
        shared: dict[str, set[int]] = {name: set() for name in self.plans}
        for name, first, stop in self.shards.values_list("plan", "first", "stop"):
            shared[name].update(range(first, stop))
        return shared

    def _cut(self, name: str) -> list[tuple[int, int]]:
        """The rest of a plan in ranges of blocks: long ones first, short ones last."""
        at, stop = len(self.values[name]), len(self.plans[name].blocks)
        seconds = self._seconds(name)
        ranges = []
        while at < stop:
            size = max(1, (stop - at) // SHARE)
            if seconds:
                size = max(min(size, int(LONGEST / seconds)), int(SHORTEST / seconds), 1)
            ranges.append((at, min(at + size, stop)))
            at = ranges[-1][1]
        return ranges
