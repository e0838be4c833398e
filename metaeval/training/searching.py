"""Random search for the learning rate and the batch size, judged on the development set.

As published (Kurniawan et al. 2026, section 5.1, and its code): learning rate 10^U(-7, -3), batch 2^{2..11}, and the
geometric mean of four scores. Needs no torch: each trial is a fit by the trainer that is passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.progress import Progress, silent
from metaeval.training.errors import NothingToLearn, TrainingDiverged
from metaeval.training.lessons import NOT_KEPT, Checkpoints, FitSettings, Lesson, Trainer
from metaeval.training.registry import methods
from metaeval.training.trials import Trial, Trials, scored

PARTS = 1000
"""Of a trial's progress."""


@dataclass(frozen=True)
class SearchSpace:
    """What is tried.

    Attributes:
        draws: how many settings.
        rate_exponents: the learning rate is 10 to a power that is uniform between these.
        batch_exponents: the batch size is 2 to one of these whole numbers, both included, each as likely. No batch is
            larger than the examples of an epoch, rounded up to a power of two: they would all be the same one.
    """

    draws: int = 20
    rate_exponents: tuple[float, float] = (-7.0, -3.0)
    batch_exponents: tuple[int, int] = (2, 11)


@dataclass(frozen=True)
class SearchOutcome:
    """What was tried, in the order of the draws, and which was chosen.

    Attributes:
        trials: every draw with its scores.
        best: the place of the chosen one.
        settings: with its learning rate and batch size.
    """

    trials: tuple[Trial, ...]
    best: int
    settings: FitSettings


def search(
    lesson: Lesson,
    *,
    trainer: Trainer,
    space: SearchSpace | None = None,
    checkpoints: Checkpoints = NOT_KEPT,
    progress: Progress = silent,
) -> SearchOutcome:
    """Fit a lesson with settings drawn at random, and choose those whose predictions of the development set are best.

    The texts to be predicted are left out of every trial. A trial is chosen by the geometric mean of its scores
    (`metaeval.training.trials.scored`), of several with the same one the first. One whose predictions leave the entropy
    correlation undefined is chosen only if all do: it has collapsed, and says the same of every text.

    Args:
        lesson: its settings say all but the learning rate and the batch size; its seed, which settings are drawn. The
            first draws of a longer search are those of a shorter one.
        checkpoints: keeps the finished trials, and the running one's epochs.
        progress: counts thousandths of a trial, since the trials have different numbers of steps.

    Raises:
        NothingToLearn: there is no development set that anybody judged, or every trial diverged.
    """
    space = space or SearchSpace()
    if lesson.dev_judgements is None or not (lesson.dev_judgements.counts > 0).any():
        raise NothingToLearn(
            "A search needs a development set that people annotated. Choose a split that has one, or set the learning "
            "rate and the batch size yourself."
        )
    settings = drawn(lesson, space)
    trials = Trials(replace(lesson, unseen=()), settings, checkpoints)
    while (number := len(trials.finished)) < len(settings):
        counted = _part_of(progress, number, len(settings), f"Trial {number + 1} of {len(settings)}")
        one = replace(lesson, unseen=(), settings=settings[number])
        try:
            fitted = trainer.fit(one, checkpoints=trials, progress=counted)
        except TrainingDiverged:
            trial = Trial(float(settings[number].learning_rate or 0), settings[number].batch_size, None)
        else:
            Q = methods.get(lesson.method).predict(fitted.dev_logits, lesson.judgements.task)
            trial = scored(settings[number], lesson.dev_judgements, Q)
        trials.finish(trial)
    best = chosen(trials.finished)
    return SearchOutcome(tuple(trials.finished), best, settings[best])


def _part_of(progress: Progress, number: int, count: int, title: str) -> Progress:
    def counted(done: int, total: int, message: str = "") -> None:
        progress(PARTS * number + PARTS * done // max(total, 1), PARTS * count, f"{title}: {message}")

    return counted


def drawn(lesson: Lesson, space: SearchSpace) -> list[FitSettings]:
    """The settings of every draw: each from the seed and its place alone."""
    low, high = space.batch_exponents
    targets = methods.get(lesson.method).targets(lesson.judgements)
    examples = min(targets.per_epoch, lesson.settings.per_epoch or targets.per_epoch)
    largest = 1 << (max(examples, 1) - 1).bit_length()
    found = []
    for number in range(space.draws):
        rng = np.random.default_rng((lesson.seed, number))
        rate = 10 ** rng.uniform(*space.rate_exponents)
        batch = min(1 << int(rng.integers(low, high + 1)), largest)
        found.append(replace(lesson.settings, learning_rate=float(rate), batch_size=batch))
    return found


def chosen(trials: Sequence[Trial]) -> int:
    """The place of the best trial: defined before undefined, then the higher mean, then the first."""
    if all(trial.scores is None for trial in trials):
        raise NothingToLearn("The loss of every trial stopped being a number. Search among lower learning rates.")
    return max(range(len(trials)), key=lambda place: (*_merit(trials[place]), -place))


def _merit(trial: Trial) -> tuple[bool, bool, float]:
    return trial.scores is not None, not trial.collapsed, trial.mean
