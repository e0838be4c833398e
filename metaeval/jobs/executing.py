"""What is done with a run: by a worker, or in this process while someone waits."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.ground.errors import Conflict, HLVError, input_names, naming
from annotations.ground.progress import Progress, silent
from annotations.models import JobState, User
from metaeval.analyses.base import computing
from metaeval.analyses.base.computing import check_subject, made_with
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.jobs.answers import sentence_of, store_answers
from metaeval.jobs.models import AnalysisRun, AnalysisShard, note
from metaeval.jobs.planning import is_planned, standing
from metaeval.jobs.runs import (
    BY_COMMAND,
    compute,
    input_name,
    record_question,
    result_of,
    seed_of,
    start_run,
    stored_run,
    subject_of,
)
from metaeval.jobs.sharding import NotedWork, SharedWork, forget_plans


class InputsChanged(Conflict):
    """The run's data changed between two attempts."""


class TookTooLong(HLVError):
    """The run reached the time limit."""


class Limited:
    """The run's own progress, which also stops a run that takes too long."""

    def __init__(self, progress: Progress, run: AnalysisRun) -> None:
        self._progress = progress
        self._since = run.started_at or timezone.now()

    def __call__(self, done: int, total: int, message: str = "") -> None:
        self._progress(done, total, message)
        if (timezone.now() - self._since).total_seconds() > settings.HLV_RUN_SECONDS:
            hours = settings.HLV_RUN_SECONDS / 3600
            raise TookTooLong(
                f"This took longer than {hours:g} hours, the limit of this server. Use fewer permutations "
                "or resamples, run more workers, or ask an admin to raise HLV_RUN_SECONDS."
            )


def tidy_up_runs() -> None:
    """Delete the shards of runs that have ended, and give results of earlier versions their sentence."""
    AnalysisShard.objects.filter(run__state__in=AnalysisRun.FINAL).delete()
    store_answers()


@executes(AnalysisRun, tidy_up=tidy_up_runs)
def execute_run(run: AnalysisRun, progress: Progress) -> dict[str, Any]:
    """The work of a run; returns the fields to store with its success."""
    note(run.pk, (f"Started by worker {socket.gethostname()}:{os.getpid()}, attempt {run.attempts}"))
    limited = Limited(progress, run)
    return carry_out(run, limited, SharedWork(run, limited))


def carry_out(run: AnalysisRun, progress: Progress, work: Work) -> dict[str, Any]:
    """Compute with the given `Work`, and record in the run's log how it ended; returns the fields to store."""
    try:
        with naming(input_name(run), work.reached):
            fields = _computed(run, progress, work)
    except (jobs.JobCancelled, KeyboardInterrupt, SystemExit):
        note(run.pk, "Stopped")
        raise
    except Exception as error:
        internal = ", ".join([type(error).__name__, *input_names(error)])
        note(run.pk, f"Failed: {error.message if isinstance(error, HLVError) else internal}")
        raise
    note(run.pk, f"Finished with {len(fields['result']['tables'])} tables and {len(fields['figures'])} figures")
    return fields


def _computed(run: AnalysisRun, progress: Progress, work: Work) -> dict[str, Any]:
    progress(0, 0, "Reading the data")
    subject = subject_of(run)
    inputs = gather(subject)
    _pin(run, inputs.fingerprint)
    entry = analyses.get(run.analysis)
    parameters = entry.recalled(run.parameters)
    if not run.rerun:
        before = stored_run(
            subject=subject, entry=entry, parameters=parameters, seed=run.seed, fingerprint=inputs.fingerprint
        )
        if before is not None:
            return _taken_from(before, run)
    try:
        result = computing.result_of(inputs=inputs, entry=entry, parameters=parameters, seed=run.seed, work=work)
    finally:
        forget_plans(run.pk)
    result["plan"] = standing(study=run.study, analysis=run.analysis, parameters=run.parameters, seed=run.seed)
    return {
        "result": result,
        "answer": entry.answer(result),
        "figures": entry.figure_names(result),
        "fingerprint": result["fingerprint"],
        "made_with": made_with(entry),
        "is_simulated": result["is_simulated"],
        "is_planned": is_planned(result["plan"]),
    }


def _taken_from(before: AnalysisRun, run: AnalysisRun) -> dict[str, Any]:
    """What an earlier run found. Only whether it was planned is determined anew, since the plan may have been fixed
    since."""
    result: dict[str, Any] = AnalysisRun.objects.values_list("result", flat=True).get(pk=before.pk)
    note(run.pk, f"The same question was answered on {before.finished_at:%-d %B %Y}: that result is used")
    plan = standing(study=run.study, analysis=run.analysis, parameters=run.parameters, seed=run.seed)
    return {
        "result": {**result, "plan": plan},
        "answer": before.answer or sentence_of(before.analysis, result),
        "figures": before.figures,
        "fingerprint": before.fingerprint,
        "made_with": before.made_with,
        "is_simulated": before.is_simulated,
        "is_planned": is_planned(plan),
        "answered_by": before,
    }


def _pin(run: AnalysisRun, fingerprint: str) -> None:
    """Record which inputs the run is about, for the workers that help. A second attempt must find the same."""
    if run.fingerprint and run.fingerprint != fingerprint:
        raise InputsChanged(
            "The data changed while this was running, and its worker died. Try again to analyse them as they are now."
        )
    AnalysisRun.objects.filter(pk=run.pk, lease_owner=run.lease_owner).update(fingerprint=fingerprint)


class RunFailed(HLVError):
    """The run was stored as failed; `detail` is its traceback, for the operator."""

    def __init__(self, message: str, *, detail: str) -> None:
        super().__init__(message)
        self.detail = detail


class RunCancelled(Conflict):
    """Someone cancelled the run on its page."""


class TakenOver(Conflict):
    """A worker has the run: this process lost its lease."""


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
    if not rerun and (stored := stored_run(subject=subject, entry=entry, parameters=validated, seed=seed)):
        record_question(subject, entry.name, actor, seed=seed, by=BY_COMMAND, run=str(stored.pk))
        result = result_of(stored)
        return Answered(stored.answer or sentence_of(entry.name, result), result, stored.finished_at)
    if not store:
        result = compute(subject=subject, analysis=entry.name, parameters=parameters, seed=seed, progress=progress)
        record_question(subject, entry.name, actor, seed=seed, by=BY_COMMAND)
        return Answered(entry.answer(result), result)
    run = start_run(
        subject=subject, analysis=entry.name, parameters=parameters, seed=seed, actor=actor, rerun=rerun, here=True
    )
    note(run.pk, f"Computed by a command: {socket.gethostname()}:{os.getpid()}")
    # The person waiting decides how long it may take: the server's limit is for its workers.
    jobs.run_here(run, lambda job, told: carry_out(job, told, NotedWork(job, told)), Shown(progress))
    return _stored(AnalysisRun.objects.defer(None).get(pk=run.pk))


def _stored(run: AnalysisRun) -> Answered:
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
