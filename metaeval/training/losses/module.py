"""What all losses share: a batch and its check, the task, and probabilities computed without losing digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import torch
from torch.nn import functional

from annotations.ground.errors import HLVError
from metaeval.checking import checked_choice
from metaeval.training.judgements import TrainedTask


@dataclass(frozen=True)
class Batch:
    """B examples with R rows of targets (`metaeval.training.targets.Targets`)."""

    value: torch.Tensor
    """(R, K), what is to be predicted."""
    example: torch.Tensor
    """(R,) int64, the example of each row, 0 to B - 1, ascending."""
    head: torch.Tensor
    """(R,) int64, which head is to predict it."""
    weight: torch.Tensor
    """(B,) by which an example's loss is multiplied."""

    @property
    def size(self) -> int:
        return len(self.weight)


class WrongBatch(HLVError, ValueError):
    """A loss was given a batch without a value, or tensors whose shapes do not fit each other."""


class LossModule(torch.nn.Module):
    """A loss for tasks with one label per text ("multiclass") or any number of them ("multilabel").

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.
    """

    def __init__(self, task: TrainedTask) -> None:
        super().__init__()
        checked_choice("task", task, get_args(TrainedTask))
        self.task = task

    def extra_repr(self) -> str:
        return f"task={self.task!r}"


def checked(logits: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and target in one dtype, at least float32, if there is anything in them and their shapes are the same."""
    if len(logits) == 0:
        raise WrongBatch("The batch is empty, and the mean of no losses has no value. Leave empty batches out.")
    if logits.shape != target.shape:
        raise WrongBatch(
            f"The logits have the shape {tuple(logits.shape)} and the targets {tuple(target.shape)}. "
            "Give one row for each example, with one column for each label, in both."
        )
    wide = at_least_single(logits)
    return wide, target.to(wide.dtype)


def at_least_single(logits: torch.Tensor) -> torch.Tensor:
    """Half precision becomes float32; float64 stays."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def probabilities(logits: torch.Tensor, task: TrainedTask) -> torch.Tensor:
    """(B, K) q: the softmax of each row; multilabel: the logistic function of each logit."""
    return torch.sigmoid(logits) if task == "multilabel" else torch.softmax(logits, dim=-1)


def log_outcomes(logits: torch.Tensor, task: TrainedTask) -> torch.Tensor:
    """The logarithms of the probabilities of what can happen, finite also where a probability is too small for its
    dtype: (B, K), one of K labels; multilabel: (B, K, 2), each label is given or is not.
    """
    if task == "multilabel":
        return torch.stack((functional.logsigmoid(logits), functional.logsigmoid(-logits)), dim=-1)
    return functional.log_softmax(logits, dim=-1)


def outcomes(target: torch.Tensor, task: TrainedTask) -> torch.Tensor:
    """The target's probabilities in the shape of `log_outcomes`."""
    return torch.stack((target, 1 - target), dim=-1) if task == "multilabel" else target


def cross_entropies(logits: torch.Tensor, target: torch.Tensor, task: TrainedTask) -> torch.Tensor:
    """(B,) the cross-entropy of each row in nats; multilabel: the sum of the K binary ones."""
    wide, p = checked(logits, target)
    return -(outcomes(p, task) * log_outcomes(wide, task)).flatten(start_dim=1).sum(dim=1)
