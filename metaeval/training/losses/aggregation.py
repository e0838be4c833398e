"""One loss per annotation, and of these the smallest, the largest, or the mean for each example."""

from __future__ import annotations

from typing import Literal, get_args

import torch

from metaeval.checking import checked_choice
from metaeval.training.judgements import TrainedTask

from .module import LossModule, WrongBatch, cross_entropies

Aggregate = Literal["min", "max", "mean"]


class LossAggregation(LossModule):
    """Mean over examples of the smallest, the largest, or the mean cross-entropy of their annotations, in nats.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.
    how : {'min', 'max', 'mean'}, default 'min'
        What is taken of an example's losses. The mean over all annotations is the cross-entropy of their shares.

    Notes
    -----
    Formula: (1/B) sum_b min_j CE(y_bj, q_b), or max_j, or (1/J_b) sum_j. Multilabel: the K binary cross-entropies of
    an annotation are added up first.
    The value is at least 0; it has no upper limit. It is undefined (`WrongBatch`) for an empty batch and for an example
    without an annotation. Annotations that tie share the gradient.
    Source: Kurniawan et al. 2026, section 4.

    Examples
    --------
    >>> import torch
    >>> logits = torch.log(torch.tensor([[0.25, 0.75]]))
    >>> both = torch.eye(2), torch.tensor([0, 0])
    >>> [round(LossAggregation("multiclass", how)(logits, *both).item(), 4) for how in ("min", "max", "mean")]
    [0.2877, 1.3863, 0.837]
    """

    def __init__(self, task: TrainedTask, how: Aggregate = "min") -> None:
        super().__init__(task)
        checked_choice("how", how, get_args(Aggregate))
        self.how = how

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, how={self.how!r}"

    def forward(self, logits: torch.Tensor, target: torch.Tensor, example: torch.Tensor) -> torch.Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : Tensor, shape (B, K)
            Any floating dtype; half precision is computed in float32.
        target : Tensor, shape (R, K)
            y: one row for each annotation, 1 for each label that was given, else 0.
        example : Tensor, shape (R,)
            int64: the example of each annotation, 0 to B - 1.

        Returns
        -------
        Tensor, shape ()
            float32, or float64 if the logits are.
        """
        rows = torch.bincount(example, minlength=len(logits))
        if len(rows) > len(logits) or not bool(rows.all()):
            raise WrongBatch(
                f"Not each of the {len(logits)} examples has an annotation. Leave those without any out, and number "
                "the others from 0."
            )
        losses = cross_entropies(logits[example], target, self.task)
        if self.how == "mean":
            return losses.new_zeros(len(logits)).index_add(0, example, losses).div(rows).mean()
        reduce = "amin" if self.how == "min" else "amax"
        taken = losses.new_zeros(len(logits)).scatter_reduce(0, example, losses, reduce, include_self=False)
        return taken.mean()
