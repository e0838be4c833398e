"""The cross-entropy of several output layers on one encoder, each with targets of its own."""

from __future__ import annotations

import torch

from .module import LossModule, cross_entropies


class EnsembleCrossEntropy(LossModule):
    """Mean cross-entropy over the pairs of an example and a head that have a target, in nats.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.

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
