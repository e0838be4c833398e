"""What is wrong is said in a sentence before anything starts; what runs out while it runs, with a remedy."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest

from annotations.ground.registry import UnknownName
from metaeval.training.applying import DoesNotApply
from metaeval.training.errors import NotEnoughMemory, NothingToLearn, TrainingDiverged
from metaeval.training.extra import TrainingNotInstalled
from metaeval.training.lessons import EncoderChoice, FitSettings, trainers
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import judgements_of, lesson

torch = Imported("torch")

pytestmark = needs_training


@pytest.mark.parametrize("start", ["fit", "forecast"])
@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"method": "magic"}, UnknownName, "no training method 'magic'"),
        ({"encoder": EncoderChoice("magic")}, UnknownName, "no encoder 'magic'"),
        ({"texts": [], "judgements": judgements_of(0)}, NothingToLearn, "training set is empty"),
        ({"texts": [("one",)]}, NothingToLearn, "1 texts, but judgements of 24"),
        ({"dev_texts": [("one",)]}, NothingToLearn, "development set has 1 texts, but judgements of 6"),
        ({"unseen": [()]}, NothingToLearn, "has no segments"),
        ({"method": "AL", "judgements": replace(judgements_of(24), task="multilabel")}, DoesNotApply, "AL"),
        ({"judgements": replace(judgements_of(24), people=(), person=judgements_of(24).person * 0 - 1), "method": "AE"},
         DoesNotApply, "needs to know who"),
        ({"settings": FitSettings(batch_size=0)}, NothingToLearn, "batch_size is 0; it must be at least 1"),
        ({"settings": FitSettings(epochs=0)}, NothingToLearn, "epochs is 0"),
        ({"settings": FitSettings(warmup=1.5)}, NothingToLearn, "between 0 and 1"),
        ({"settings": FitSettings(clip=0)}, NothingToLearn, "clip is 0"),
        ({"settings": FitSettings(per_epoch=0)}, NothingToLearn, "per_epoch is 0"),
        ({"settings": FitSettings(learning_rate=-1.0)}, NothingToLearn, "learning_rate is -1.0"),
        ({"seed": -1}, NothingToLearn, "seed is -1"),
    ],
)  # fmt: skip
def test_a_lesson_that_cannot_be_learnt_is_refused(start, changes, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        getattr(trainers.get("torch"), start)(lesson(**changes))


def test_what_is_not_installed_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr("metaeval.training.extra.find_spec", lambda name: None if name == "torch" else there(name))
    with pytest.raises(TrainingNotInstalled, match="pip install"):
        trainers.get("torch").fit(lesson())


@pytest.mark.parametrize("start", ["fit", "forecast"])
def test_a_fit_that_needs_more_memory_than_is_free_does_not_start(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 1_000_000}))
    with pytest.raises(NotEnoughMemory, match=r"needs about .* of memory, and .* are free\. Choose a batch") as caught:
        getattr(trainers.get("torch"), start)(lesson())
    assert caught.value.data["needed"] > caught.value.data["free"] > psutil.Process().memory_info().rss / 2


@pytest.mark.parametrize(
    "error",
    [
        lambda: torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        lambda: RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes"),
        MemoryError,
    ],
)
def test_memory_that_runs_out_while_training_is_told_with_a_remedy(error: Callable[[], Exception]) -> None:
    def run_out(done: int, total: int, message: str = "") -> None:
        raise error()

    with pytest.raises(NotEnoughMemory, match="Choose a smaller batch"):
        trainers.get("torch").fit(lesson(), progress=run_out)


def test_other_errors_stay_what_they_are() -> None:
    def fail(done: int, total: int, message: str = "") -> None:
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        trainers.get("torch").fit(lesson(), progress=fail)


def test_a_loss_that_is_no_number_ends_the_fit() -> None:
    with pytest.raises(TrainingDiverged, match=r"learning rate .*1e"):
        trainers.get("torch").fit(lesson(settings=FitSettings(batch_size=8, epochs=3, learning_rate=1e38)))
