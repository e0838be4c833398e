"""How far a training is and what it will take, in numbers and in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.waiting import Wait, listed
from annotations.models import JobState, System, User
from annotations.shown.plurals import filled, said
from metaeval.training.extra import QUEUE, is_installed
from metaeval.training.registry import methods
from metaeval.training_jobs.models import Training, TrainingJob

SOON = 5.0
"""How many seconds it must have taken before the remaining time is estimated from them."""


@dataclass(frozen=True)
class TrainingStanding:
    """How far a training is.

    Attributes:
        done, total: fits and searches, those under way in part.
        under_way: what the workers do now, the check included: `kind`, `method`, `run`, `fold`. Runs and folds are
            counted from 1; run 0 is for what all runs share.
        methods: the fits of each method: `method`, `title`, `done`, `total`, `running`, `failed`.
        seconds_left: about how long it will still take, judging by how long it has taken; None if nothing is known.
        systems: the names of those that it has made so far.
        waits_for: the other trainings that wait while none of its jobs runs: those of its owner that come before it,
            and those of other people, with which it takes turns.
        has_curves: whether a fit has ended, so that there are loss curves.
    """

    done: float
    total: int
    under_way: list[dict[str, Any]]
    seconds_left: int | None
    methods: list[dict[str, Any]]
    systems: list[str]
    has_curves: bool
    worker_alive: bool
    waits_for: Wait | None


def standing_of(training: Training, reader: User) -> TrainingStanding:
    """Seven queries at most, whatever the number of jobs."""
    done, total, _name = so_far(training)
    running = list(training.jobs.filter(state=JobState.RUNNING).order_by("method", "run", "fold"))
    parts = sum(
        job.progress_done / job.progress_total
        for job in running
        if job.progress_total and job.kind != TrainingJob.Piece.CHECK
    )
    fits = training.jobs.filter(kind=TrainingJob.Piece.FIT).values("method").order_by("method")
    counted: dict[str, dict[str, Any]] = {
        row["method"]: dict(row)
        for row in fits.annotate(
            done=Count("pk", filter=Q(state=JobState.SUCCEEDED)),
            running=Count("pk", filter=Q(state=JobState.RUNNING)),
            failed=Count("pk", filter=Q(state=JobState.FAILED)),
        )
    }
    each = training.parameters["runs"] * training.split.folds
    per_method = [
        {
            "method": name,
            "title": methods.get(name).title if name in methods.names() else "",
            "done": counted.get(name, {}).get("done", 0),
            "total": each,
            "running": counted.get(name, {}).get("running", 0) > 0,
            "failed": counted.get(name, {}).get("failed", 0),
        }
        for name in training.methods
    ]
    made = System.objects.filter(dataset=training.dataset_id, options__training__id=str(training.pk))
    return TrainingStanding(
        done=done + parts,
        total=total,
        under_way=[{"kind": job.kind, "method": job.method, "run": job.run, "fold": job.fold + 1} for job in running],
        seconds_left=_seconds_left(training, done + parts, total),
        methods=per_method,
        systems=[system.name for system in made.order_by("method", "run")],
        has_curves=any(method["done"] for method in per_method),
        worker_alive=worker_alive(),
        waits_for=None if running else waits_of(training, reader),
    )


def waits_of(training: Training, reader: User) -> Wait | None:
    """The other trainings that wait for a worker; None: this one does not."""
    first = jobs.due(TrainingJob).values("training", "owner").annotate(first=Min("created_at"))
    waiting = {row["training"]: row for row in first}
    mine = waiting.pop(training.pk, None)
    if mine is None:
        return None
    own = sum(row["owner"] == mine["owner"] and row["first"] < mine["first"] for row in waiting.values())
    others = sum(row["owner"] != mine["owner"] for row in waiting.values())
    of_others = _("{count, plural, one {# training of another person} other {# trainings of other people}}")
    also = listed(
        said(TrainingJob.counted, count=own) if own else "",
        filled(of_others, count=others) if others else "",
        is_readers=mine["owner"] == reader.pk,
    )
    sentence = _("Waiting for a worker. Also waiting: {trainings}").format(trainings=also)
    return Wait(own, others, sentence if also else _("Waiting for a worker"))


def worker_alive() -> bool:
    """Whether a worker that takes trainings has been seen lately."""
    # The demo starts one as soon as a training waits.
    return (settings.HLV_DEMO and is_installed()) or jobs.worker_alive(QUEUE)


def _seconds_left(training: Training, done: float, total: int) -> int | None:
    if training.started_at is None or not done or training.state in Training.ENDED:
        return None
    taken = (timezone.now() - training.started_at).total_seconds()
    return round(taken * (total - done) / done) if taken > SOON else None


MINUTE, HOUR, DAY = 60, 3600, 86400


def forecast_in_words(training: Training) -> str:
    """What the training will take, once it has been measured; empty before.

    It tells the work of one fit after another: several at once take less time and more memory.
    """
    cost: dict[str, Any] = training.forecast or {}
    if not cost:
        return ""
    sentences = [
        f"{cost['fits']:,} fits of {_counted(len(training.methods), 'method')} take about {duration(cost['seconds'])}, "
        f"one after another, and each up to {gigabytes(cost['peak_bytes'])} of memory "
        f"({gigabytes(cost['free_bytes'])} are free)."
        if cost["fits"] > 1
        else f"One fit takes about {duration(cost['seconds'])} and up to {gigabytes(cost['peak_bytes'])} of memory "
        f"({gigabytes(cost['free_bytes'])} are free)."
    ]
    if cost["trained"] < cost["parameters"]:
        sentences.append(f"{cost['trained']:,} of the model's {cost['parameters']:,} weights are trained.")
    if cost["cut"]:
        sentences.append(
            f"{cost['cut']:,} of {_counted(cost['texts'], 'text')} {'is' if cost['cut'] == 1 else 'are'} longer than "
            f"{training.parameters['max_tokens']:,} tokens and will be cut."
        )
    return " ".join(sentences)


def twins_in_words(twins: int) -> str:
    """What a given split leaves out, so that no text is on two sides.

    >>> twins_in_words(1)
    '1 text is left out, because the same text is in the test or the development part.'
    """
    is_left = "is" if twins == 1 else "are"
    return (
        f"{_counted(twins, 'text')} {is_left} left out, because the same text is in the test or the development part."
    )


def outcome_of(training: Training) -> dict[str, Any]:
    """What came of a training that has finished: how many `systems`, in how many `seconds` of work; one query."""
    seconds = sum(
        sum(epoch["seconds"] for epoch in job.found().get("epochs", ()))
        for job in training.jobs.defer("outputs").filter(kind=TrainingJob.Piece.FIT)
    )
    return {"systems": len(training.methods) * training.parameters["runs"], "seconds": seconds}


def outcome_in_words(training: Training) -> str:
    """How a training that has finished ended."""
    outcome = outcome_of(training)
    return (
        f"{_counted(outcome['systems'], 'system')} of the model {training.model} "
        f"{'was' if outcome['systems'] == 1 else 'were'} trained in "
        f"{duration(outcome['seconds'])} of work: "
        f"{', '.join(training.methods)}, {_counted(training.parameters['runs'], 'run')} each."
    )


def duration(seconds: float) -> str:
    """A time in words, in the unit that fits.

    >>> duration(12), duration(119), duration(7300), duration(200_000)
    ('12 seconds', '2 minutes', '2 hours', '2 days')
    """
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= 1.5 * unit:
            return _counted(round(seconds / unit), name)
    return _counted(max(1, round(seconds)), "second")


def gigabytes(amount: int) -> str:
    """A size of memory.

    >>> gigabytes(360_000_000), gigabytes(24_300_000_000)
    ('0.4 GB', '24.3 GB')
    """
    return f"{max(amount / 1e9, 0.1):.1f} GB"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def so_far(training: Training) -> tuple[int, int, str]:
    """How many fits and searches have ended well, of how many, and what is under way."""
    ended = training.jobs.filter(state=JobState.SUCCEEDED).exclude(kind=TrainingJob.Piece.CHECK).count()
    fits = training.split.folds * len(training.methods)
    total = fits * (training.parameters["runs"] + bool(training.parameters["search"]))
    under_way = training.jobs.filter(state=JobState.RUNNING).first()
    return ended, total, under_way.name if under_way else ""
