"""The targets of one batch, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Batch:
    """B examples with R rows of targets (`metaeval.training.targets.Targets`).

    Attributes:
        value: (R, K), what is to be predicted.
        example: (R,) int64, the example of each row, 0 to B - 1, ascending.
        head: (R,) int64, which head is to predict it.
        weight: (B,) by which an example's loss is multiplied.
    """

    value: torch.Tensor
    example: torch.Tensor
    head: torch.Tensor
    weight: torch.Tensor

    @property
    def size(self) -> int:
        return len(self.weight)
