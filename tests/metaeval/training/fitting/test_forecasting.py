"""A forecast tells what a fit will take, and changes nothing."""

from __future__ import annotations

import itertools
import time

import pytest

from metaeval.training.lessons import EncoderChoice, FitSettings, trainers
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import lesson

torch = Imported("torch")

pytestmark = needs_training


def test_it_says_what_the_fit_then_has() -> None:
    taught = lesson(
        "AE",
        texts=[("good " * 40,)] * 24,
        unseen=[("good",)] * 7,
        dev_texts=[("good",)] * 6,
        encoder=EncoderChoice(max_tokens=16),
    )
    forecast, fitted = trainers.get("torch").forecast(taught), trainers.get("torch").fit(taught)
    for name in ("parameters", "trained", "cut", "max_tokens", "device"):
        assert getattr(forecast, name) == getattr(fitted, name)
    assert forecast.cut == 24
    assert forecast.peak_bytes <= forecast.free_bytes


def test_its_time_is_that_of_all_steps_and_all_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    # A clock on which all that is measured lasts a second.
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    making = 1
    training = 40 * 24 / 4
    predicting = (7 + 40 * 6) / 32
    seconds = trainers.get("torch").forecast(lesson(settings=FitSettings(batch_size=4, epochs=40))).seconds
    assert seconds == pytest.approx(making + training + predicting)


def test_a_batch_too_large_to_be_measured_is_taken_to_last_as_many_times_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    taught = lesson("ReL", settings=FitSettings(batch_size=64, epochs=1), unseen=[], dev_texts=[], dev_judgements=None)
    assert trainers.get("torch").forecast(taught).seconds == pytest.approx(1 + 96 / 32)


@pytest.mark.parametrize("encoder", ["small", "tfidf"])
def test_a_forecast_changes_no_later_fit(encoder: str) -> None:
    taught = lesson(encoder=EncoderChoice(encoder))
    before = trainers.get("torch").fit(taught)
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    trainers.get("torch").forecast(taught)
    assert torch.rand(1) == expected
    assert (trainers.get("torch").fit(taught).logits == before.logits).all()


def test_what_a_gradient_keeps_is_counted_for_the_longest_texts() -> None:
    from metaeval.training.fitting.needs import kept_bytes
    from metaeval.training.fitting.preparing import prepared

    short = kept_bytes(prepared(lesson(texts=[("good",)] * 24)))
    long = kept_bytes(prepared(lesson(texts=[*[("good",)] * 22, *[("good " * 30,)] * 2])))
    assert 5 < long / short < 40
