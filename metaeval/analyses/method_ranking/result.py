"""The results of the ranking of methods."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.measured import BootstrapInterval
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.method_ranking.contests import Units
from metaeval.analyses.method_ranking.parameters import Method

POOLED = "pooled"
"""The scope of all models together; any other is a model's name."""

TreatmentOfTies = Literal["", "decisive", "all", "half", "modelled"]
"""Left out, counted in the divisor, half a win for each, or modelled; empty: there are none."""


class RankedUnit(Part):
    """A method, system or model in a ranking."""

    name: str
    strength: float
    rank: int
    interval: BootstrapInterval
    kept: Number = Field(description="Share of the bootstrap samples in which it has the same rank.")
    rank_shares: list[Number] = Field(
        description="Share of the bootstrap samples with each rank, starting from the first."
    )


class RankingInScope(Part):
    """A ranking of one kind, for all models together or for one."""

    scope: str
    method: Method
    ties: TreatmentOfTies
    systems: list[RankedUnit] = Field(description="From the best to the worst.")
    comparisons: int = Field(description="The responses that it is based on.")
    resamples: int
    undefined: int = Field(description="Resamples without a ranking, which were left out.")
    excluded: list[str] = Field(description="Those without responses.")
    reason: str = Field(description="Why there is no ranking; empty if there is one.")
    covariance: list[list[Number]] | None = Field(description="For a model's estimates, in the order of `names`.")
    names: list[str] | None
    log_likelihood: Number
    tie_parameter: Number = Field(description="Davidson's nu.")
    tie_error: Number = Field(description="Standard error of its logarithm.")


class OutcomesInScope(Part):
    """Who was preferred to whom, and how often."""

    scope: str
    names: list[str]
    wins: list[list[float]] = Field(description="How often the row's was preferred to the column's.")
    ties: list[list[float]]


class MethodRankingFindings(Findings):
    """Which method people prefer."""

    units: Units = Field(description="What is ranked.")
    rankings: list[RankingInScope]
    outcomes: list[OutcomesInScope] = Field(description="One per scope.")


class MethodRankingResult(MethodRankingFindings, Result):
    """The ranking of methods."""

    analysis: Literal["method_ranking"]

    @property
    def scopes(self) -> list[str]:
        """What was ranked together, in order: all models, then each."""
        return list(dict.fromkeys(row.scope for row in self.rankings))

    def said_of(self, scope: str) -> str:
        """What to add to a title about a scope, if there are several."""
        if len(self.scopes) == 1:
            return ""
        return f": {'all models' if scope == POOLED else scope}"
