"""Maximum likelihood of the models of Bradley and Terry and of Davidson, by Newton's method, for a batch of tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Mask, Matrix

ITERATIONS = 200
LONGEST_STEP = 2.0


@dataclass(frozen=True)
class Fit:
    """B fits: log_strengths (B, K) summing to 0, log_nu (B,), covariance (B, K + 1, K + 1), log_likelihood (B,)."""

    log_strengths: Matrix
    log_nu: Matrix
    covariance: Matrix
    log_likelihood: Matrix


def fit(wins: Matrix, ties: Matrix) -> Fit:
    """The maximum of the likelihood, which must exist; wins and ties are (B, K, K). Without ties log_nu is -inf.

    The log-likelihood is concave in (log-strengths, log nu); a Newton step is shortened until it rises.
    """
    count, k = wins.shape[:2]
    tied: Mask = np.logical_or.reduce(ties > 0, axis=(1, 2))
    theta = np.zeros((count, k + 1))
    theta[~tied, k] = -np.inf
    height = _log_likelihood(theta, wins, ties)
    active = np.ones(count, dtype=bool)
    for _ in range(ITERATIONS):
        now = np.flatnonzero(active)
        gradient, information = _derivatives(theta[now], wins[now], ties[now])
        step = np.linalg.solve(_anchored(information, tied[now]), gradient[:, :, None])[:, :, 0]
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        for _ in range(40):
            raised = _log_likelihood(theta[now] + step, wins[now], ties[now])
            falls = raised < height[now] - 1e-12 * (1 + np.abs(height[now]))
            if not falls.any():
                break
            step[falls] /= 2
        theta[now] += step
        height[now] = raised
        active[now] = np.abs(step).max(axis=1) > 1e-13 * (1 + np.abs(theta[now, :k]).max(axis=1))
        if not active.any():
            break
    theta[:, :k] -= theta[:, :k].mean(axis=1, keepdims=True)
    _, information = _derivatives(theta, wins, ties)
    covariance: Matrix = np.linalg.inv(_anchored(information, tied)).astype(np.float64)
    covariance[:, :k, :k] -= 1 / k  # which the anchor along (1, ..., 1) added
    return Fit(theta[:, :k], theta[:, k], covariance, height)


def _shares(theta: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """P(i beats j), P(tie) and the logarithm of their common denominator, relative to exp(t_j): (B, K, K)."""
    t, log_nu = theta[:, :-1], theta[:, -1]
    difference = t[:, :, None] - t[:, None, :]
    middle = difference / 2 + log_nu[:, None, None]
    largest = np.maximum(np.maximum(difference, 0.0), middle)
    win, loss, tie = np.exp(difference - largest), np.exp(-largest), np.exp(middle - largest)
    total = win + loss + tie
    return win / total, tie / total, largest + np.log(total)


def _log_likelihood(theta: Matrix, wins: Matrix, ties: Matrix) -> Matrix:
    t, log_nu = theta[:, :-1], theta[:, -1]
    difference = t[:, :, None] - t[:, None, :]
    _, _, log_total = _shares(theta)
    of_ties = ties * (np.where(ties > 0, difference / 2 + log_nu[:, None, None], 0.0) - log_total)
    answer: Matrix = (wins * (difference - log_total)).sum(axis=(1, 2)) + of_ties.sum(axis=(1, 2)) / 2
    return answer


def _derivatives(theta: Matrix, wins: Matrix, ties: Matrix) -> tuple[Matrix, Matrix]:
    """Gradient (B, K + 1) and observed information (B, K + 1, K + 1)."""
    k = wins.shape[1]
    win, tie, _ = _shares(theta)
    n = wins + wins.swapaxes(1, 2) + ties
    expected = n * (win + tie / 2)
    gradient = np.zeros(theta.shape)
    gradient[:, :k] = (wins + ties / 2 - expected).sum(axis=2)
    gradient[:, k] = (ties - n * tie).sum(axis=(1, 2)) / 2
    loss = win.swapaxes(1, 2)
    # the score of i against j is 1, 1/2 or 0; its variance, and its covariance with "it is a tie"
    half = win + tie / 2
    variance = n * (win + tie / 4 - half**2)
    information = np.zeros((len(wins), k + 1, k + 1))
    information[:, :k, :k] = -variance
    diagonal = np.arange(k)
    information[:, diagonal, diagonal] = variance.sum(axis=2) - variance[:, diagonal, diagonal]
    crossed = (n * tie * (loss - win) / 2).sum(axis=2)
    information[:, :k, k] = information[:, k, :k] = crossed
    information[:, k, k] = (n * tie * (1 - tie)).sum(axis=(1, 2)) / 2
    return gradient, information


def _anchored(information: Matrix, tied: Mask) -> Matrix:
    """The information made invertible: the sum of log-strengths is pinned to 0, and so is log nu if nothing tied."""
    k = information.shape[1] - 1
    answer = information.copy()
    answer[:, :k, :k] += 1 / k
    answer[~tied, k, k] = 1.0
    return answer
