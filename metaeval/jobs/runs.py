"""Start, repeat, stop and execute analysis runs, and read what a finished one holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.db import transaction

from annotations.background import jobs
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import Conflict
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import Dataset, EventKind, JobState, PairwiseVote, User
from metaeval.analyses.base.computing import check_subject, made_with
from metaeval.analyses.base.computing import run as run_analysis
from metaeval.analyses.base.registry import Analysis, Parameters, analyses
from metaeval.analyses.base.table import Table
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.jobs.models import AnalysisRun, AnalysisShard, note
from metaeval.jobs.planning import meant, planned_seed, standing

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

    from metaeval.figures.sizes import Size


def subject_of(run: AnalysisRun) -> Subject:
    """What the run is about."""
    kind = SubjectKind(run.subject)
    if kind == SubjectKind.DATASETS:
        return Subject.of_datasets(run.datasets.order_by("slug"))
    if run.study is not None:
        return Subject.of_study(run.study)
    return Subject.nothing() if run.dataset is None else Subject.of_dataset(run.dataset, kind=kind)


def input_name(run: AnalysisRun) -> str:
    """What a run is about and which analysis it is, for an error that nobody foresaw."""
    subject = subject_of(run)
    about = subject.name if subject.kind == SubjectKind.NOTHING else f"{subject.kind} {subject.name}"
    return f"{about}, {run.analysis}"


def has_votes(dataset: Dataset) -> bool:
    """Whether the dataset holds pairwise votes (and then no labels)."""
    return bool(PairwiseVote.objects.filter(dataset=dataset).exists())


MAX_SEED = 2**63 - 1
BY_COMMAND = "command"
"""Marks an event that came from neither a page nor the API."""

LOOKED_AT = 50
"""How many runs on the same inputs are compared by their parameters."""


class NotFinished(Conflict):
    """The run has no result (yet)."""


class CannotRetry(Conflict):
    """Only runs that failed or were cancelled can be tried again."""


class CannotCancel(Conflict):
    """A run that has ended cannot be stopped."""


@transaction.atomic
def start_run(
    *,
    subject: Subject,
    analysis: str,
    parameters: Mapping[str, Any],
    seed: int | None = None,
    actor: User | None = None,
    rerun: bool = False,
    here: bool = False,
) -> AnalysisRun:
    """Store a run and call a worker. Without a seed, the one with which the study planned this question is used, or the
    study's own, so that it is never lost. `here`: no worker is called; the run belongs to this process from the start.

    Reads none of the answers, so that the request returns at once and nobody waits for its write lock. The worker uses
    the stored result for the same inputs, parameters, seed and versions if there is one, unless a `rerun` is requested.
    Raises `UnknownName` for an unknown analysis, `InvalidParameters` for parameters that it does not declare, and
    `AnalysisError` for a subject that it does not support; and `TooManyJobs` where a worker would be called although as
    many of the actor's jobs as allowed wait or run already.
    """
    entry = analyses.get(analysis)
    check_subject(entry, subject.kind)
    validated = entry.validated(parameters)
    seed = seed_of(subject=subject, entry=entry, parameters=validated) if seed is None else seed
    if not here:
        refuse_too_many(AnalysisRun, actor)
    started: AnalysisRun = AnalysisRun.objects.create(
        subject=subject.kind.value,
        study=subject.study,
        dataset=subject.dataset,
        owner=actor,
        analysis=entry.name,
        parameters=validated.model_dump(mode="json"),
        seed=seed,
        rerun=rerun,
        is_simulated=subject.is_simulated,
    )
    if subject.kind == SubjectKind.DATASETS:
        started.datasets.set(subject.datasets)
    by = {"by": BY_COMMAND} if here else {}
    record_question(started, started.analysis, actor, run=str(started.pk), seed=started.seed, **by)
    note(started.pk, f"Requested by {actor}" if actor else "Requested")
    if not here:
        jobs.enqueue(started)
        return started
    mine = jobs.claim(AnalysisRun, started.pk, uuid4())
    if mine is None:
        raise LookupError(f"run {started.pk} was gone in the transaction that made it")
    return mine


def seed_of(*, subject: Subject, entry: Analysis, parameters: Parameters) -> int:
    """The seed of a question without one: the one with which it was planned, or the subject's own."""
    plain = parameters.model_dump(mode="json")
    planned = planned_seed(study=subject.study, analysis=entry.name, parameters=plain)
    return subject.seed if planned is None else planned


def stored_run(
    *, subject: Subject, entry: Analysis, parameters: Parameters, seed: int, fingerprint: str = ""
) -> AnalysisRun | None:
    """The newest run that computed a result for exactly this question: same inputs, parameters, seed and versions.

    Without the `fingerprint` of the inputs, they are read, which takes seconds if there are many answers.
    """
    same = AnalysisRun.objects.filter(
        state=JobState.SUCCEEDED,
        answered_by=None,
        subject=subject.kind.value,
        study=subject.study,
        dataset=subject.dataset,
        analysis=entry.name,
        seed=seed,
        made_with=made_with(entry),
    )
    if not fingerprint and not same.exists():
        return None
    plain = parameters.model_dump(mode="json")
    fingerprint = fingerprint or gather(subject, whole=False).fingerprint
    runs = same.filter(fingerprint=fingerprint).order_by("-created_at")[:LOOKED_AT]
    same_question: AnalysisRun | None = next(
        (run for run in runs if meant(run.analysis, run.parameters) == plain), None
    )
    return same_question


def rerun(*, run: AnalysisRun, actor: User | None = None) -> AnalysisRun:
    """Ask the same question again about the current data, whatever is stored."""
    return start_run(
        subject=subject_of(run),
        analysis=run.analysis,
        parameters=meant(run.analysis, run.parameters),
        seed=run.seed,
        actor=actor,
        rerun=True,
    )


@transaction.atomic
def retry_run(*, run: AnalysisRun, actor: User | None = None) -> AnalysisRun:
    """Run a failed or cancelled run again, with the same parameters and seed."""
    refuse_too_many(AnalysisRun, run.owner)
    locked = AnalysisRun.objects.select_for_update().get(pk=run.pk)
    if locked.state not in {JobState.FAILED, JobState.CANCELLED}:
        raise CannotRetry(f"The run is {locked.get_state_display()}; only a failed or cancelled one is tried again.")
    record_question(locked, locked.analysis, actor, run=str(locked.pk))
    note(locked.pk, f"Tried again by {actor}" if actor else "Tried again")
    AnalysisRun.objects.filter(pk=locked.pk).update(fingerprint="")  # it is about the current data
    again: AnalysisRun = jobs.retry(locked)
    return again


def cancel_run(*, run: AnalysisRun, actor: User | None = None) -> AnalysisRun:
    """Stop a run: at once if it is waiting, within a block of permutations if it is running, whoever works on it."""
    if run.is_final:
        raise CannotCancel(f"The run is {run.get_state_display()} already.")
    note(run.pk, f"Cancelled by {actor}" if actor else "Cancelled")
    stopped: AnalysisRun = jobs.cancel(run)
    AnalysisShard.objects.filter(run=run).update(cancel_requested=True)
    return stopped


def compute(
    *, subject: Subject, analysis: str, parameters: Mapping[str, Any], seed: int, progress: Progress
) -> dict[str, Any]:
    """An analysis in this process: what a run and the command have in common."""
    entry = analyses.get(analysis)
    progress(0, 0, "Reading the data")
    validated = entry.validated(parameters)
    result = run_analysis(subject=subject, entry=entry, parameters=validated, seed=seed, work=Work(progress))
    result["plan"] = standing(
        study=subject.study, analysis=entry.name, parameters=validated.model_dump(mode="json"), seed=seed
    )
    return result


def result_of(run: AnalysisRun) -> dict[str, Any]:
    """The result of a run that succeeded; `NotFinished` otherwise."""
    if run.state != JobState.SUCCEEDED or not isinstance(run.result, dict):
        raise NotFinished(f"The run is {run.get_state_display()}: it has no result.", state=run.state)
    return run.result


def record_question(about: AnalysisRun | Subject, analysis: str, actor: User | None, **data: Any) -> None:
    """A line in the log of the study or the dataset that the question is about."""
    events.record(EventKind.ANALYSED, actor=actor, study=about.study, dataset=about.dataset, analysis=analysis, **data)


def figure_of(run: AnalysisRun, name: str, *, size: str | Size = "screen") -> Chart:
    """A figure of a run; `UnknownName` lists the known ones."""
    return analyses.get(run.analysis).draw(name, result_of(run), size=size)


def tables_of(run: AnalysisRun) -> list[Table]:
    """All tables of a run, in order."""
    return [Table.from_json(table) for table in result_of(run)["tables"]]


def table_of(run: AnalysisRun, name: str) -> Table | None:
    """One table of a run; None if it has none with this name."""
    return next((table for table in tables_of(run) if table.name == name), None)
