"""Strengths of systems from pairwise outcomes, for one table or a whole batch of bootstrap samples; the models of
Bradley and Terry and of Davidson by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix
from metaeval.checking import checked_above, checked_choice
from metaeval.describing import described
from metaeval.frames import DataFrame, frame_of
from metaeval.stats.results import Statistic

from .outcomes import PairwiseOutcomes, as_outcomes, davidson_exists, strongly_connected, unrankable_because

ONE_SYSTEM = "fewer than two systems"
ALL_TIES = "every comparison is a tie"

StrengthMethod = Literal["fraction", "rank_centrality", "bradley_terry", "davidson", "bradley_terry_map"]
LIKELIHOODS = frozenset[StrengthMethod]({"bradley_terry", "bradley_terry_map"})
"""Methods that leave ties out or count them as half a win for each."""
STRENGTH_METHODS: tuple[StrengthMethod, ...] = get_args(StrengthMethod)
Ties = Literal["decisive", "all", "half"]

PRIOR = 1.0
"""How many comparisons with an average system each system is assumed to have won, and lost."""

ITERATIONS = 200
LONGEST_STEP = 2.0


@described
@dataclass(frozen=True)
class Strengths(Statistic):
    """One strength per system.

    Notes
    -----
    The meaning of strengths depends on the method. 'fraction': the share of a system's comparisons that it won.
    'rank_centrality': stationary probabilities, which sum to 1. The others: log-strengths, which sum to 0.
    """

    method: StrengthMethod
    """How strengths were computed."""
    ties: Ties
    """How ties counted."""
    names: tuple[str, ...]
    """Names of the systems."""
    values: tuple[float, ...]
    """The strengths, in the order of `names`; NaN where they do not exist."""
    comparisons: int
    """How many comparisons there were."""
    covariance: Matrix | None = None
    """(K, K): Covariance of the log-strengths' estimates."""
    log_likelihood: float | None = None
    """The log-likelihood, for 'bradley_terry_map' with the prior."""
    tie_parameter: float | None = None
    tie_error: float | None = None
    """Davidson's nu, and the standard error of its logarithm."""
    reason: str = ""
    """Why there are no strengths; empty if there are."""

    def to_frame(self) -> DataFrame:
        """One row per system, by `name`."""
        rows = (
            {"name": name, "strength": value, "reason": self.reason}
            for name, value in zip(self.names, self.values, strict=True)
        )
        return frame_of(rows, index=["name"], columns=["strength", "reason"])


def strengths(
    outcomes: PairwiseOutcomes | npt.ArrayLike | Sequence[tuple[Hashable, Hashable]],
    method: StrengthMethod = "bradley_terry",
    *,
    ties: Ties = "decisive",
    prior: float = PRIOR,
) -> Strengths:
    """Strengths of systems from their pairwise outcomes.

    Parameters
    ----------
    outcomes : PairwiseOutcomes, array_like of shape (K, K), or sequence of (winner, loser)
        The outcomes, a matrix of wins (how often row i beat column j), or pairs of names. Systems of a matrix are named
        by a DataFrame's columns, or else numbered; those of pairs are sorted.
    method : {'fraction', 'rank_centrality', 'bradley_terry', 'davidson', 'bradley_terry_map'}, default 'bradley_terry'
        How strengths are computed; see Notes.
    ties : {'decisive', 'half', 'all'}, default 'decisive'
        How ties count: not at all, as half a win for each, or as comparisons without a win.
    prior : float, default 1.0
        For 'bradley_terry_map': how many comparisons with an average system each system is assumed to have won, and
        lost.

    Returns
    -------
    Strengths
        One strength per system, or NaN with a reason.

    Raises
    ------
    ValueError
        If Bradley-Terry is requested with `ties="all"`, which is meaningless there, or the prior is not above 0.

    Notes
    -----
    `ties` says how ties count: not at all (`decisive`), as half a win for each (`half`), or as comparisons without a
    win (`all`).

    - `fraction`: wins / comparisons.
    - `rank_centrality` (2017): the stationary distribution of a walk from i to j with probability a_ij / d; a_ij is the
      share of the comparisons of i and j that j won, d the largest number of opponents.
    - `bradley_terry` (1952): P(i beats j) = exp(t_i) / (exp(t_i) + exp(t_j)), by maximum likelihood.
    - `davidson` (1970): P(i beats j) = p_i / (p_i + p_j + nu sqrt(p_i p_j)), P(tie) = nu sqrt(p_i p_j) / (...), p =
      exp(t). It always uses all ties; without any, nu = 0 and it is the Bradley-Terry model.
    - `bradley_terry_map`: Bradley-Terry strengths that stay finite: each system is assumed to have won `prior`
      comparisons with an average system, and lost as many (a prior of each t, relative to the average system's,
      proportional to (e^t / (1 + e^t)^2)^prior). This pulls strengths together, most for systems with few comparisons,
      and alone orders groups that nothing connects.

    Undefined if the comparisons are disconnected or one-sided (`unrankable_because`); `fraction` only for a system
    without comparisons, `bradley_terry_map` only for fewer than two systems.

    References
    ----------
    Negahban, Oh and Shah 2017, Rank Centrality; Bradley and Terry 1952, Rank Analysis of Incomplete Block Designs;
    Davidson 1970, On Extending the Bradley-Terry Model to Accommodate Ties; Davidson and Solomon 1973, A Bayesian
    Approach to Paired Comparison Experimentation, for the prior in comparisons.

    Examples
    --------
    >>> outcomes = PairwiseOutcomes.of([[0, 3], [1, 0]], names=["a", "b"])
    >>> [round(value, 6) for value in strengths(outcomes, "bradley_terry").values]
    [0.549306, -0.549306]
    >>> [round(value, 6) for value in strengths(outcomes, "rank_centrality").values]
    [0.75, 0.25]
    """
    _check(method, ties, prior)
    outcomes = as_outcomes(outcomes)
    names, k = outcomes.names, len(outcomes.names)
    wins, tied = outcomes.wins, outcomes.ties
    reason = _undefined(names, wins, tied, method, ties)
    nothing = Strengths(method, ties, names, (math.nan,) * k, outcomes.comparisons, reason=reason)
    if reason:
        return nothing
    if method in {"fraction", "rank_centrality"}:
        values = batch(wins[None], tied[None], method, ties, prior)[0]
        return Strengths(method, ties, names, tuple(values.tolist()), outcomes.comparisons)
    maximum = fit(*_likelihood_counts(wins[None], tied[None], method, ties, prior))
    covariance = maximum.covariance[0, :k, :k]
    if method == "bradley_terry_map":
        centring = np.eye(k) - 1 / k
        covariance = centring @ covariance @ centring
    return Strengths(
        method=method,
        ties=ties,
        names=names,
        values=tuple(_of_systems(maximum.log_strengths, method)[0].tolist()),
        comparisons=outcomes.comparisons,
        covariance=covariance,
        log_likelihood=float(maximum.log_likelihood[0]),
        tie_parameter=float(np.exp(maximum.log_nu[0])) if method == "davidson" else None,
        tie_error=float(np.sqrt(maximum.covariance[0, k, k])) if method == "davidson" and tied.any() else None,
    )


def batch(wins: Matrix, tied: Matrix, method: StrengthMethod, ties: Ties, prior: float = PRIOR) -> Matrix:
    """Strengths of B tables of wins and ties (B, K, K) at once: (B, K), a row of NaN where they do not exist."""
    _check(method, ties, prior)
    if method == "fraction":
        credit, total = _credit(wins, tied, ties)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Matrix = credit.sum(axis=2) / total.sum(axis=2)
        return shares
    answer = np.full(wins.shape[:2], np.nan)
    rankable = _rankable(wins, tied, method, ties)
    if not rankable.any():
        return answer
    if method == "rank_centrality":
        answer[rankable] = _stationary(*_credit(wins[rankable], tied[rankable], ties))
    else:
        maximum = fit(*_likelihood_counts(wins[rankable], tied[rankable], method, ties, prior))
        answer[rankable] = _of_systems(maximum.log_strengths, method)
    return answer


def _check(method: StrengthMethod, ties: Ties, prior: float) -> None:
    checked_choice("method", method, STRENGTH_METHODS)
    checked_choice("ties", ties, get_args(Ties))
    checked_above("prior", prior)
    if method in LIKELIHOODS and ties == "all":
        msg = "ties is 'all'; Bradley-Terry leaves ties out ('decisive') or counts half a win for each ('half')"
        raise ValueError(msg)


def _credit(wins: Matrix, tied: Matrix, ties: Ties) -> tuple[Matrix, Matrix]:
    """What i gets from its comparisons with j, and how many of them count, each (B, K, K)."""
    decisive = wins + wins.swapaxes(1, 2)
    if ties == "decisive":
        return wins, decisive
    return (wins if ties == "all" else wins + tied / 2), decisive + tied


def _stationary(credit: Matrix, total: Matrix) -> Matrix:
    """The stationary distributions of rank centrality's walks."""
    share = np.divide(credit, total, out=np.zeros_like(credit), where=total > 0)
    walk = share.swapaxes(1, 2)  # from i to j as often as j wins
    k = walk.shape[1]
    walk = walk / (total > 0).sum(axis=2).max(axis=1)[:, None, None]
    diagonal = np.arange(k)
    walk[:, diagonal, diagonal] = 1 - (walk.sum(axis=2) - walk[:, diagonal, diagonal])
    equations = walk.swapaxes(1, 2) - np.eye(k)
    equations[:, -1, :] = 1.0  # one equation is redundant: replaced by the probabilities' sum of 1
    right = np.zeros((len(walk), k, 1))
    right[:, -1] = 1.0
    return np.linalg.solve(equations, right)[:, :, 0]


def _likelihood_counts(
    wins: Matrix, tied: Matrix, method: StrengthMethod, ties: Ties, prior: float
) -> tuple[Matrix, Matrix]:
    """Wins and ties of the systems; with a prior, also those of the average system, which comes last."""
    if method == "davidson":
        return wins, tied
    counted = wins + tied / 2 if ties == "half" else wins
    if method == "bradley_terry_map":
        counted = np.pad(counted, ((0, 0), (0, 1), (0, 1)), constant_values=prior)
        counted[:, -1, -1] = 0.0
    return counted, np.zeros_like(counted)


def _of_systems(log_strengths: Matrix, method: StrengthMethod) -> Matrix:
    """Without the average system, and summing to 0 again."""
    if method != "bradley_terry_map":
        return log_strengths
    systems = log_strengths[:, :-1]
    centred: Matrix = systems - systems.mean(axis=1, keepdims=True)
    return centred


def _rankable(wins: Matrix, tied: Matrix, method: StrengthMethod, ties: Ties) -> Mask:
    if method == "bradley_terry_map":
        return np.ones(len(wins), dtype=np.bool_)
    if method != "davidson":
        return strongly_connected((wins > 0) | ((tied > 0) & (ties == "half")))
    enough = strongly_connected(wins > 0)
    for place in np.flatnonzero(~enough):
        enough[place] = tied[place].any() and wins[place].any() and not _davidson_reason(None, wins[place], tied[place])
    return enough


def _undefined(names: tuple[str, ...], wins: Matrix, tied: Matrix, method: StrengthMethod, ties: Ties) -> str:
    if method == "fraction":
        _, total = _credit(wins[None], tied[None], ties)
        without = [name for name, count in zip(names, total[0].sum(axis=1), strict=True) if count == 0]
        return f"no comparison that counts of {', '.join(without)}" if without else ""
    if method == "bradley_terry_map":
        return "" if len(names) > 1 else ONE_SYSTEM
    if len(names) > 1 and not wins.any() and (method == "davidson" or ties != "half"):
        return ALL_TIES if tied.any() else "no comparisons"
    if method == "davidson":
        return _davidson_reason(names, wins, tied)
    return unrankable_because(names, (wins > 0) | ((tied > 0) & (ties == "half")))


def _davidson_reason(names: tuple[str, ...] | None, wins: Matrix, tied: Matrix) -> str:
    reason = unrankable_because(names or ("",) * len(wins), (wins > 0) | (tied > 0))
    if not reason and tied.any() and not davidson_exists(wins, tied):
        return "one-sided: wins and ties are ordered, so that some strength or nu would be infinite"
    return reason


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
