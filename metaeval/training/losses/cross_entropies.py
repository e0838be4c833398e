"""Cross-entropies of targets that may be labels or shares: of one prediction for each example (repeated labelling,
majority vote, annotator ranking, ambiguous labelling, soft labels), of one for each annotator, and of each annotation,
of which the smallest, the largest or the mean is taken.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch

from metaeval.checking import checked_choice
from metaeval.training.judgements import TrainedTask

from .module import LossModule, WrongBatch, at_least_single, cross_entropies

Aggregate = Literal["min", "max", "mean"]


class CrossEntropy(LossModule):
    """Mean cross-entropy of the prediction relative to the target, in nats.

    Notes
    -----
    Formula: (1/B) sum_b w_b CE(p_b, q_b), with CE(p, q) = -sum_k p_k log q_k; multilabel: -sum_k [p_k log q_k +
    (1 - p_k) log(1 - q_k)]. The sum is divided by the number of examples, not by the sum of the weights, as in the
    published code: twice the weights are twice the loss.
    The value is at least the (weighted) mean entropy of the targets; it has no upper limit. It is defined for every
    batch but an empty one (`WrongBatch`).
    Source: Kurniawan et al. 2026, section 4.

    Examples
    --------
    >>> import torch
    >>> loss = CrossEntropy("multiclass")
    >>> round(loss(torch.log(torch.tensor([[0.25, 0.75]])), torch.tensor([[0.5, 0.5]])).item(), 4)
    0.837
    """

    def forward(self, logits: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : Tensor, shape (B, K)
            Any floating dtype; half precision is computed in float32.
        target : Tensor, shape (B, K)
            p: labels as 0 and 1, or shares in [0, 1], whose rows sum to 1 unless the task is multilabel.
        weight : Tensor, shape (B,), optional
            By which each example's loss is multiplied.

        Returns
        -------
        Tensor, shape ()
            float32, or float64 if the logits are.
        """
        rows = cross_entropies(logits, target, self.task)
        if weight is None:
            return rows.mean()
        if weight.shape != rows.shape:
            raise WrongBatch(
                f"The weights have the shape {tuple(weight.shape)}. Give one for each of the {len(rows)} examples."
            )
        return (at_least_single(weight) * rows).mean()


class EnsembleCrossEntropy(LossModule):
    """Mean cross-entropy over the pairs of an example and a head that have a target, in nats.

    Notes
    -----
    Formula: (1/R) sum_r CE(y_r, q of head h_r for example b_r). In an annotator ensemble a head is a person, and a pair
    is observed if the person annotated the text; the others have neither loss nor gradient.
    The value is at least 0 where targets are labels; it has no upper limit. Without any pair it is undefined
    (`WrongBatch`).
    Source: Kurniawan et al. 2026, section 4.

    Examples
    --------
    One text, two people, of whom the second annotated it:

    >>> import torch
    >>> logits = torch.log(torch.tensor([[[0.5, 0.5], [0.25, 0.75]]]))
    >>> pair = torch.tensor([[1.0, 0.0]]), torch.tensor([0]), torch.tensor([1])
    >>> round(EnsembleCrossEntropy("multiclass")(logits, *pair).item(), 4)
    1.3863
    """

    def forward(
        self, logits: torch.Tensor, target: torch.Tensor, example: torch.Tensor, head: torch.Tensor
    ) -> torch.Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : Tensor, shape (B, H, K)
            Of each example and head. Any floating dtype; half precision is computed in float32.
        target : Tensor, shape (R, K)
            What is to be predicted, one row for each pair.
        example : Tensor, shape (R,)
            int64: the example of each pair, 0 to B - 1.
        head : Tensor, shape (R,)
            int64: the head of each pair, 0 to H - 1.

        Returns
        -------
        Tensor, shape ()
            float32, or float64 if the logits are.
        """
        return cross_entropies(logits[example, head], target, self.task).mean()


class LossAggregation(LossModule):
    """Mean over examples of the smallest, the largest, or the mean cross-entropy of their annotations, in nats.

    Parameters
    ----------
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
