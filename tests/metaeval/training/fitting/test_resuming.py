"""A fit that was interrupted ends with the digits of one that was not."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metaeval.training.lessons import Fitted, Lesson, trainers
from tests.metaeval.training.file_checkpoints import FileCheckpoints
from tests.metaeval.training.needing import needs_training
from tests.metaeval.training.taught import Kept, lesson

pytestmark = [needs_training, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[4]
KILLED = """
import os, signal, sys
from pathlib import Path
from tests.metaeval.training.file_checkpoints import FileCheckpoints
from metaeval.training.lessons import trainers
from tests.metaeval.training.taught import lesson

def kill(done, total, message=""):
    if message == "Epoch 3 of 4":
        os.kill(os.getpid(), signal.SIGKILL)

trainers.get("torch").fit(lesson(), checkpoints=FileCheckpoints(Path(sys.argv[1])), progress=kill)
"""


def same(found: Fitted, expected: Fitted) -> None:
    np.testing.assert_array_equal(found.logits, expected.logits)
    np.testing.assert_array_equal(found.dev_logits, expected.dev_logits)
    assert [(epoch.loss, epoch.dev_loss) for epoch in found.epochs] == [
        (epoch.loss, epoch.dev_loss) for epoch in expected.epochs
    ]


def interrupted(taught: Lesson, kept: Kept, step: int) -> None:
    def stop(done: int, total: int, message: str = "") -> None:
        if done == step:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        trainers.get("torch").fit(taught, checkpoints=kept, progress=stop)


@pytest.mark.parametrize("step", [2, 3, 7, 11, 12])
def test_a_fit_that_was_interrupted_at_any_step_ends_with_the_same_digits(step: int) -> None:
    taught, kept, trainer = lesson("AE"), Kept(), trainers.get("torch")
    interrupted(taught, kept, step)
    assert len(kept.states) == step // 3
    seen = []
    resumed = trainer.fit(taught, checkpoints=kept, progress=lambda done, total, message="": seen.append(done))
    same(resumed, trainer.fit(taught))
    assert seen[0] == step - step % 3


def test_a_process_that_was_killed_goes_on_in_another(tmp_path: Path) -> None:
    path = tmp_path / "state"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    seen = []
    resumed = trainers.get("torch").fit(
        lesson(),
        checkpoints=FileCheckpoints(path),
        progress=lambda done, total, message="": seen.append(message),
    )
    assert seen[0] == "Epoch 3 of 4"
    same(resumed, trainers.get("torch").fit(lesson()))


@pytest.mark.parametrize("change", [{"seed": 1}, {"method": "MV"}, {"texts": [("new",)] * 24}])
def test_the_state_of_another_lesson_is_not_used(change: dict) -> None:
    kept, trainer = Kept(), trainers.get("torch")
    interrupted(lesson(), kept, 7)
    other = replace(lesson(), **change)
    same(trainer.fit(other, checkpoints=kept), trainer.fit(other))


@pytest.mark.parametrize("broken", [b"", b"no state at all", lambda state: state[:-8], lambda state: state[:20]])
def test_a_broken_state_is_not_used(broken) -> None:
    kept, trainer = Kept(), trainers.get("torch")
    interrupted(lesson(), kept, 7)
    kept.keep(broken(kept.states[-1]) if callable(broken) else broken)
    same(trainer.fit(lesson(), checkpoints=kept), trainer.fit(lesson()))
