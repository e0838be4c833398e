"""All rankings of what is ranked together, before and after the bootstrap: by preference fractions and by models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import Responses, StudyInputs, VotesInputs
from metaeval.analyses.inputs.fractions import WORTH
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.method_ranking.contests import Contests
from metaeval.analyses.method_ranking.parameters import METHODS, Method, MethodRanking
from metaeval.analyses.method_ranking.result import OutcomesInScope, RankingInScope, TreatmentOfTies
from metaeval.sampling import Replicates, stream
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
        if replicates is None:
            ranking = Ranking(
                self.method, self.ties, (), self.comparisons, 0, excluded=self.excluded, reason=self.reason
            )
        else:
            defined = np.isfinite(self.values)
            ranking = ranked(
                np.asarray(self.values)[defined].tolist(),
                replicates[:, defined],
                [name for name, is_defined in zip(self.names, defined, strict=True) if is_defined],
                method=self.method,
                ties=self.ties,
                comparisons=self.comparisons,
                confidence_level=level,
                excluded=self.excluded,
                answers=np.asarray(self.answers)[defined].tolist() if self.answers else (),
            )
        fitted = self.strengths is not None and self.strengths.covariance is not None
        model = self.strengths if fitted else None  # only a model estimates more than strengths
        return RankingInScope.from_found(
            ranking,
            scope=scope,
            covariance=model and model.covariance,
            names=model and model.names,
            log_likelihood=model and model.log_likelihood,
            tie_parameter=model and model.tie_parameter,
            tie_error=model and model.tie_error,
        )


class RankedScope:
    """The contests between some of the systems, and the rankings of these systems."""

    def __init__(
        self,
        name: str,
        systems: frozenset[int],
        contests: Contests,
        inputs: StudyInputs | VotesInputs,
        parameters: MethodRanking,
        *,
        seed: np.random.SeedSequence,
    ) -> None:
        self.name = name
        units = _units(inputs, parameters)
        inside = np.array([place in systems for place in range(len(units))] + [True])  # -1 is the human side
        kept = inside[contests.first] & inside[contests.second]
        self._pairs, self._same = contests.outcomes(units, kept, parameters.cluster)
        across = inside[contests.first] != inside[contests.second]
        human = (contests.first < 0) | (contests.second < 0)
        self._across = int((across & ~human).sum())
        self._units = parameters.units
        self._rankings = []
        for method in parameters.rankings:
            own = stream(seed, METHODS.index(method))  # does not depend on which others are requested
            if method == "preference_fraction" and isinstance(inputs, StudyInputs):
                responses = inputs.responses(include_pilot=parameters.include_pilot)
                self._rankings.append(_by_fractions(responses, units, systems, parameters, own))
            else:
                self._rankings.append(_by_outcomes(self._pairs, method, parameters, own))

    @property
    def exclusions(self) -> list[Exclusion]:
        """Contests that do not contribute to this ranking."""
        reasons = {
            f"both systems count as the same one of the {self._units}": self._same,
            "compare two models": self._across,
        }
        return [
            Exclusion(what="responses", count=count, reason=reason, of=self.name)
            for reason, count in reasons.items()
            if count
        ]

    @property
    def outcomes(self) -> OutcomesInScope:
        """How often each won against each other."""
        pairs = self._pairs or PairwiseOutcomes.of(np.zeros((0, 0)), names=())
        return OutcomesInScope(
            scope=self.name, names=list(pairs.names), wins=pairs.wins.tolist(), ties=pairs.ties.tolist()
        )

    @property
    def plans(self) -> dict[str, Plan]:
        """What to resample."""
        return {self._key(ranking): ranking.plan for ranking in self._rankings if ranking.plan is not None}

    def ranked(self, replicates: Mapping[str, Replicates], *, level: float) -> list[RankingInScope]:
        """The rankings, from the replicates of all plans."""
        return [row.ranking(self.name, replicates.get(self._key(row)), level=level) for row in self._rankings]

    def _key(self, ranking: PlannedRanking) -> str:
        return f"{self.name}/{ranking.method}"


def _units(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> tuple[str, ...]:
    """The unit that each system belongs to."""
    if isinstance(inputs, VotesInputs) or parameters.units == "systems":
        return inputs.systems
    if parameters.units == "models":
        return tuple(origin["model"] for origin in inputs.origins)
    return tuple(origin["method"] or origin["model"] for origin in inputs.origins)


def _by_outcomes(
    outcomes: PairwiseOutcomes | None, method: Method, parameters: MethodRanking, seed: np.random.SeedSequence
) -> PlannedRanking:
    """The ranking by a model of pairs, or by the share of comparisons won."""
    if outcomes is None:
        return PlannedRanking(method, reason="no comparison of two different ones")
    name: StrengthMethod = "fraction" if method == "preference_fraction" else method
    ties: Ties = parameters.ties
    if name in LIKELIHOODS and ties == "all":
        ties = "decisive"
    model = strengths(outcomes, name, ties=ties, prior=parameters.prior)
    return PlannedRanking(
        method,
        values=model.values,
        names=model.names,
        plan=None
        if model.reason
        else outcome_plan(
            outcomes, name, ties=ties, prior=parameters.prior, n_resamples=parameters.resamples, seed=seed
        ),
        ties="modelled" if name == "davidson" else ties,
        comparisons=model.comparisons,
        reason=model.reason,
        strengths=model,
    )


def _by_fractions(
    responses: Responses,
    units: tuple[str, ...],
    systems: frozenset[int],
    parameters: MethodRanking,
    seed: np.random.SeedSequence,
) -> PlannedRanking:
    """The ranking by the preference fractions of these systems' units, as in a study."""
    judged = _judgements(responses, units, systems, parameters)
    fractions = judged.fractions()
    defined = np.isfinite(fractions)
    excluded = tuple(name for name, is_defined in zip(judged.systems, defined, strict=True) if not is_defined)
    if not defined.any():
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
