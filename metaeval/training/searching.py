"""Random search for the learning rate and the batch size, judged on the development set.

As published (Kurniawan et al. 2026, section 5.1, and its code): learning rate 10^U(-7, -3), batch 2^{2..11}, and the
geometric mean of four scores. Needs no torch: each trial is a fit by the trainer that is passed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from annotations.ground.arrays import Matrix
from annotations.ground.progress import Progress, silent
from metaeval.metrics import compute
from metaeval.training.errors import NothingToLearn, TrainingDiverged
from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import NOT_KEPT, Checkpoints, FitSettings, Lesson, Trainer, lesson_fingerprint
from metaeval.training.registry import methods

SCORES = {
    "multiclass": ("accuracy", "po_jsd", "entropy_correlation", "soft_accuracy"),
    "multilabel": ("micro_f1", "po_jsd", "entropy_correlation", "soft_micro_f1"),
}
"""The four metrics by which settings are chosen; the macro F1s are left out, as published."""
HEADER_BYTES = 8


@dataclass(frozen=True)
class Trial:
    """One draw of settings, and how well what they led to predicts the development set.

    Attributes:
        scores: the four metrics by name, the entropy correlation None where it is undefined; None altogether if the
            loss stopped being a number.
        mean: the geometric mean of the four, the correlation r as (1 + r) / 2.
        collapsed: whether the predictions are what leaves the correlation undefined: all are equally uncertain.
    """

    learning_rate: float
    batch_size: int
    scores: dict[str, float | None] | None
    mean: float = 0.0
    collapsed: bool = False


def scored(settings: FitSettings, judgements: HumanJudgements, Q: Matrix) -> Trial:
    """A trial's scores on the instances that somebody judged.

    An undefined entropy correlation counts as 0, neither for nor against. If people's own entropies are all the same,
    it is so for every trial, and the choice rests with the other three scores; if the predictions' are, the trial is
    marked as collapsed.
    """
    judged = judgements.counts > 0
    metrics = SCORES[judgements.task]
    measured = compute(judgements.shares[judged], Q[judged], judgements.task, metrics)["Q"]
    values = {name: float(measured[name]) if measured[name].is_defined else None for name in metrics}
    factors = [
        (1 + (value or 0.0)) / 2 if name == "entropy_correlation" else (value or 0.0) for name, value in values.items()
    ]
    return Trial(
        learning_rate=settings.learning_rate or 0.0,
        batch_size=settings.batch_size,
        scores=values,
        mean=math.prod(factors) ** (1 / len(factors)),
        collapsed="entropy of Q" in measured["entropy_correlation"].reason,
    )


class Trials:
    """The finished trials of one search, kept with the running one's state: a length, JSON, then that state.

    The running trial's fit takes this as its own `Checkpoints`.
    """

    def __init__(self, lesson: Lesson, settings: Sequence[FitSettings], checkpoints: Checkpoints) -> None:
        # A search with more draws goes on with the trials of a shorter one, so these are not part of its name.
        self._name = hashlib.sha256(lesson_fingerprint(lesson).encode()).hexdigest()
        self._checkpoints = checkpoints
        self.finished: list[Trial] = []
        self._running = b""
        header, state = _parted(checkpoints.latest() or b"")
        if header.get("search") != self._name:
            return
        trials = [Trial(**trial) for trial in header["trials"]]
        drawn = [(setting.learning_rate, setting.batch_size) for setting in settings]
        if all(
            (earlier.learning_rate, earlier.batch_size) == other for earlier, other in zip(trials, drawn, strict=False)
        ):
            self.finished, self._running = trials[: len(drawn)], state

    def finish(self, trial: Trial) -> None:
        """Keep a finished trial, so that it is never run again."""
        self.finished.append(trial)
        self.keep(b"")

    def latest(self) -> bytes | None:
        return self._running or None

    def keep(self, state: bytes) -> None:
        self._running = state
        header = json.dumps({"search": self._name, "trials": [asdict(trial) for trial in self.finished]}).encode()
        self._checkpoints.keep(len(header).to_bytes(HEADER_BYTES, "little") + header + state)


def _parted(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = HEADER_BYTES + int.from_bytes(content[:HEADER_BYTES], "little")
    try:
        header = json.loads(content[HEADER_BYTES:end])
    except ValueError:
        return {}, b""
    return header, content[end:]


PARTS = 1000
"""Of a trial's progress."""


@dataclass(frozen=True)
class SearchSpace:
    """What is tried."""

    draws: int = 20
    """How many settings."""
    rate_exponents: tuple[float, float] = (-7.0, -3.0)
    """The learning rate is 10 to a power that is uniform between these."""
    batch_exponents: tuple[int, int] = (2, 11)
    """The batch size is 2 to one of these whole numbers, both included, each as likely. No batch is larger than the
    examples of an epoch, rounded up to a power of two: they would all be the same one."""


@dataclass(frozen=True)
class SearchOutcome:
    """What was tried, in the order of the draws, and which was chosen."""

    trials: tuple[Trial, ...]
    """Every draw with its scores."""
    best: int
    """The place of the chosen one."""
    settings: FitSettings
    """With its learning rate and batch size."""


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
    (`scored`), of several with the same one the first. One whose predictions leave the entropy
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
        candidate = replace(lesson, unseen=(), settings=settings[number])
        try:
            fitted = trainer.fit(candidate, checkpoints=trials, progress=counted)
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
    lessons = []
    for number in range(space.draws):
        rng = np.random.default_rng((lesson.seed, number))
        rate = 10 ** rng.uniform(*space.rate_exponents)
        batch = min(1 << int(rng.integers(low, high + 1)), largest)
        lessons.append(replace(lesson.settings, learning_rate=float(rate), batch_size=batch))
    return lessons


def chosen(trials: Sequence[Trial]) -> int:
    """The place of the best trial: defined before undefined, then the higher mean, then the first."""
    if all(trial.scores is None for trial in trials):
        raise NothingToLearn("The loss of every trial stopped being a number. Search among lower learning rates.")
    merits = [(trial.scores is not None, not trial.collapsed, trial.mean) for trial in trials]
    return merits.index(max(merits))
