"""Rankings before the bootstrap: by preference fractions, and by models of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import Responses
from metaeval.analyses.inputs.fractions import WORTH
from metaeval.analyses.method_ranking.parameters import Method, MethodRanking
from metaeval.analyses.method_ranking.result import RankingInScope, TreatmentOfTies
from metaeval.sampling import Replicates
from metaeval.stats import Judgements, PairwiseOutcomes, Ranking, strengths
from metaeval.stats.ranking import StrengthMethod, Strengths, Ties
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan, ranked
from metaeval.stats.ranking.strengths import LIKELIHOODS


@dataclass(frozen=True)
class PlannedRanking:
    """What is known about a ranking, and what to resample; no plan if there is no ranking."""

    method: Method
    values: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    plan: Plan | None = None
    ties: TreatmentOfTies = ""
    comparisons: int = 0
    reason: str = ""
    strengths: Strengths | None = None
    excluded: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    """Of shares of responses: how many responses each has."""

    def ranking(self, scope: str, replicates: Replicates | None, *, level: float) -> RankingInScope:
        """The ranking, from all replicates (resamples, names)."""
        found = self._unranked() if replicates is None else self._ranked(replicates, level)
        fitted = self.strengths is not None and self.strengths.covariance is not None
        model = self.strengths if fitted else None  # only a model estimates more than strengths
        return RankingInScope.from_found(
            found,
            scope=scope,
            covariance=model and model.covariance,
            names=model and model.names,
            log_likelihood=model and model.log_likelihood,
            tie_parameter=model and model.tie_parameter,
            tie_error=model and model.tie_error,
        )

    def _unranked(self) -> Ranking:
        return Ranking(self.method, self.ties, (), self.comparisons, 0, excluded=self.excluded, reason=self.reason)

    def _ranked(self, replicates: Replicates, level: float) -> Ranking:
        there = np.isfinite(self.values)
        return ranked(
            np.asarray(self.values)[there].tolist(),
            replicates[:, there],
            [name for name, is_there in zip(self.names, there, strict=True) if is_there],
            method=self.method,
            ties=self.ties,
            comparisons=self.comparisons,
            confidence_level=level,
            excluded=self.excluded,
            answers=np.asarray(self.answers)[there].tolist() if self.answers else (),
        )


def by_outcomes(
    outcomes: PairwiseOutcomes | None, method: Method, parameters: MethodRanking, seed: np.random.SeedSequence
) -> PlannedRanking:
    """The ranking by a model of pairs, or by the share of comparisons won."""
    if outcomes is None:
        return PlannedRanking(method, reason="no comparison of two different ones")
    name: StrengthMethod = "fraction" if method == "preference_fraction" else method
    ties: Ties = parameters.ties
    if name in LIKELIHOODS and ties == "all":
        ties = "decisive"
    found = strengths(outcomes, name, ties=ties, prior=parameters.prior)
    return PlannedRanking(
        method,
        values=found.values,
        names=found.names,
        plan=None
        if found.reason
        else outcome_plan(
            outcomes, name, ties=ties, prior=parameters.prior, n_resamples=parameters.resamples, seed=seed
        ),
        ties="modelled" if name == "davidson" else ties,
        comparisons=found.comparisons,
        reason=found.reason,
        strengths=found,
    )


def by_fractions(
    responses: Responses,
    units: tuple[str, ...],
    systems: frozenset[int],
    parameters: MethodRanking,
    seed: np.random.SeedSequence,
) -> PlannedRanking:
    """The ranking by the preference fractions of these systems' units, as in a study."""
    judged = _judgements(responses, units, systems, parameters)
    fractions = judged.fractions()
    there = np.isfinite(fractions)
    excluded = tuple(name for name, is_there in zip(judged.systems, there, strict=True) if not is_there)
    if not there.any():
        return PlannedRanking("preference_fraction", reason="no responses", excluded=excluded)
    return PlannedRanking(
        "preference_fraction",
        values=tuple(fractions.tolist()),
        names=judged.systems,
        plan=fraction_plan(judged, over=("comparisons", "experts"), n_resamples=parameters.resamples, seed=seed),
        comparisons=len(judged.chosen),
        excluded=excluded,
        answers=tuple(judged.counts().tolist()),
    )


def _judgements(
    responses: Responses, units: tuple[str, ...], systems: frozenset[int], parameters: MethodRanking
) -> Judgements:
    inside = np.isin(responses.system, list(systems))
    if parameters.weights == "certainty":
        inside &= np.nan_to_num(responses.certainty) > 0
    both, chosen = responses.both[inside], responses.chosen[inside].astype(np.float64)
    return Judgements.of(
        system=[units[place] for place in responses.system[inside]],
        comparison=responses.comparison[inside].tolist(),
        expert=responses.expert[inside].tolist(),
        chosen=np.where(both, WORTH[parameters.both], chosen),
        weight=responses.certainty[inside] if parameters.weights == "certainty" else None,
        systems=sorted({units[place] for place in systems}),
    )
