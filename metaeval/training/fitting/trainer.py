"""The trainer of models. This file needs no torch, so that it can say what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from annotations.ground.progress import Progress, silent
from metaeval.training.errors import NotEnoughMemory, OutOfStep, is_out_of_memory
from metaeval.training.extra import refuse_without_extra
from metaeval.training.fitting import together
from metaeval.training.fitting.checking import check_lesson
from metaeval.training.lessons import NOT_KEPT, Checkpoints, FitForecast, Fitted, Lesson, trainers


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
        if not together.follows():
            return False
        refuse_without_extra()
        together.follow()
        return True

    @contextmanager
    def leading(self) -> Iterator[bool]:
        if together.processes() == 1:
            yield False
            return
        self._leads = True
        try:
            yield True
        finally:
            self._leads = False
            if self._in_step:
                together.hand_out("end")

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
        together.hand_out(act, lesson, state)
        yield together.KeptState(state, checkpoints.keep)
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
