"""Which method do people prefer? Rankings from preferences: Kurniawan et al. (2026), Table 6, and models of pairs."""

from __future__ import annotations

from annotations.ground.errors import naming
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Purpose, Work, root_stream
from metaeval.analyses.inputs import StudyInputs, SubjectKind, VotesInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.method_ranking.contests import Contests, contests_of_study, contests_of_votes
from metaeval.analyses.method_ranking.parameters import MethodRanking
from metaeval.analyses.method_ranking.rankings import RankedScope
from metaeval.analyses.method_ranking.result import (
    POOLED,
    MethodRankingFindings,
    MethodRankingResult,
    answer,
    tables_of,
)
from metaeval.sampling import stream
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
    contests, exclusions = _contests(inputs, parameters)
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
        exclusions=[*exclusions, *(left for scope in scopes for left in scope.exclusions)],
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


def _contests(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> tuple[Contests, list[Exclusion]]:
    if isinstance(inputs, VotesInputs):
        return contests_of_votes(inputs, parameters.judges)
    responses = inputs.responses(include_pilot=parameters.include_pilot)
    return contests_of_study(inputs, include_pilot=parameters.include_pilot), list(responses.exclusions)


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
