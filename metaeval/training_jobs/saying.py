"""Trainings in sentences, for the page and the command alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metaeval.training_jobs.models import Training, TrainingJob

MINUTE, HOUR, DAY = 60, 3600, 86400


def forecast_in_words(training: Training) -> str:
    """What the training will take, once it has been measured; empty before.

    It tells the work of one fit after another: several at once take less time and more memory.
    """
    said: dict[str, Any] = training.forecast or {}
    if not said:
        return ""
    sentences = [
        f"{said['fits']:,} fits of {_counted(len(training.methods), 'method')} take about {duration(said['seconds'])}, "
        f"one after another, and each up to {gigabytes(said['peak_bytes'])} of memory "
        f"({gigabytes(said['free_bytes'])} are free)."
        if said["fits"] > 1
        else f"One fit takes about {duration(said['seconds'])} and up to {gigabytes(said['peak_bytes'])} of memory "
        f"({gigabytes(said['free_bytes'])} are free)."
    ]
    if said["trained"] < said["parameters"]:
        sentences.append(f"{said['trained']:,} of the model's {said['parameters']:,} weights are trained.")
    if said["cut"]:
        sentences.append(
            f"{said['cut']:,} of {_counted(said['texts'], 'text')} {'is' if said['cut'] == 1 else 'are'} longer than "
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


@dataclass(frozen=True)
class TrainingOutcome:
    """What came of a training that has finished: how many systems, in how many seconds of work."""

    systems: int
    seconds: float


def outcome_of(training: Training) -> TrainingOutcome:
    """Add up the epochs of all its fits, in one query."""
    seconds = sum(
        sum(epoch["seconds"] for epoch in job.found().get("epochs", ()))
        for job in training.jobs.defer("outputs").filter(kind=TrainingJob.Piece.FIT)
    )
    return TrainingOutcome(systems=len(training.methods) * training.parameters["runs"], seconds=seconds)


def outcome_in_words(training: Training) -> str:
    """How a training that has finished ended."""
    outcome = outcome_of(training)
    return (
        f"{_counted(outcome.systems, 'system')} of the model {training.model} "
        f"{'was' if outcome.systems == 1 else 'were'} trained in "
        f"{duration(outcome.seconds)} of work: "
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
