"""What a fit will take, from a few measured steps."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from metaeval.training.fitting.fit import order_of, predicted_batch, train_step
from metaeval.training.fitting.needs import check_memory
from metaeval.training.fitting.preparing import PreparedFit, prepared, torch_kept
from metaeval.training.lessons import FitForecast, Lesson

MEASURED_STEPS = 5
MEASURED_EXAMPLES = 32
"""A step of more is taken to last as many times longer."""


def forecast(lesson: Lesson) -> FitForecast:
    """Make the model, take a few steps with it, and throw it away. Raises `NotEnoughMemory` if it will not fit."""
    with torch_kept(lesson):
        start = time.perf_counter()
        ready = prepared(lesson)
        needed, free = check_memory(ready)
        making = time.perf_counter() - start
        total, trained = ready.model.parameter_counts
        return FitForecast(
            seconds=making + training_seconds(ready) + predicting_seconds(ready),
            peak_bytes=needed,
            free_bytes=free,
            parameters=total,
            trained=trained,
            cut=ready.cut,
            device=ready.device.type,
            max_tokens=ready.model.reader.max_tokens,
        )


def training_seconds(ready: PreparedFit) -> float:
    """All steps, each of which lasts as long as the median of a few."""
    settings = ready.lesson.settings
    order = order_of(ready.targets, seed=ready.lesson.seed, epoch=0, most=settings.per_epoch)
    size = min(settings.batch_size, MEASURED_EXAMPLES, len(order))
    steps = iter(np.resize(order, (MEASURED_STEPS + 1, size)))
    ready.wrapped.train()

    def step() -> None:
        float(train_step(ready, next(steps)))  # waits for the device

    examples = settings.epochs * len(order)
    return median_seconds(step) * examples / size


def predicting_seconds(ready: PreparedFit) -> float:
    """The unseen texts once, and the development set after every epoch."""
    texts = len(ready.unseen.lengths) + ready.lesson.settings.epochs * len(ready.dev.lengths)
    if not texts:
        return 0.0
    rows = np.resize(np.arange(len(ready.texts.lengths)), MEASURED_EXAMPLES)
    ready.wrapped.eval()
    return median_seconds(lambda: predicted_batch(ready, ready.texts, rows).cpu()) * texts / len(rows)


def median_seconds(run: Callable[[], object]) -> float:
    """Of a few calls, after a first one that is not counted."""
    run()
    times = []
    for _ in range(MEASURED_STEPS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
