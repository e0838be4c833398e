"""One fit: epochs of steps, a checkpoint after each, predictions at the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import torch

from annotations.ground.arrays import Codes
from annotations.ground.progress import Progress
from metaeval.training.encoders.reading.memory import peak_bytes
from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import TrainingDiverged
from metaeval.training.extra import versions
from metaeval.training.fingerprints import lesson_fingerprint
from metaeval.training.fitting.needs import check_memory
from metaeval.training.fitting.order import order_of
from metaeval.training.fitting.predicting import dev_loss, predicted
from metaeval.training.fitting.preparing import PreparedFit, drawn_seed, prepared, torch_kept
from metaeval.training.fitting.state import restore, state_bytes
from metaeval.training.lessons import NOT_KEPT, Checkpoints, Epoch, Fitted, Lesson


def fit(lesson: Lesson, *, checkpoints: Checkpoints, progress: Progress) -> Fitted:
    """Train and predict, as `metaeval.training.lessons.Trainer` promises."""
    with torch_kept(lesson):
        ready = prepared(lesson)
        check_memory(ready)
        if ready.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(ready.device)
        encoder_sha256 = encoders.get(lesson.encoder.name).fingerprint(lesson.encoder)
        computed_by = versions()
        name = lesson_fingerprint(lesson, encoder=encoder_sha256, versions=computed_by, device=ready.device.type)
        epochs = restore(checkpoints.latest(), ready.model, ready.optimizer, lesson=name)
        dev_logits = None
        for epoch in range(len(epochs), lesson.settings.epochs):
            start = time.perf_counter()
            loss = _epoch(ready, epoch, progress)
            dev_logits = predicted(ready, ready.dev)
            epochs.append(Epoch(loss, dev_loss(ready, dev_logits), time.perf_counter() - start))
            if checkpoints is not NOT_KEPT and ready.accelerator.is_main_process:
                checkpoints.keep(state_bytes(ready.model, ready.optimizer, epochs, lesson=name))
        progress(ready.steps, ready.steps, "Predicting")
        total, trained = ready.model.parameter_counts
        return Fitted(
            logits=predicted(ready, ready.unseen),
            dev_logits=predicted(ready, ready.dev) if dev_logits is None else dev_logits,
            heads=ready.targets.heads,
            epochs=tuple(epochs),
            learning_rate=ready.learning_rate,
            parameters=total,
            trained=trained,
            cut=ready.cut,
            peak_bytes=peak_bytes(ready.device),
            versions=computed_by,
            device=ready.device.type,
            max_tokens=ready.model.reader.max_tokens,
            threads=torch.get_num_threads(),
            encoder_sha256=encoder_sha256,
        )


def _epoch(ready: PreparedFit, epoch: int, progress: Progress) -> float:
    """Read the examples of an epoch; returns their mean loss."""
    settings, accelerator = ready.lesson.settings, ready.accelerator
    # Anew for every epoch, so that a fit that goes on after one draws what it would have drawn.
    torch.manual_seed(drawn_seed(ready.lesson.seed, "dropout", epoch, accelerator.process_index))
    order = order_of(ready.targets, seed=ready.lesson.seed, epoch=epoch, most=settings.per_epoch)
    rate = schedule(ready.steps, settings.warmup)
    step = epoch * -(-len(order) // settings.batch_size)
    total = torch.zeros((), device=ready.device)
    ready.wrapped.train()
    for start in range(0, len(order), settings.batch_size):
        progress(step, ready.steps, f"Epoch {epoch + 1} of {settings.epochs}")
        examples = order[start : start + settings.batch_size]
        for group in ready.optimizer.param_groups:
            group["lr"] = ready.learning_rate * rate(step)
        total += train_step(ready, examples) * len(examples)
        step += 1
    if accelerator.num_processes > 1:
        total = accelerator.reduce(total, "sum")
    loss = float(total) / len(order)
    if not math.isfinite(loss):
        raise TrainingDiverged(
            f"The loss is no longer a number in epoch {epoch + 1}. Choose a lower learning rate than "
            f"{ready.learning_rate:g}."
        )
    return loss


def train_step(ready: PreparedFit, examples: Codes) -> torch.Tensor:
    """One step of the optimiser. Returns this process's part of the mean loss of the examples.

    Each of several processes reads a part of the batch. What they average is weighted, so that it is the whole batch's
    gradient; only for a loss that is a ratio over the batch, the parts are batches of their own.
    """
    accelerator = ready.accelerator
    processes, process = accelerator.num_processes, accelerator.process_index
    own = examples[process::processes]
    share = len(own) / len(examples)
    if not len(own):  # all processes must take part in every step
        own = examples[:1]
    inputs = ready.texts.batch(ready.targets.instance[own])
    logits = ready.wrapped(**{name: tensor.to(ready.device) for name, tensor in inputs.items()}).float()
    loss = ready.loss(logits, ready.rows.batch(own, ready.device))
    accelerator.backward(loss if processes == 1 else loss * (share * processes))
    accelerator.clip_grad_norm_(ready.trained, ready.lesson.settings.clip)
    ready.optimizer.step()
    ready.optimizer.zero_grad()
    return loss.detach() * share


def schedule(steps: int, warmup: float) -> Callable[[int], float]:
    """The share of the highest learning rate at each step: it rises from 0 within the first steps, then falls to 0.

    >>> rate = schedule(10, 0.2)
    >>> [rate(step) for step in range(10)]
    [0.0, 0.5, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    """
    rising = int(steps * warmup)

    def rate(step: int) -> float:
        if step < rising:
            return step / rising
        return (steps - step) / (steps - rising)

    return rate
