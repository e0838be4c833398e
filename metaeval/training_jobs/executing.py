"""What a worker does with a job of a training: check and measure, search settings, or fit and predict."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from annotations.background.executors import executes
from annotations.ground.progress import Progress
from metaeval.training.extra import refuse_without_extra
from metaeval.training.lessons import FitSettings, Trainer, trainers
from metaeval.training.registry import methods
from metaeval.training.searching import SearchSpace, search
from metaeval.training_jobs.checkpoints import JobCheckpoints
from metaeval.training_jobs.courses import Course, course_of
from metaeval.training_jobs.lifecycle import advance_all
from metaeval.training_jobs.models import TrainingJob

TRAINER = "torch"


def estimate(course: Course, trainer: Trainer) -> dict[str, Any]:
    """What the whole training will take, its fits one after another, from fits measured on this machine: of the method
    with the fewest heads and the one with the most, which need the least and the most memory. The others read the same
    texts, only more or fewer of them.

    Raises what the trainer raises if it cannot begin, such as a lack of memory.
    """
    names = course.training.methods
    lessons = {name: course.lesson(name, fold=0, run=1) for name in names}
    targets = {name: methods.get(name).targets(lesson.judgements) for name, lesson in lessons.items()}
    heads = {name: len(target.heads) for name, target in targets.items()}
    ends = dict.fromkeys(choose(names, key=heads.__getitem__) for choose in (min, max))
    measured = {name: trainer.forecast(lessons[name]) for name in ends}

    def seconds(name: str) -> float:
        like = min(measured, key=lambda name_of_measured: abs(heads[name_of_measured] - heads[name]))
        return measured[like].seconds * read(name) / read(like)

    def read(name: str) -> int:
        whole, most = targets[name].per_epoch, lessons[name].settings.per_epoch
        return whole if most is None else min(whole, most)

    fits = len(course.split) * (course.parameters.runs + course.parameters.search)
    largest = max(measured.values(), key=lambda forecast: forecast.peak_bytes)
    return {
        "seconds": fits * sum(map(seconds, names)),
        "fits": fits * len(names),
        "peak_bytes": largest.peak_bytes,
        "free_bytes": largest.free_bytes,
        "parameters": largest.parameters,
        "trained": largest.trained,
        "cut": max(forecast.cut for forecast in measured.values()),
        "texts": len(course.corpus.texts),
        "device": largest.device,
    }


@executes(TrainingJob, tidy_up=advance_all)
def execute_training_job(job: TrainingJob, progress: Progress) -> dict[str, Any]:
    """The work of a job; returns the fields to store with its success.

    Raises:
        TrainingNotInstalled: the optional packages are not installed where the worker runs.
    """
    refuse_without_extra()
    progress(0, 0, "Reading the data")
    course = course_of(job.training)
    trainer = trainers.get(TRAINER)
    match job.kind:
        case TrainingJob.Piece.CHECK:
            progress(0, 0, "Measuring")
            return {"result": estimate(course, trainer)}
        case TrainingJob.Piece.SEARCH:
            return {"result": _searched(job, course, trainer, progress)}
        case _:
            fitted = trainer.fit(
                course.lesson(job.method, fold=job.fold, run=job.run, settings=chosen_settings(job)),
                checkpoints=JobCheckpoints(job),
                progress=progress,
            )
            stated = {name: value for name, value in asdict(fitted).items() if name not in {"logits", "dev_logits"}}
            result = {**stated, "instances": course.predicted(job.fold).tolist()}
            return {"result": result, "outputs": fitted.logits.reshape(len(fitted.logits), -1)}


def chosen_settings(job: TrainingJob) -> FitSettings | None:
    """What the search of the fit's method and fold chose; None if there was none."""
    searches = TrainingJob.objects.filter(
        training=job.training_id, kind=TrainingJob.Piece.SEARCH, method=job.method, fold=job.fold
    )
    searched = searches.defer(None).first()
    return FitSettings(**searched.found()["settings"]) if searched else None


def _searched(job: TrainingJob, course: Course, trainer: Trainer, progress: Progress) -> dict[str, Any]:
    outcome = search(
        course.trial(job.method, fold=job.fold),
        trainer=trainer,
        space=SearchSpace(draws=course.parameters.search),
        checkpoints=JobCheckpoints(job),
        progress=progress,
    )
    return asdict(outcome)
