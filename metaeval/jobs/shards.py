"""Compute one shard: rebuild the run's plan from what is stored, and compute its blocks.

A worker keeps the plans of the runs that it last helped with, and the run's own worker keeps its own, so what comes
before them is repeated once per worker.
"""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.ground.arrays import AnyArray
from annotations.ground.errors import naming
from annotations.ground.progress import Progress
from annotations.models import JobState
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Plan, Work, block_of
from metaeval.analyses.inputs.gathering import gather
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.shard_model import AnalysisShard
from metaeval.jobs.subjects import input_name, subject_of

RUNS_KEPT = 2


@dataclass(frozen=True)
class Prepared:
    """A plan that is ready, and the callback for every block."""

    plan: Plan
    told: Callable[[], None] = lambda: None


_prepared: OrderedDict[UUID, dict[str, Prepared]] = OrderedDict()


def keep_plans(run: UUID, plans: Mapping[str, Plan], told: Callable[[], None] = lambda: None) -> None:
    """Keep plans for the shards that this process will compute; those of the oldest run are forgotten."""
    _prepared.setdefault(run, {}).update({name: Prepared(plan, told) for name, plan in plans.items()})
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
    prepared = _prepared[shard.run_id][shard.plan]
    values = []
    for number in range(shard.first, shard.stop):
        progress(number - shard.first, blocks)
        try:
            prepared.told()
        except jobs.JobCancelled:  # the run's own worker stops; others may continue
            raise jobs.JobReturned from None
        values.append(block_of(prepared.plan, shard.plan, number))
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
