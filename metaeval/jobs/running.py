"""Start, repeat, stop and do analysis runs."""

from typing import Any

from django.db import transaction

from annotations import events, jobs
from annotations.errors import Conflict
from annotations.models import EventKind, JobState, Study, User
from metaeval import figures
from metaeval.analyses.registry import Progress, analyses
from metaeval.analyses.registry import run as run_analysis
from metaeval.jobs.models import AnalysisRun

MAX_SEED = 2**63 - 1


class NotFinished(Conflict):
    """The run has no result (yet)."""

    code = "not_finished"


class CannotRetry(Conflict):
    """Only what failed or was cancelled can be tried again."""

    code = "cannot_retry"


class CannotCancel(Conflict):
    """What has ended cannot be stopped."""

    code = "cannot_cancel"


@transaction.atomic
def start_run(
    *, study: Study, analysis: str, parameters: dict[str, Any], seed: int | None = None, actor: User | None = None
) -> AnalysisRun:
    """Store a run and call a worker. Without a seed, the study's own is used, so that it is never lost.

    Raises `UnknownName` for the analysis and `InvalidParameters` for what it does not declare.
    """
    entry = analyses.get(analysis)
    validated = entry.validated(parameters)
    started: AnalysisRun = AnalysisRun.objects.create(
        study=study,
        owner=actor,
        analysis=entry.name,
        parameters=validated.model_dump(mode="json"),
        seed=study.seed if seed is None else seed,
        is_simulated=study.is_simulated or study.dataset.is_simulated,
    )
    events.record(
        EventKind.ANALYSED, actor=actor, study=study, analysis=entry.name, run=str(started.pk), seed=started.seed
    )
    jobs.enqueue(started)
    return started


@transaction.atomic
def retry_run(*, run: AnalysisRun, actor: User | None = None) -> AnalysisRun:
    """Do a failed or cancelled run again, with the same parameters and seed."""
    locked = AnalysisRun.objects.select_for_update().get(pk=run.pk)
    if locked.state not in {JobState.FAILED, JobState.CANCELLED}:
        raise CannotRetry(f"The run is {locked.get_state_display()}; only a failed or cancelled one is tried again.")
    events.record(EventKind.ANALYSED, actor=actor, study=locked.study, analysis=locked.analysis, run=str(locked.pk))
    again: AnalysisRun = jobs.retry(locked)
    return again


def cancel_run(*, run: AnalysisRun) -> AnalysisRun:
    """Stop a run: at once while it waits, within a block of permutations while it works."""
    if run.is_final:
        raise CannotCancel(f"The run is {run.get_state_display()} already.")
    stopped: AnalysisRun = jobs.cancel(run)
    return stopped


def execute_run(*, run: AnalysisRun, progress: Progress) -> dict[str, Any]:
    """The work of a run; returns the fields to store with its success."""
    result = compute(
        study=run.study, analysis=run.analysis, parameters=run.parameters, seed=run.seed, progress=progress
    )
    return {
        "result": result,
        "figures": figures.names(analyses.get(run.analysis).figures, result),
        "fingerprint": result["fingerprint"],
        "is_simulated": result["is_simulated"],
    }


def compute(
    *, study: Study, analysis: str, parameters: dict[str, Any], seed: int, progress: Progress
) -> dict[str, Any]:
    """An analysis in this process: what a run and the command have in common."""
    entry = analyses.get(analysis)
    return run_analysis(study=study, entry=entry, parameters=entry.validated(parameters), seed=seed, progress=progress)


def result_of(run: AnalysisRun) -> dict[str, Any]:
    """The result of a run that succeeded; `NotFinished` otherwise."""
    if run.state != JobState.SUCCEEDED or not isinstance(run.result, dict):
        raise NotFinished(f"The run is {run.get_state_display()}: it has no result.", state=run.state)
    return run.result


def figure_of(run: AnalysisRun, name: str) -> dict[str, Any]:
    """The Vega-Lite specification of a run's figure; LookupError for an unknown one."""
    result = result_of(run)
    spec: dict[str, Any] = figures.draw(name, analyses.get(run.analysis).figures, result).to_dict()
    return spec
