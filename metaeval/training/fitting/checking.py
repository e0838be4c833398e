"""What must be true of a lesson before anything starts. Needs no torch."""

from __future__ import annotations

from metaeval.training.applying import DoesNotApply, why_not
from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import NothingToLearn
from metaeval.training.lessons import Lesson
from metaeval.training.registry import methods


def check_lesson(lesson: Lesson) -> None:
    """Raise one sentence about the first thing with which nothing can be learnt."""
    method = methods.get(lesson.method)
    encoders.get(lesson.encoder.name).check(lesson.encoder)
    if not lesson.texts:
        raise NothingToLearn("The training set is empty. Choose a split that puts texts into it.")
    for kind, texts, judgements in (
        ("training", lesson.texts, lesson.judgements),
        ("development", lesson.dev_texts, lesson.dev_judgements),
    ):
        if judgements is not None and len(texts) != judgements.size:
            raise NothingToLearn(f"The {kind} set has {len(texts)} texts, but judgements of {judgements.size}.")
    if why := why_not(method, lesson.judgements):
        raise DoesNotApply(why, method=lesson.method)
    for text in (*lesson.texts, *lesson.dev_texts, *lesson.unseen):
        if not text:
            raise NothingToLearn("A text has no segments. Remove it, or give it at least one.")
    _check_settings(lesson)


def _check_settings(lesson: Lesson) -> None:
    settings = lesson.settings
    rules = (
        ("batch_size", settings.batch_size, settings.batch_size >= 1, "at least 1"),
        ("epochs", settings.epochs, settings.epochs >= 1, "at least 1"),
        ("warmup", settings.warmup, 0 <= settings.warmup <= 1, "between 0 and 1"),
        ("clip", settings.clip, settings.clip > 0, "above 0"),
        ("per_epoch", settings.per_epoch, settings.per_epoch is None or settings.per_epoch >= 1, "at least 1"),
        (
            "learning_rate",
            settings.learning_rate,
            settings.learning_rate is None or settings.learning_rate > 0,
            "above 0",
        ),
        ("seed", lesson.seed, lesson.seed >= 0, "at least 0"),
    )
    for name, value, holds, rule in rules:
        if not holds:
            raise NothingToLearn(f"{name} is {value}; it must be {rule}.", field=name)
