"""The Jensen-Shannon divergence of shares and prediction."""

from __future__ import annotations

import math

import torch

from .module import LossModule, checked, log_outcomes, outcomes

LOG_2 = math.log(2.0)


class JensenShannon(LossModule):
    """Mean Jensen-Shannon divergence (not its square root) of the human and the predicted distribution, in bits.

    Parameters
    ----------
    task : {'multiclass', 'multilabel'}
        Whether q is the softmax of a row of logits or the logistic function of each of them.

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
        wide, shares = checked(logits, target)
        p, log_q = outcomes(shares, self.task), log_outcomes(wide, self.task)
        log_m = torch.logaddexp(p.log(), log_q) - LOG_2
        log_p = torch.where(p > 0, p, 1.0).log()  # where p is 0, its term is 0
        cells = (p * (log_p - log_m) + log_q.exp() * (log_q - log_m)) / (2 * LOG_2)
        return cells.sum() / (wide.numel() if self.task == "multilabel" else len(wide))
