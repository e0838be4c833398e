"""Which method do people prefer? Rankings from preferences: Kurniawan et al. (2025), Table 6, and models of pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.inputs import StudyInputs, VotesInputs
from metaeval.analyses.inputs.fractions import WORTH
from metaeval.analyses.method_ranking.contests import Contests, Units, contests_of_study, contests_of_votes
from metaeval.analyses.method_ranking.parameters import METHODS, Method, MethodRanking
from metaeval.analyses.method_ranking.tables import tables_of
from metaeval.sampling import stream
from metaeval.stats import Judgements, PairwiseOutcomes, Ranking, strengths
from metaeval.stats.ranking import StrengthMethod, Strengths, Ties
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan, ranked

POOLED = "pooled"


@analysis(
    title="Which method do people prefer?",
    subjects=["study", "votes"],
    parameters=MethodRanking,
    figures=["ranking_strengths", "ranking_stability", "ranking_scopes", "ranking_outcomes"],
    example={"resamples": 100},
)
def method_ranking(
    inputs: StudyInputs | VotesInputs, parameters: MethodRanking, seed: int, work: Work
) -> dict[str, Any]:
    """Ranks methods (or systems, or models) by how often people preferred them, and says how stable the ranks are.

    By preference fractions, and by models of pairs: rank centrality, Bradley-Terry, and Davidson, which models ties. In
    a study that compares systems with people, the human distributions are one of the competitors of these models.
    """
    contests, exclusions = _contests(inputs, parameters)
    if not len(contests.outcome):
        raise AnalysisError("No preference counts yet. Collect responses, include the pilot, or choose other judges.")
    work.stage("Strengths", until=0.1)
    root = seeding.root(seed, seeding.Purpose.RANKING)
    parts: list[_Part] = []
    scopes = _scopes(inputs, parameters)
    for place, (scope, kept) in enumerate(scopes):
        work.step(place, len(scopes))
        parts.append(_Part(inputs, parameters, contests, scope, kept))
    plans = {name: plan for place, part in enumerate(parts) for name, plan in part.plans(stream(root, place)).items()}
    work.stage("Resampling")
    replicates = work.run(plans)
    rankings = [row for part in parts for row in part.rankings(replicates)]
    outcomes = [part.table_of_outcomes() for part in parts]
    return {
        "units": _units_word(inputs, parameters),
        "rankings": rankings,
        "outcomes": outcomes,
        "tables": tables_of(rankings, outcomes, units=_units_word(inputs, parameters), level=parameters.level),
        "counts": {"preferences": len(contests.outcome)},
        "exclusions": [*exclusions, *(left for part in parts for left in part.exclusions)],
        "notes": _notes(inputs, parameters),
    }


def _contests(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> tuple[Contests, list[dict[str, Any]]]:
    if isinstance(inputs, VotesInputs):
        return contests_of_votes(inputs, parameters.judges)
    responses = inputs.responses(include_pilot=parameters.include_pilot)
    return contests_of_study(inputs, include_pilot=parameters.include_pilot), [
        left.plain() for left in responses.exclusions
    ]


def _scopes(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> list[tuple[str, frozenset[int]]]:
    """What is ranked together: the places of the systems, by the name of the scope."""
    everything = frozenset(range(len(inputs.systems)))
    if isinstance(inputs, VotesInputs) or parameters.units == "models":
        return [(POOLED, everything)]
    models = list(dict.fromkeys(origin["model"] for origin in inputs.origins))
    scopes = [(POOLED, everything)] if "pooled" in parameters.scopes or len(models) == 1 else []
    if "per_model" in parameters.scopes and len(models) > 1:
        scopes += [
            (model, frozenset(place for place, origin in enumerate(inputs.origins) if origin["model"] == model))
            for model in models
        ]
    return scopes


def _units_word(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> Units:
    return "systems" if isinstance(inputs, VotesInputs) else parameters.units


def _units(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> tuple[str, ...]:
    """What each system counts as."""
    if isinstance(inputs, VotesInputs) or parameters.units == "systems":
        return inputs.systems
    if parameters.units == "models":
        return tuple(origin["model"] for origin in inputs.origins)
    return tuple(origin["method"] or origin["model"] for origin in inputs.origins)


def _notes(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> list[str]:
    notes = []
    if isinstance(inputs, StudyInputs) and inputs.compares == "human_vs_system":
        notes.append("Every comparison is with the human distribution, which the models of pairs rank as “Human”.")
    if parameters.ties == "all" and "bradley_terry" in parameters.rankings:
        notes.append("Bradley-Terry has no way to divide by ties: it leaves them out.")
    return notes


@dataclass
class _Found:
    """A ranking before the bootstrap: what is known, and what is to be resampled."""

    values: tuple[float, ...]
    names: tuple[str, ...]
    plan: Plan | None
    ties: str
    comparisons: int
    reason: str = ""
    strengths: Strengths | None = None
    excluded: tuple[str, ...] = ()


class _Part:
    """All rankings of one scope."""

    def __init__(
        self,
        inputs: StudyInputs | VotesInputs,
        parameters: MethodRanking,
        contests: Contests,
        scope: str,
        systems: frozenset[int],
    ) -> None:
        self.inputs, self.parameters, self.scope, self.systems = inputs, parameters, scope, systems
        self.units = _units(inputs, parameters)
        inside = np.array([place in systems for place in range(len(self.units))] + [True])  # -1 is the human side
        kept = inside[contests.first] & inside[contests.second]
        self.outcomes, self.same = contests.outcomes(self.units, kept, parameters.cluster)
        across = inside[contests.first] != inside[contests.second]
        human = (contests.first < 0) | (contests.second < 0)
        self.across = int((across & ~human).sum())

    @property
    def exclusions(self) -> list[dict[str, Any]]:
        listed = []
        if self.same:
            reason = f"both systems count as the same one of the {self.parameters.units}"
            listed.append({"what": "responses", "count": self.same, "reason": reason, "of": self.scope})
        if self.across:
            listed.append({"what": "responses", "count": self.across, "reason": "compare two models", "of": self.scope})
        return listed

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """What is to be resampled; a method's stream does not depend on which others are asked for."""
        self.found = {
            method: self._found(method, stream(root, METHODS.index(method))) for method in self.parameters.rankings
        }
        return {f"{self.scope}/{method}": found.plan for method, found in self.found.items() if found.plan is not None}

    def _found(self, method: Method, seed: np.random.SeedSequence) -> _Found:
        if method == "preference_fraction" and isinstance(self.inputs, StudyInputs):
            return self._fractions(self.inputs, seed)
        if self.outcomes is None:
            return _Found((), (), None, "", 0, reason="no comparison of two different ones")
        name: StrengthMethod = "fraction" if method == "preference_fraction" else method
        ties: Ties = self.parameters.ties
        if name == "bradley_terry" and ties == "all":
            ties = "decisive"
        found = strengths(self.outcomes, name, ties=ties)
        plan = (
            None
            if found.reason
            else outcome_plan(self.outcomes, name, ties=ties, resamples=self.parameters.resamples, seed=seed)
        )
        shown = "modelled" if name == "davidson" else ties
        return _Found(found.values, found.names, plan, shown, found.comparisons, found.reason, found)

    def _fractions(self, study: StudyInputs, seed: np.random.SeedSequence) -> _Found:
        judged = self._judgements(study)
        fractions = judged.fractions()
        there = np.isfinite(fractions)
        excluded = tuple(name for name, is_there in zip(judged.systems, there, strict=True) if not is_there)
        if not there.any():
            return _Found((), (), None, "", 0, reason="no responses", excluded=excluded)
        plan = fraction_plan(judged, over=("comparisons", "experts"), resamples=self.parameters.resamples, seed=seed)
        comparisons = len(judged.chosen)
        return _Found(tuple(fractions.tolist()), judged.systems, plan, "", comparisons, excluded=excluded)

    def _judgements(self, study: StudyInputs) -> Judgements:
        responses = study.responses(include_pilot=self.parameters.include_pilot)
        inside = np.isin(responses.system, list(self.systems))
        if self.parameters.weights == "certainty":
            inside &= np.nan_to_num(responses.certainty) > 0
        names = [self.units[place] for place in responses.system[inside]]
        both, chosen = responses.both[inside], responses.chosen[inside].astype(np.float64)
        known = [self.units[place] for place in sorted(self.systems)]
        return Judgements.of(
            system=names,
            comparison=responses.comparison[inside].tolist(),
            expert=responses.expert[inside].tolist(),
            chosen=np.where(both, WORTH[self.parameters.both], chosen),
            weight=responses.certainty[inside] if self.parameters.weights == "certainty" else None,
            systems=sorted(set(known)),
        )

    def rankings(self, replicates: dict[str, Any]) -> list[dict[str, Any]]:
        """Plain rows, one a method."""
        return [
            {"scope": self.scope, **self._described(method, found, replicates.get(f"{self.scope}/{method}"))}
            for method, found in self.found.items()
        ]

    def _described(self, method: Method, found: _Found, replicates: Any) -> dict[str, Any]:
        if found.plan is None:
            empty = Ranking(method, found.ties, (), found.comparisons, 0, excluded=found.excluded, reason=found.reason)
            return empty.to_dict() | _model(found.strengths)
        there = np.isfinite(found.values)
        ranking = ranked(
            np.asarray(found.values)[there].tolist(),
            replicates[:, there],
            [name for name, is_there in zip(found.names, there, strict=True) if is_there],
            method=method,
            ties=found.ties,
            comparisons=found.comparisons,
            level=self.parameters.level,
            excluded=found.excluded,
        )
        return ranking.to_dict() | _model(found.strengths)

    def table_of_outcomes(self) -> dict[str, Any]:
        """Who won how often against whom."""
        found = self.outcomes or PairwiseOutcomes.of(np.zeros((0, 0)), names=())
        return {
            "scope": self.scope,
            "names": list(found.names),
            "wins": found.wins.tolist(),
            "ties": found.ties.tolist(),
        }


def _model(found: Strengths | None) -> dict[str, Any]:
    """What a model of pairs estimates beside the strengths."""
    if found is None or found.covariance is None:
        return {
            "covariance": None,
            "names": None,
            "log_likelihood": math.nan,
            "tie_parameter": math.nan,
            "tie_error": math.nan,
        }
    return {
        "covariance": found.covariance.tolist(),
        "names": list(found.names),
        "log_likelihood": found.log_likelihood,
        "tie_parameter": found.tie_parameter,
        "tie_error": found.tie_error,
    }
