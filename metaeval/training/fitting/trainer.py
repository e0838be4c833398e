"""The trainer of models. This file needs no torch, so that it can say what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from annotations.progress import Progress, silent
from metaeval.training.errors import NotEnoughMemory, is_out_of_memory
from metaeval.training.extra import refuse_without_extra
from metaeval.training.fitting.checking import check_lesson
from metaeval.training.lessons import NOT_KEPT, Checkpoints, Fitted, Forecast, Lesson, trainers


class TorchTrainer:
    """AdamW on torch, on whatever devices accelerate finds."""

    def fit(self, lesson: Lesson, *, checkpoints: Checkpoints = NOT_KEPT, progress: Progress = silent) -> Fitted:
        require(lesson)
        from metaeval.training.fitting.fit import fit

        with memory_errors():
            return fit(lesson, checkpoints=checkpoints, progress=progress)

    def forecast(self, lesson: Lesson) -> Forecast:
        require(lesson)
        from metaeval.training.fitting.forecasting import forecast

        with memory_errors():
            return forecast(lesson)


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
