"""Losses of the shares of annotators who gave each label: the Jensen-Shannon divergence, and one minus the soft F1.

The soft F1s are ratios over the batch: its size changes what is learnt.
"""

from __future__ import annotations

import math

import torch

from .module import LossModule, checked, log_outcomes, outcomes, probabilities

LOG_2 = math.log(2.0)


class ShareLoss(LossModule):
    """A loss of one prediction for each example."""

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
        return self.of(*checked(logits, target))

    def of(self, logits: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """The loss of logits and shares that were checked."""
        raise NotImplementedError


class JensenShannon(ShareLoss):
    """Mean Jensen-Shannon divergence (not its square root) of the human and the predicted distribution, in bits.

    Notes
    -----
    Formula: (1/B) sum_b JSD(p_b, q_b), with JSD(p, q) = [KL(p, m) + KL(q, m)] / 2, m = (p + q) / 2 and logarithms of
    base 2; multilabel: (1/BK) sum_bk JSD([p_bk, 1 - p_bk], [q_bk, 1 - q_bk]), the mean over labels as well.
    The value is in [0, 1] (up to rounding), and 1 minus it is `metaeval.metrics.po_jsd`. It is defined for every batch
    but an empty one (`WrongBatch`). All is computed from log q, so that neither value nor gradient is lost where q is
    too small for its dtype.
    Source: Kurniawan et al. 2026, sections 3.3 and 4.

    Examples
    --------
    >>> import torch
    >>> loss = JensenShannon("multiclass")
    >>> loss(torch.tensor([[9e3, 0.0], [0.0, 0.0]]), torch.tensor([[0.0, 1.0], [0.5, 0.5]])).item()
    0.5
    """

    def of(self, logits: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        size = logits.numel() if self.task == "multilabel" else len(logits)
        p, log_q = outcomes(p, self.task), log_outcomes(logits, self.task)
        log_m = torch.logaddexp(p.log(), log_q) - LOG_2
        log_p = torch.where(p > 0, p, 1.0).log()  # where p is 0, its term is 0
        cells = (p * (log_p - log_m) + log_q.exp() * (log_q - log_m)) / (2 * LOG_2)
        return cells.sum() / size


class SoftMicroF1(ShareLoss):
    """One minus the soft micro F1 of the batch.

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

    def of(self, logits: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        q = probabilities(logits, self.task)
        return 1 - _soft_f1(_overlap(p, q).sum(), (p + q).sum())


class SoftMacroF1(ShareLoss):
    """One minus the mean over labels of their soft F1 in the batch.

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

    def of(self, logits: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        q = probabilities(logits, self.task)
        return 1 - _soft_f1(_overlap(p, q).sum(dim=0), (p + q).sum(dim=0)).mean()


def _overlap(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """min(p, q). torch.minimum would give half of the gradient to q where both are 0, and dividing that by a mass
    that is nearly 0 overflows.
    """
    return torch.where(q < p, q, p)


def _soft_f1(overlap: torch.Tensor, mass: torch.Tensor) -> torch.Tensor:
    """2 overlap / mass, and 1 without any mass; no gradient flows through what was not divided."""
    is_defined = mass > 0
    return torch.where(is_defined, 2 * overlap / torch.where(is_defined, mass, 1.0), 1.0)
