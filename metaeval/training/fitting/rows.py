"""Targets as tensors, batch by batch."""

from __future__ import annotations

import numpy as np
import torch

from annotations.ground.arrays import Codes
from metaeval.training.losses.batch import Batch
from metaeval.training.targets import Targets


class TargetRows:
    """The rows of targets, ready to be gathered for any examples."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._ends = np.searchsorted(targets.example, np.arange(len(targets)), side="right")
        self._starts = np.searchsorted(targets.example, np.arange(len(targets)))
        self._value = targets.value.astype(np.float32)
        self._weight = targets.weight.astype(np.float32)

    def batch(self, examples: Codes, device: torch.device) -> Batch:
        """The targets of some examples, of which the same may occur more than once."""
        counts = self._ends[examples] - self._starts[examples]
        place = np.repeat(np.arange(len(examples)), counts)
        rows = np.arange(len(place)) + np.repeat(self._starts[examples] - (np.cumsum(counts) - counts), counts)
        return Batch(
            value=torch.from_numpy(self._value[rows]).to(device),
            example=torch.from_numpy(place).to(device),
            head=torch.from_numpy(self._targets.head[rows]).to(device),
            weight=torch.from_numpy(self._weight[examples]).to(device),
        )


def for_heads(targets: Targets, heads: tuple[str, ...]) -> Targets | None:
    """The part of some targets that a model with these heads can predict, or None if there is none.

    A development set may have been judged by people whom the model has never seen.
    """
    if targets.heads == heads:
        return targets if len(targets) else None
    known = {head: place for place, head in enumerate(heads)}
    place = np.array([known.get(head, -1) for head in targets.heads], dtype=np.int64)
    kept = np.flatnonzero(place[targets.head] >= 0)
    if not len(kept):
        return None
    examples, example = np.unique(targets.example[kept], return_inverse=True)
    return Targets(
        instance=targets.instance[examples],
        example=example,
        head=place[targets.head[kept]],
        value=targets.value[kept],
        weight=targets.weight[examples],
        times=targets.times[examples],
        heads=heads,
    )
