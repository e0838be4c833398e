"""The trainer of models, in one process or several. This file needs no torch, so that it can say what is missing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from annotations.ground.progress import Progress, silent
from metaeval.training.applying import DoesNotApply, why_not
from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import NotEnoughMemory, NothingToLearn, OutOfStep, is_out_of_memory
from metaeval.training.extra import refuse_without_extra
from metaeval.training.lessons import NOT_KEPT, Checkpoints, FitForecast, Fitted, Lesson, trainers
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


def processes() -> int:
    """How many the launcher started; 1 without one. Looks at the environment only, as torch's launchers set it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def follows() -> bool:
    """Whether this process is not the first."""
    return int(os.environ.get("RANK", "0")) > 0


class KeptState:
    """Checkpoints whose newest state every process has; only the first one keeps more."""

    def __init__(self, state: bytes | None, keep: Callable[[bytes], None]) -> None:
        self._state = state
        self.keep = keep

    def latest(self) -> bytes | None:
        return self._state


def follow() -> None:
    """Take part in what the first process hands out, until it ends. To be called in all others."""
    from metaeval.training.fitting.fit import fit
    from metaeval.training.fitting.forecasting import forecast

    while True:
        act, lesson, state = _shared(None)
        if act == "end":
            return
        if act == "forecast":
            forecast(lesson)
        else:
            fit(lesson, checkpoints=KeptState(state, lambda _: None), progress=silent)


def _shared(message: Any) -> Any:
    """What the first process says, in all of them: what comes ("fit", "forecast", or the "end"), the lesson and the
    newest state.
    """
    from accelerate import PartialState
    from accelerate.utils import broadcast_object_list, parse_flag_from_env

    PartialState(cpu=parse_flag_from_env("ACCELERATE_USE_CPU"))
    return broadcast_object_list([message])[0]


class TorchTrainer:
    """AdamW on torch, on whatever devices accelerate finds."""

    def __init__(self) -> None:
        self._leads = False
        self._in_step = True

    def fit(self, lesson: Lesson, *, checkpoints: Checkpoints = NOT_KEPT, progress: Progress = silent) -> Fitted:
        require(lesson)
        from metaeval.training.fitting.fit import fit

        with self._handed_out("fit", lesson, checkpoints) as shared, memory_errors():
            return fit(lesson, checkpoints=shared, progress=progress)

    def forecast(self, lesson: Lesson) -> FitForecast:
        require(lesson)
        from metaeval.training.fitting.forecasting import forecast

        with self._handed_out("forecast", lesson, NOT_KEPT), memory_errors():
            return forecast(lesson)

    def follow(self) -> bool:
        if not follows():
            return False
        refuse_without_extra()
        follow()
        return True

    @contextmanager
    def leading(self) -> Iterator[bool]:
        if processes() == 1:
            yield False
            return
        self._leads = True
        try:
            yield True
        finally:
            self._leads = False
            if self._in_step:
                _shared(("end", None, None))

    @contextmanager
    def _handed_out(self, act: str, lesson: Lesson, checkpoints: Checkpoints) -> Iterator[Checkpoints]:
        """Have the followers do the same. If one process ends a fit early, the others wait for it in vain, so nothing
        can be handed out after that; the launcher ends them all with this process.
        """
        if not self._leads:
            yield checkpoints
            return
        if not self._in_step:
            raise OutOfStep("The processes are no longer in step, because a fit ended early. Start the command again.")
        self._in_step = False
        state = checkpoints.latest()
        _shared((act, lesson, state))
        yield KeptState(state, checkpoints.keep)
        self._in_step = True


trainers.register("torch")(TorchTrainer())


def require(lesson: Lesson) -> None:
    """Raise if what training needs is not installed, or the lesson cannot be learnt."""
    refuse_without_extra()
    check_lesson(lesson)


@contextmanager
def memory_errors() -> Iterator[None]:
    """Say what to do where memory ran out."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise NotEnoughMemory(
            "Memory ran out while the model was trained. Choose a smaller batch, fewer tokens or a smaller encoder, or "
            "train a pretrained one with LoRA, and start again."
        ) from error
