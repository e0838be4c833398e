"""All rankings of what is ranked together: the systems of all models, or those of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import StudyInputs, VotesInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.method_ranking.competitors import units_of
from metaeval.analyses.method_ranking.contests import Contests
from metaeval.analyses.method_ranking.parameters import METHODS, MethodRanking
from metaeval.analyses.method_ranking.planned_rankings import PlannedRanking, by_fractions, by_outcomes
from metaeval.analyses.method_ranking.result import OutcomesInScope, RankingInScope
from metaeval.sampling import Replicates, stream
from metaeval.stats import PairwiseOutcomes


class RankedScope:
    """The contests between some of the systems, and the rankings of these systems before the bootstrap."""

    def __init__(
        self,
        name: str,
        systems: frozenset[int],
        contests: Contests,
        inputs: StudyInputs | VotesInputs,
        parameters: MethodRanking,
    ) -> None:
        self.name, self.systems, self.inputs, self.parameters = name, systems, inputs, parameters
        self.units = units_of(inputs, parameters)
        inside = np.array([place in systems for place in range(len(self.units))] + [True])  # -1 is the human side
        kept = inside[contests.first] & inside[contests.second]
        self._pairs, self._same = contests.outcomes(self.units, kept, parameters.cluster)
        across = inside[contests.first] != inside[contests.second]
        human = (contests.first < 0) | (contests.second < 0)
        self._across = int((across & ~human).sum())

    @property
    def exclusions(self) -> list[Exclusion]:
        """Contests that do not contribute to this ranking."""
        reasons = {
            f"both systems count as the same one of the {self.parameters.units}": self._same,
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
        found = self._pairs or PairwiseOutcomes.of(np.zeros((0, 0)), names=())
        return OutcomesInScope(
            scope=self.name, names=list(found.names), wins=found.wins.tolist(), ties=found.ties.tolist()
        )

    def planned(self, root: np.random.SeedSequence) -> PlannedScope:
        """The requested rankings; a method's stream does not depend on which others are requested."""
        rankings = []
        for method in self.parameters.rankings:
            seed = stream(root, METHODS.index(method))
            if method == "preference_fraction" and isinstance(self.inputs, StudyInputs):
                responses = self.inputs.responses(include_pilot=self.parameters.include_pilot)
                rankings.append(by_fractions(responses, self.units, self.systems, self.parameters, seed))
            else:
                rankings.append(by_outcomes(self._pairs, method, self.parameters, seed))
        return PlannedScope(self.name, rankings)


@dataclass(frozen=True)
class PlannedScope:
    """The rankings of a scope before the bootstrap."""

    name: str
    rankings: list[PlannedRanking]

    @property
    def plans(self) -> dict[str, Plan]:
        """What to resample."""
        return {self._key(found): found.plan for found in self.rankings if found.plan is not None}

    def ranked(self, replicates: Mapping[str, Replicates], *, level: float) -> list[RankingInScope]:
        """The rankings, from the replicates of all plans."""
        return [found.ranking(self.name, replicates.get(self._key(found)), level=level) for found in self.rankings]

    def _key(self, found: PlannedRanking) -> str:
        return f"{self.name}/{found.method}"
