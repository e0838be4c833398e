"""Systems in order of strength, with bootstrap intervals and the stability of each rank."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Matrix
from metaeval.checking import checked_choice, checked_count, checked_level, checked_names, checked_type
from metaeval.describing import described, described_as
from metaeval.frames import DataFrame, frame_of
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.correlating.bootstrap import JudgingNoise
from metaeval.stats.intervals import Interval, bootstrap_interval, share_interval
from metaeval.stats.responses.judgements import Judgements
from metaeval.stats.results import Statistic, flat
from metaeval.stats.ties import evened

from .outcomes import PairwiseOutcomes, as_outcomes
from .strengths import PRIOR, StrengthMethod, Ties, batch, strengths


@described
@dataclass(frozen=True)
class RankedSystem(Statistic):
    """A system's strength and rank, and how certain both are."""

    name: str
    """Name of the system."""
    strength: float
    """Its strength."""
    rank: int
    """1 is best; equal strengths share the better rank."""
    interval: Interval
    """Interval of the strength."""
    kept: float
    """Share of bootstrap samples in which it has the same rank."""
    rank_shares: tuple[float, ...]
    """At position r, the share of samples in which it has rank r + 1."""


@described
@dataclass(frozen=True)
class Ranking(Statistic):
    """Systems from best to worst."""

    method: str
    ties: str
    """How strengths were computed, and how ties counted."""
    systems: tuple[RankedSystem, ...]
    """Empty if no ranking exists."""
    comparisons: int
    """How many comparisons there were."""
    n_resamples: int
    """How many bootstrap samples were drawn."""
    undefined: int = 0
    """How many of them gave no strengths (disconnected or one-sided). Intervals and shares are over the others."""
    excluded: tuple[str, ...] = ()
    """Systems that were left out."""
    reason: str = ""
    """Why there is no ranking; empty if there is one."""

    def to_frame(self) -> DataFrame:
        """One row per system, by `name`, best first."""
        columns = ["rank", "strength", "low", "high", "kept", "reason"]
        rows = ({**flat(system), **flat(system.interval)} for system in self.systems)
        return frame_of(rows, index=["name"], columns=columns)


@described_as(strengths)
def rank_by_outcomes(
    outcomes: PairwiseOutcomes | npt.ArrayLike | Sequence[tuple[Hashable, Hashable]],
    method: StrengthMethod = "davidson",
    *,
    ties: Ties = "decisive",
    prior: float = PRIOR,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> Ranking:
    """Rank systems by their `strengths`, with a bootstrap over clusters of responses (or over responses).

    Parameters
    ----------
    outcomes : PairwiseOutcomes, array_like of shape (K, K), or sequence of (winner, loser)
        The outcomes, a matrix of wins (how often row i beat column j), or pairs of names. Systems of a matrix are named
        by a DataFrame's columns, or else numbered.
    method : {'fraction', 'rank_centrality', 'bradley_terry', 'davidson', 'bradley_terry_map'}, default 'davidson'
        How strengths are computed; see `strengths`.
    prior : float, optional
        For 'bradley_terry_map': how many comparisons with an average system each system is assumed to have won, and
        lost.
    n_resamples : int, default 1000
        How many bootstrap samples to draw.

    Returns
    -------
    Ranking
        Systems from best to worst, or none with a reason.

    Raises
    ------
    ValueError
        If `strengths` refuses the outcomes or options.

    References
    ----------
    see `strengths` for the models; Efron and Tibshirani 1993, section 13.3, for the intervals.

    Examples
    --------
    >>> outcomes = PairwiseOutcomes.of([[0, 9, 8], [3, 0, 7], [2, 4, 0]], names=["a", "b", "c"])
    >>> ranking = rank_by_outcomes(outcomes, "bradley_terry", n_resamples=200)
    >>> [system.name for system in ranking.systems], ranking.systems[0].kept > 0.8
    (['a', 'b', 'c'], True)
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_level(confidence_level)
    outcomes = as_outcomes(outcomes)
    observed = strengths(outcomes, method, ties=ties, prior=prior)
    if observed.reason:
        return Ranking(method, ties, (), outcomes.comparisons, n_resamples, reason=observed.reason)
    plan = outcome_plan(outcomes, method, ties=ties, prior=prior, n_resamples=n_resamples, seed=seed)
    return ranked(
        observed.values,
        plan.run(progress),
        outcomes.names,
        method=method,
        ties=ties,
        comparisons=outcomes.comparisons,
        confidence_level=confidence_level,
    )


def outcome_plan(
    outcomes: PairwiseOutcomes,
    method: StrengthMethod,
    *,
    ties: Ties,
    prior: float = PRIOR,
    n_resamples: int,
    seed: Seed,
) -> ResamplingPlan:
    """Replicates of the strengths (n_resamples, K), to distribute."""

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        return batch(*outcomes.resampled(np.random.default_rng(stream), size), method, ties, prior)

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)


@described_as(rank_by_outcomes)
def rank_by_fraction(
    judgements: Judgements,
    *,
    over: Sequence[Literal["comparisons", "experts"]] = ("comparisons", "experts"),
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> Ranking:
    """Rank systems by the fraction of responses that preferred them.

    Parameters
    ----------
    judgements : Judgements
        The responses.
    over : sequence of {'comparisons', 'experts'}, default both
        What is resampled.

    Returns
    -------
    Ranking
        Systems from best to worst.

    Raises
    ------
    ValueError
        If `over` contains anything else.

    Notes
    -----
    For studies that compare each system with the human distribution. Systems without responses are left out and listed.
    The replicates vary as the fractions of a repetition would, with new draws of what `over` lists (`JudgingNoise`).

    References
    ----------
    Kurniawan et al. 2026, Table 6; Owen 2007, The Pigeonhole Bootstrap (comparisons crossed with experts).

    Examples
    --------
    >>> answers = Judgements.of(system="AABB", comparison=[1, 2, 3, 4], expert="xyxy", chosen=[1, 1, 0, 1])
    >>> [system.name for system in rank_by_fraction(answers, n_resamples=50).systems]
    ['A', 'B']
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_level(confidence_level)
    checked_type("judgements", judgements, Judgements, "Judgements (see Judgements.of)")
    for unit in checked_names("over", over):
        checked_choice("over", unit, ("comparisons", "experts"))
    if not over or not set(over) <= {"comparisons", "experts"}:
        msg = f"over is {tuple(over)}; expected comparisons, experts or both"
        raise ValueError(msg)
    fractions = judgements.fractions()
    judged = np.isfinite(fractions)
    names = tuple(np.array(judgements.systems, dtype=object)[judged].tolist())
    excluded = tuple(np.array(judgements.systems, dtype=object)[~judged].tolist())
    count = len(judgements.chosen)
    if not names:
        return Ranking("preference_fraction", "", (), count, n_resamples, excluded=excluded, reason="no responses")

    replicates = fraction_plan(judgements, over=over, n_resamples=n_resamples, seed=seed).run(progress)
    return ranked(
        fractions[judged].tolist(),
        replicates[:, judged],
        names,
        method="preference_fraction",
        ties="",
        comparisons=count,
        confidence_level=confidence_level,
        excluded=excluded,
        answers=judgements.counts()[judged].tolist(),
    )


def fraction_plan(
    judgements: Judgements, *, over: Sequence[Literal["comparisons", "experts"]], n_resamples: int, seed: Seed
) -> ResamplingPlan:
    """Replicates of the preference fractions (n_resamples, S), to distribute; NaN for systems without responses."""
    fractions = judgements.fractions()
    scale = JudgingNoise.of(judgements, fractions).scale(over)
    responses = judgements.responses()

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        from metaeval.generator import state
        from metaeval.stats.correlating.bootstrap_kernels import Over, fractions_of

        drawn = Over(systems=False, comparisons="comparisons" in over, experts="experts" in over)
        drawn_fractions: Replicates = fractions_of(state(stream), size, drawn, fractions, scale, responses)
        return drawn_fractions

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)


def ranked(
    values: Sequence[float],
    replicates: Replicates,
    names: Sequence[str],
    *,
    method: str,
    ties: str,
    comparisons: int,
    confidence_level: float = 0.95,
    excluded: tuple[str, ...] = (),
    answers: Sequence[int] = (),
) -> Ranking:
    """The ranking, from the strengths (K,) and all their replicates (B, K).

    `answers`: for strengths that are shares of responses, how many responses each has; their intervals stay in [0, 1].
    """
    observed = np.asarray(values, dtype=np.float64)
    complete: Mask = np.asarray(np.isfinite(replicates).all(axis=1))
    defined = np.where(complete[:, None], replicates, np.nan)
    ranks = _ranks(observed[None])[0]
    drawn = _ranks(replicates[complete])
    k = len(names)
    systems = []
    for place in sorted(range(k), key=lambda place: (ranks[place], place)):
        counts = np.bincount(drawn[:, place] - 1, minlength=k)
        shares = counts / len(drawn) if len(drawn) else np.full(k, math.nan)
        systems.append(
            RankedSystem(
                name=names[place],
                strength=float(observed[place]),
                rank=int(ranks[place]),
                interval=(
                    share_interval(
                        float(observed[place]),
                        defined[:, place],
                        answers=answers[place],
                        confidence_level=confidence_level,
                    )
                    if len(answers)
                    else bootstrap_interval(defined[:, place], confidence_level=confidence_level)
                ),
                kept=float(shares[ranks[place] - 1]),
                rank_shares=tuple(shares.tolist()),
            )
        )
    return Ranking(
        method, ties, tuple(systems), comparisons, len(replicates), int((~complete).sum()), excluded=excluded
    )


def _ranks(values: Matrix) -> Codes:
    """1 + the number of systems that are stronger: (B, K). Strengths that differ only by rounding are equal."""
    even = evened(values, size=max(1.0, float(np.abs(values).max(initial=0.0))))
    answer: Codes = 1 + (even[:, None, :] > even[:, :, None]).sum(axis=2)
    return answer
