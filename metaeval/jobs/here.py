"""A question answered in this process while someone waits: stored as a worker would store it, or only shown.

It needs neither a broker nor a worker, and is safe beside them: this process claims the run in the transaction that
creates it, and keeps its lease while alive. A run whose process was killed is continued by a worker.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotations.background import jobs
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.progress import Progress, silent
from annotations.history import events
from annotations.models import EventKind, JobState, User
from metaeval.analyses.base.computing import check_subject
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.answers import sentence_of
from metaeval.jobs.executing import carry_out
from metaeval.jobs.log_model import note
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import BY_COMMAND, compute, result_of, seed_of, start_run, stored_run
from metaeval.jobs.sharding import NotedWork


class RunFailed(HLVError):
    """The run was stored as failed; `detail` is its traceback, for the operator."""

    code = "run_failed"

    def __init__(self, message: str, *, detail: str) -> None:
        super().__init__(message)
        self.detail = detail


class RunCancelled(Conflict):
    """Someone cancelled the run on its page."""

    code = "run_cancelled"


class TakenOver(Conflict):
    """A worker has the run: this process lost its lease."""

    code = "taken_over"


@dataclass(frozen=True)
class Answered:
    """The result and, if it was not computed now, since when it has been known."""

    answer: str
    result: dict[str, Any]
    known_since: datetime | None = None


def answer_here(
    *,
    subject: Subject,
    analysis: str,
    parameters: Mapping[str, Any],
    seed: int | None = None,
    actor: User | None = None,
    rerun: bool = False,
    store: bool = True,
    progress: Progress = silent,
) -> Answered:
    """The stored answer for the same inputs, parameters, seed and versions; else it is computed here and, unless it is
    only to be shown, stored. A `rerun` is always computed.

    Raises what `start_run` and the analysis raise; `RunFailed`, `RunCancelled` and `TakenOver` for a run that ended
    otherwise. An interrupt (Ctrl-C) cancels the run.
    """
    entry = analyses.get(analysis)
    check_subject(entry, subject.kind)
    validated = entry.validated(parameters)
    seed = seed_of(subject=subject, entry=entry, parameters=validated) if seed is None else seed
    if not rerun and (known := stored_run(subject=subject, entry=entry, parameters=validated, seed=seed)):
        _record(subject, entry, seed, actor, run=str(known.pk))
        result = result_of(known)
        return Answered(known.answer or sentence_of(entry.name, result), result, known.finished_at)
    if not store:
        result = compute(subject=subject, analysis=entry.name, parameters=parameters, seed=seed, progress=progress)
        _record(subject, entry, seed, actor)
        return Answered(entry.answer(result), result)
    run = start_run(
        subject=subject, analysis=entry.name, parameters=parameters, seed=seed, actor=actor, rerun=rerun, here=True
    )
    note(run.pk, f"Computed by a command: {socket.gethostname()}:{os.getpid()}")
    # The person waiting decides how long it may take: the server's limit is for its workers.
    jobs.run_here(run, lambda job, told: carry_out(job, told, NotedWork(job, told)), Shown(progress))
    return _stored(AnalysisRun.objects.defer(None).get(pk=run.pk))


def _stored(run: AnalysisRun) -> Answered:
    """A run's outcome."""
    match run.state:
        case JobState.SUCCEEDED:
            return Answered(run.answer, result_of(run))
        case JobState.FAILED:
            raise RunFailed(run.error, detail=run.error_detail)
        case JobState.CANCELLED:
            raise RunCancelled("Somebody cancelled this on its page.")
        case _:
            raise TakenOver(
                "This computer did not answer for a while (was it asleep?), so a worker took over the "
                "run. Check again when the worker has finished."
            )


class Shown(jobs.JobProgress):
    """The progress of a job that someone watches in this process."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._shown = progress

    def __call__(self, done: int, total: int, message: str = "") -> None:
        super().__call__(done, total, message)
        self._shown(done, total, message)


def _record(subject: Subject, entry: Analysis, seed: int, actor: User | None, **more: Any) -> None:
    """A record of a question that starts no run."""
    events.record(
        EventKind.ANALYSED,
        actor=actor,
        study=subject.study,
        dataset=subject.dataset,
        analysis=entry.name,
        seed=seed,
        by=BY_COMMAND,
        **more,
    )
