"""Which method do people prefer? Rankings from preferences: Kurniawan et al. (2026), Table 6, and models of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Integers, Mask
from annotations.ground.errors import naming
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import Responses, StudyInputs, SubjectKind, VotesInputs
from metaeval.analyses.inputs.fractions import WORTH
from metaeval.analyses.inputs.judged_items import Judges, counted_votes, oriented
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.method_ranking.parameters import METHODS, Cluster, Method, MethodRanking
from metaeval.analyses.method_ranking.result import (
    POOLED,
    MethodRankingFindings,
    MethodRankingResult,
    OutcomesInScope,
    RankingInScope,
    TreatmentOfTies,
    answer,
    tables_of,
)
from metaeval.sampling import Replicates, stream
from metaeval.stats import Judgements, PairwiseOutcomes, Ranking, strengths
from metaeval.stats.ranking import StrengthMethod, Strengths, Ties
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan, ranked
from metaeval.stats.ranking.strengths import LIKELIHOODS


@analysis(
    title="Which method do people prefer?",
    subjects=["study", "votes"],
    parameters=MethodRanking,
    result=MethodRankingResult,
    figures=["ranking_strengths", "ranking_stability", "ranking_scopes", "ranking_outcomes"],
    example={"resamples": 100},
    words=PlainWords(
        question="Which method do people prefer?",
        group="The systems",
        shows="All methods from the most to the least preferred, and how settled each place is. It needs choices "
        "between two distributions.",
        place=10,
        needs={SubjectKind.STUDY: ("preferences",)},
        compared=("units", "scopes", "judges", "include_pilot"),
        statistics=("rankings", "both", "ties", "weights", "level"),
        answer=answer,
    ),
)
def method_ranking(
    inputs: StudyInputs | VotesInputs, parameters: MethodRanking, seed: int, work: Work
) -> MethodRankingFindings:
    """Ranks methods (or systems, or models) by how often people preferred them, and shows how stable the ranks are.

    Rankings use preference fractions and models of pairs: rank centrality, Bradley-Terry, and Davidson, which models
    ties. In a study that compares systems with people, the human distributions are one of the competitors in these
    models.
    """
    if isinstance(inputs, VotesInputs):
        contests, exclusions = contests_of_votes(inputs, parameters.judges)
    else:
        contests = contests_of_study(inputs, include_pilot=parameters.include_pilot)
        exclusions = list(inputs.responses(include_pilot=parameters.include_pilot).exclusions)
    if not len(contests.outcome):
        raise AnalysisError("No preferences count yet. Collect responses, include the pilot, or choose other judges.")
    work.stage("Strengths", until=0.1)
    root = root_stream(seed, Purpose.RANKING)
    systems_of_scopes = _systems_of_scopes(inputs, parameters)
    scopes = []
    for place, (name, systems) in enumerate(systems_of_scopes.items()):
        work.step(place, len(systems_of_scopes))
        with naming(name):
            scopes.append(RankedScope(name, systems, contests, inputs, parameters, seed=stream(root, place)))
    work.stage("Resampling")
    replicates = work.run({name: plan for scope in scopes for name, plan in scope.plans.items()})
    rankings = [row for scope in scopes for row in scope.ranked(replicates, level=parameters.level)]
    outcomes = [scope.outcomes for scope in scopes]
    units = "systems" if isinstance(inputs, VotesInputs) else parameters.units  # votes only name systems
    return MethodRankingFindings(
        units=units,
        rankings=rankings,
        outcomes=outcomes,
        tables=tables_of(rankings, outcomes, units=units, level=parameters.level),
        counts={"preferences": len(contests.outcome)},
        exclusions=[*exclusions, *(exclusion for scope in scopes for exclusion in scope.exclusions)],
        notes=_notes(inputs, parameters),
    )


def _systems_of_scopes(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> dict[str, frozenset[int]]:
    """What is ranked together: the positions of the systems, by name of the scope."""
    everything = frozenset(range(len(inputs.systems)))
    if isinstance(inputs, VotesInputs) or parameters.units == "models":
        return {POOLED: everything}
    models = list(dict.fromkeys(origin["model"] for origin in inputs.origins))
    scopes = {POOLED: everything} if "pooled" in parameters.scopes or len(models) == 1 else {}
    if "per_model" in parameters.scopes and len(models) > 1:
        scopes |= {
            model: frozenset(place for place, origin in enumerate(inputs.origins) if origin["model"] == model)
            for model in models
        }
    return scopes


def _notes(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> list[str]:
    notes = []
    if isinstance(inputs, StudyInputs) and inputs.compares == "human_vs_system":
        notes.append("Every comparison is with people’s distribution, which the rankings by pairs call “Human”.")
    if "bradley_terry_map" in parameters.rankings:
        notes.append(
            f"Bradley-Terry with a prior: each is assumed to have already won {parameters.prior:g} and "
            f"lost {parameters.prior:g} comparisons with an average one. This keeps strengths finite when "
            "comparisons are one-sided or not connected; groups without any connection are ordered by "
            "the prior alone."
        )
    if parameters.ties == "all" and LIKELIHOODS & set(parameters.rankings):
        notes.append("Bradley-Terry has no way to divide by ties, so it leaves them out.")
    return notes


PEOPLE = "Human"
"""What the human distributions are called among the competitors of a study that compares systems with people."""


@dataclass(frozen=True, eq=False)
class Contests:
    """One entry per response: `first` and `second` are positions in `names` (-1 as `first`: the human side), `outcome`
    is 1 if the first was preferred, -1 if the second was, 0 if both or neither were."""

    names: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    instance: Integers
    person: Integers

    def outcomes(self, units: Sequence[str], counting: Mask, cluster: Cluster) -> tuple[PairwiseOutcomes | None, int]:
        """Wins and ties between `units`, one unit for each of `names`, and how many contests are of a unit with itself.

        None if no contest is left.
        """
        called = np.array([*units, PEOPLE], dtype=object)  # position -1 is the last
        first, second = called[self.first], called[self.second]
        same = counting & (first == second)
        of_two = counting & ~same
        if not of_two.any():
            return None, int(same.sum())
        clusters = {"instances": self.instance, "people": self.person, "responses": np.arange(len(self.outcome))}
        outcomes = PairwiseOutcomes.from_responses(
            first[of_two].tolist(),
            second[of_two].tolist(),
            self.outcome[of_two],
            cluster=clusters[cluster][of_two].tolist(),
        )
        return outcomes, int(same.sum())


def contests_of_study(study: StudyInputs, *, include_pilot: bool) -> Contests:
    """The preference responses that count."""
    answers = study.answers
    is_counted = answers.counting(answers.is_answered, include_pilot=include_pilot).kept
    first_chosen, second_chosen = answers.first_chosen[is_counted], answers.second_chosen[is_counted]
    return Contests(
        names=study.systems,
        first=answers.first[is_counted],
        second=answers.second[is_counted],
        outcome=first_chosen.astype(np.int64) - second_chosen.astype(np.int64),
        instance=answers.instance[is_counted],
        person=answers.expert[is_counted],
    )


def contests_of_votes(votes: VotesInputs, judges: Judges) -> tuple[Contests, list[Exclusion]]:
    """The votes of these judges, and what was left out."""
    counts, exclusions = counted_votes(votes, judges)
    low, high, code = oriented(votes)
    contests = Contests(
        names=votes.systems,
        first=low[counts],
        second=high[counts],
        outcome=np.array([1, -1, 0])[code[counts]],
        instance=votes.instance[counts],
        person=votes.judge[counts],
    )
    return contests, list(exclusions)


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
        counting = inside[contests.first] & inside[contests.second]
        self._pairs, self._same = contests.outcomes(units, counting, parameters.cluster)
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
