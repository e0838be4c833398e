"""One minus the soft F1 of a batch. Both losses are ratios over the batch: its size changes what is learnt."""

from __future__ import annotations

import torch

from .module import LossModule, checked, probabilities


class SoftMicroF1(LossModule):
    """One minus the soft micro F1 of the batch.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.

    Notes
    -----
    Formula: 1 - 2 sum_bk min(p_bk, q_bk) / sum_bk (p_bk + q_bk), over all examples and labels of the batch together.
    The value is in [0, 1], and 1 minus it is `metaeval.metrics.soft_micro_f1` of the batch; for a multiclass task that
    is the soft accuracy. A batch in which neither p nor q has any mass has the F1 1 and so the loss 0, like the
    metric's default. An empty batch has none (`WrongBatch`).
    Where p = q, min has a kink: there the gradient is that of the side on which q is larger.
    Source: Kurniawan et al. 2026, sections 3.2 and 4.

    Examples
    --------
    >>> import torch
    >>> logits = torch.logit(torch.tensor([[0.8, 0.2]], dtype=torch.float64))
    >>> round(SoftMicroF1("multilabel")(logits, torch.tensor([[1.0, 0.0]])).item(), 12)
    0.2
    """

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : Tensor, shape (B, K)
            Any floating dtype; half precision is computed in float32.
        target : Tensor, shape (B, K)
            p, in [0, 1]; rows sum to 1 unless the task is multilabel.

        Returns
        -------
        Tensor, shape ()
            float32, or float64 if the logits are.
        """
        p, q = _shares(logits, target, self)
        return 1 - _soft_f1(_overlap(p, q).sum(), (p + q).sum())


class SoftMacroF1(LossModule):
    """One minus the mean over labels of their soft F1 in the batch.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.

    Notes
    -----
    Formula: 1 - (1/K) sum_k 2 sum_b min(p_bk, q_bk) / sum_b (p_bk + q_bk).
    The value is in [0, 1], and 1 minus it is `metaeval.metrics.soft_macro_f1` of the batch. A label that nobody gave in
    the batch has the F1 0 whatever is predicted, so that it adds nothing to the gradient; if its q is 0 as well (which
    in floating point it is for logits below about -100), its F1 is 1, like the metric's default. An empty batch has
    no value (`WrongBatch`).
    Where p = q, min has a kink: there the gradient is that of the side on which q is larger.
    Source: Kurniawan et al. 2026, sections 3.2 and 4.

    Examples
    --------
    >>> import torch
    >>> logits = torch.logit(torch.tensor([[0.8, 0.2]], dtype=torch.float64))
    >>> round(SoftMacroF1("multilabel")(logits, torch.tensor([[1.0, 0.0]])).item(), 12)
    0.555555555556
    """

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : Tensor, shape (B, K)
            Any floating dtype; half precision is computed in float32.
        target : Tensor, shape (B, K)
            p, in [0, 1]; rows sum to 1 unless the task is multilabel.

        Returns
        -------
        Tensor, shape ()
            float32, or float64 if the logits are.
        """
        p, q = _shares(logits, target, self)
        return 1 - _soft_f1(_overlap(p, q).sum(dim=0), (p + q).sum(dim=0)).mean()


def _shares(logits: torch.Tensor, target: torch.Tensor, loss: LossModule) -> tuple[torch.Tensor, torch.Tensor]:
    wide, p = checked(logits, target)
    return p, probabilities(wide, loss.task)


def _overlap(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """min(p, q). torch.minimum would give half of the gradient to q where both are 0, and dividing that by a mass
    that is nearly 0 overflows.
    """
    return torch.where(q < p, q, p)


def _soft_f1(overlap: torch.Tensor, mass: torch.Tensor) -> torch.Tensor:
    """2 overlap / mass, and 1 without any mass; no gradient flows through what was not divided."""
    there = mass > 0
    return torch.where(there, 2 * overlap / torch.where(there, mass, 1.0), 1.0)
