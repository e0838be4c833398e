"""Targets as a batch of tensors. Needs torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import methods
from metaeval.training.targets import Targets
from tests.metaeval.training.needing import Imported

torch = Imported("torch")
losses = Imported("metaeval.training.losses")


def batch_of(targets: Targets, dtype: Any = None) -> Any:
    """One batch of a whole epoch: each example as often as it occurs."""
    examples = np.repeat(np.arange(len(targets)), targets.times)
    rows = [np.flatnonzero(targets.example == example) for example in examples]
    found = np.concatenate(rows)
    dtype = dtype or torch.float64
    return losses.Batch(
        value=torch.tensor(targets.value[found], dtype=dtype),
        example=torch.tensor(np.repeat(np.arange(len(examples)), [len(row) for row in rows])),
        head=torch.tensor(targets.head[found]),
        weight=torch.tensor(targets.weight[examples], dtype=dtype),
    )


def instances_of(targets: Targets) -> list[int]:
    """The instance of each example of `batch_of`."""
    return np.repeat(targets.instance, targets.times).tolist()


def loss_of(name: str, judgements: HumanJudgements, logits: Matrix) -> tuple[float, Matrix]:
    """A method's loss of an epoch in one batch, and its gradient, from the logits (N, H, K) of every instance."""
    entry = methods.get(name)
    targets = entry.targets(judgements)
    z = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    loss = entry.loss(judgements.task)(z[instances_of(targets)], batch_of(targets))
    loss.backward()
    assert z.grad is not None
    return loss.item(), z.grad.numpy()
