"""The cross-entropy of targets that may be labels or shares: repeated labelling, majority vote, annotator ranking,
ambiguous labelling, soft labels.
"""

from __future__ import annotations

import torch

from .module import LossModule, WrongBatch, at_least_single, cross_entropies


class CrossEntropy(LossModule):
    """Mean cross-entropy of the prediction relative to the target, in nats.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.

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
