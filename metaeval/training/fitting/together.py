"""Several processes that one launcher started fit a model together: the first leads, the others follow.

`accelerate launch ... manage.py train DATASET` starts the command once for each graphics card. Only the first reads the
database, chooses what is fitted and stores what came of it; it hands each lesson to the others, which take part in its
steps. What is in step (devices, gradients) is accelerate's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from annotations.ground.progress import silent
from metaeval.training.lessons import Lesson


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


def hand_out(act: str, lesson: Lesson | None = None, state: bytes | None = None) -> None:
    """Tell the followers what comes: "fit", "forecast", or the "end"."""
    _shared((act, lesson, state))


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
            fit(lesson, checkpoints=KeptState(state, _forget), progress=silent)


def _forget(state: bytes) -> None:
    """What a follower does with a new state."""


def _shared(message: Any) -> Any:
    """What the first process says, in all of them."""
    from accelerate import PartialState
    from accelerate.utils import broadcast_object_list, parse_flag_from_env

    PartialState(cpu=parse_flag_from_env("ACCELERATE_USE_CPU"))
    return broadcast_object_list([message])[0]
