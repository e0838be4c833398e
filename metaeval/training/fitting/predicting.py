"""Logits of texts, and the loss that they would have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from annotations.ground.arrays import Codes, Counts, Matrix
from metaeval.training.encoders.reading.reader import Reading
from metaeval.training.errors import TrainingDiverged
from metaeval.training.fitting.preparing import PreparedFit
from metaeval.training.fitting.rows import TargetRows

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
    found: Matrix = logits.cpu().numpy().astype(np.float64)
    if not np.isfinite(found).all():
        raise TrainingDiverged(
            f"The model's predictions are no longer numbers. Choose a lower learning rate than {ready.learning_rate:g}."
        )
    return found


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
