"""One fit: epochs of steps in a drawn order, a checkpoint after each, predictions at the end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from annotations.ground.arrays import Codes, Counts, Matrix, Vector
from annotations.ground.progress import Progress
from metaeval.training.encoders.reading.memory import peak_bytes
from metaeval.training.encoders.reading.reader import Reading
from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import TrainingDiverged
from metaeval.training.extra import versions
from metaeval.training.fitting.needs import check_memory
from metaeval.training.fitting.preparing import PreparedFit, TargetRows, drawn_seed, prepared, torch_kept
from metaeval.training.lessons import NOT_KEPT, Checkpoints, Epoch, Fitted, Lesson, lesson_fingerprint
from metaeval.training.targets import Targets


def order_of(targets: Targets, *, seed: int, epoch: int, most: int | None = None) -> Codes:
    """The examples of an epoch in the order in which they are read: each as often as it occurs, or a sample of `most`.

    The order comes from the seed and the epoch alone, so that an epoch is the same whatever came before it.

    A sample takes from each instance its share of the examples, m = most x (examples of the instance) / (all examples),
    rounded down or up at random so that m is expected, and draws as many of its examples without replacement. Every
    example is then read with the same probability, most / (all examples), so that in expectation the mean gradient of
    the sample is that of all examples.
    """
    rng = np.random.default_rng((seed, epoch))
    examples = np.repeat(np.arange(len(targets)), targets.times)
    if most is not None and most < len(examples):
        examples = examples[sampled(targets.instance[examples], most, rng)]
    return rng.permutation(examples)


def sampled(instance: Codes, size: int, rng: np.random.Generator) -> Codes:
    """The places of a sample of the given size, each instance with its share of it, rounded at random."""
    _, instance = np.unique(instance, return_inverse=True)
    held = np.bincount(instance)
    # In a new order each time: otherwise neighbours would never be rounded up together.
    order = rng.permutation(len(held))
    counts = np.empty(len(held), dtype=np.int64)
    counts[order] = rounded(size * held[order].astype(np.float64) / len(instance), rng.random())
    # At random within each instance, of which the first are taken.
    mixed = np.lexsort((rng.random(len(instance)), instance))
    rank = np.arange(len(instance)) - np.repeat(np.cumsum(held) - held, held)
    taken: Codes = mixed[rank < counts[instance[mixed]]]
    return taken


def rounded(expected: Vector, start: float) -> Counts:
    """Each number rounded down or up, so that they add up to their sum: systematic sampling from `start` in [0, 1).

    With `start` uniform in [0, 1), the expectation of each is the number itself.

    >>> rounded(np.array([0.5, 1.25, 1.25]), 0.25).tolist(), rounded(np.array([0.5, 1.25, 1.25]), 0.75).tolist()
    ([0, 2, 1], [1, 1, 1])
    """
    ends = np.cumsum(expected)
    ends[-1] = round(ends[-1])  # a whole number that was added up with rounding errors
    passed = np.floor(ends + start).astype(np.int64)
    return np.diff(passed, prepend=0)


MOST_TEXTS = 128
MOST_TOKENS = 8192
"""In one batch, padding included."""


def predicted(ready: PreparedFit, texts: Reading) -> Matrix:
    """The logits of all texts, (N, H, K) float64. Processes that were launched together share the work.

    Raises `TrainingDiverged` if they are no numbers.
    """
    accelerator = ready.accelerator
    heads, labels = len(ready.targets.heads), len(ready.lesson.judgements.labels)
    logits = torch.zeros(len(texts.lengths), heads, labels, device=ready.device)
    ready.wrapped.eval()
    for number, rows in enumerate(by_length(texts.lengths)):
        if number % accelerator.num_processes == accelerator.process_index:
            logits[torch.from_numpy(rows).to(ready.device)] = predicted_batch(ready, texts, rows)
    if accelerator.num_processes > 1:
        logits = accelerator.reduce(logits, "sum")
    array: Matrix = logits.cpu().numpy().astype(np.float64)
    if not np.isfinite(array).all():
        raise TrainingDiverged(
            f"The model's predictions are no longer numbers. Choose a lower learning rate than {ready.learning_rate:g}."
        )
    return array


def predicted_batch(ready: PreparedFit, texts: Reading, rows: Codes) -> torch.Tensor:
    """The logits of some of the texts, with the model as it is when it predicts (`eval`)."""
    batch = {name: tensor.to(ready.device) for name, tensor in texts.batch(rows).items()}
    with torch.no_grad():
        # Around the parallel wrapper, which would wait for the other processes.
        logits: torch.Tensor = ready.model(**batch)
    return logits.float()


def by_length(lengths: Counts) -> Iterator[Codes]:
    """Batches of texts of about the same length, the longest first, so that memory runs out at once if it does."""
    order = np.argsort(-lengths, kind="stable")
    while len(order):
        size = max(1, min(MOST_TEXTS, MOST_TOKENS // max(int(lengths[order[0]]), 1)))
        yield order[:size]
        order = order[size:]


def dev_loss(ready: PreparedFit, logits: Matrix) -> float | None:
    """The mean loss of the development set's examples, in batches of the lesson's size; None if there are none."""
    targets = ready.dev_targets
    if targets is None:
        return None
    rows, size = TargetRows(targets), ready.lesson.settings.batch_size
    examples = np.repeat(np.arange(len(targets)), targets.times)
    total = 0.0
    for start in range(0, len(examples), size):
        chosen = examples[start : start + size]
        output = torch.from_numpy(logits[targets.instance[chosen]].astype(np.float32))
        total += float(ready.loss(output, rows.batch(chosen, torch.device("cpu")))) * len(chosen)
    return total / len(examples)


MODEL, OPTIMIZER = "model.", "optimizer."


def state_bytes(model: torch.nn.Module, optimizer: Any, epochs: list[Epoch], *, lesson: str) -> bytes:
    """What a fit has come to: what it trains, what AdamW remembers, and the curve so far.

    Args:
        lesson: the lesson's fingerprint, which binds the state to it.
    """
    tensors = {MODEL + name: tensor for name, tensor in _changing(model).items()}
    for place, remembered in optimizer.state_dict()["state"].items():
        tensors |= {f"{OPTIMIZER}{place}.{name}": tensor for name, tensor in remembered.items()}
    header = {"lesson": lesson, "epochs": json.dumps([asdict(epoch) for epoch in epochs])}
    state: bytes = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, header)
    return state


def restore(state: bytes | None, model: torch.nn.Module, optimizer: Any, *, lesson: str) -> list[Epoch]:
    """Put a model and its optimiser into a state; returns the curve so far.

    Of no state, another lesson's, or one that cannot be read, nothing is used, and the curve is empty.
    """
    header = _header(state or b"")
    if state is None or header.get("lesson") != lesson:
        return []
    try:
        tensors = load(state)
    except SafetensorError:
        return []
    epochs = [Epoch(**epoch) for epoch in json.loads(header["epochs"])]
    changing = _changing(model)
    with torch.no_grad():
        for name, tensor in changing.items():
            tensor.copy_(tensors[MODEL + name])
    remembered: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith(OPTIMIZER):
            place, _, key = name.removeprefix(OPTIMIZER).partition(".")
            remembered.setdefault(int(place), {})[key] = tensor
    optimizer.load_state_dict({"state": remembered, "param_groups": optimizer.state_dict()["param_groups"]})
    return epochs


def _changing(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """What training changes: the parameters that are trained, and buffers that are kept."""
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    parameters = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    return trained | {name: tensor for name, tensor in model.state_dict().items() if name not in parameters}


def _header(state: bytes) -> dict[str, str]:
    """What safetensors have beside tensors: 8 bytes of length, then JSON."""
    try:
        parsed = json.loads(state[8 : 8 + int.from_bytes(state[:8], "little")])
    except ValueError:
        return {}
    beside = parsed.get("__metadata__") if isinstance(parsed, dict) else None
    return beside if isinstance(beside, dict) else {}


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
