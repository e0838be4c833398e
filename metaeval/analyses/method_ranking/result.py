"""The results of the ranking of methods, and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import BootstrapInterval, Findings, Result
from metaeval.analyses.base.table import InTable, Reason, Row, Share, Table, column, table, table_of
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.method_ranking.contests import Units
from metaeval.analyses.method_ranking.parameters import TITLES, Method

POOLED = "pooled"
"""The scope of all models together; any other is a model's name."""

TreatmentOfTies = Literal["", "decisive", "all", "half", "modelled"]
"""Left out, counted in the divisor, half a win for each, or modelled; empty: there are none."""
TIES: dict[TreatmentOfTies, str] = {
    "decisive": "left out",
    "all": "divided by",
    "half": "half a win",
}


class RankedUnit(Part):
    """A method, system or model in a ranking."""

    name: str = Field(title="Name")
    strength: Annotated[
        float,
        InTable(
            note="Strength: a share (preference fraction), a probability (rank centrality), or a logarithm with mean 0 "
            "(Bradley-Terry, Davidson)."
        ),
    ] = Field(title="Strength")
    rank: int = Field(title="Rank")
    interval: BootstrapInterval
    kept: Annotated[
        Share, InTable(note="“Keeps its rank”: the share of bootstrap samples in which it has the same rank.")
    ] = Field(title="Keeps its rank")
    rank_shares: list[Number] = Field(
        description="Share of the bootstrap samples with each rank, starting from the first."
    )


class RankingInScope(Part):
    """A ranking of one kind, for all models together or for one."""

    scope: str = Field(title="Model")
    method: Annotated[Method, InTable(key="by", words=TITLES)] = Field(title="By")
    ties: Annotated[TreatmentOfTies, InTable(words=TIES)] = Field(title="Ties are")
    systems: list[RankedUnit] = Field(description="From the best to the worst.")
    comparisons: int = Field(title="Responses", description="The responses that it is based on.")
    resamples: int
    undefined: int = Field(title="Resamples without a ranking", description="They were left out.")
    excluded: list[str] = Field(description="Those without responses.")
    reason: Reason = Field(description="Why there is no ranking; empty if there is one.")
    covariance: list[list[Number]] | None = Field(description="For a model's estimates, in the order of `names`.")
    names: list[str] | None
    log_likelihood: Number = Field(title="Log-likelihood")
    tie_parameter: Number = Field(title="Davidson’s nu")
    tie_error: Number = Field(description="Standard error of its logarithm.")


class OutcomesInScope(Part):
    """Who was preferred to whom, and how often."""

    scope: str = Field(title="Model")
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

    def scope_in_title(self, scope: str) -> str:
        """What to add to a title about a scope, if there are several."""
        if len(self.scopes) == 1:
            return ""
        return f": {'all models' if scope == POOLED else scope}"


def tables_of(
    rankings: Sequence[RankingInScope], outcomes: Sequence[OutcomesInScope], *, units: Units, level: float
) -> list[Table]:
    """The ranking as papers print it, all rankings with their uncertainty, the models, and who won against whom."""
    scopes = list(dict.fromkeys(row.scope for row in rankings))
    scope = ["scope"] if len(scopes) > 1 else []
    unit = {"methods": "Method", "systems": "System", "models": "Model"}[units]
    ranks: list[tuple[Part, ...]] = []
    for ranking in rankings:
        ranks += [(ranking, system, system.interval) for system in ranking.systems] or [(ranking,)]
    return [
        *([_by_model(rankings, scopes, unit)] if len(scopes) > 1 else []),
        table_of(
            "ranking",
            "Ranks, strengths and how stable they are",
            (RankingInScope, RankedUnit, BootstrapInterval),
            ranks,
            [*scope, "by", "rank", "name", "strength", "low", "high", "kept"],
            level=level,
            titles={"name": unit},
        ),
        table_of(
            "models",
            "What the rankings are based on",
            RankingInScope,
            [(r, {"notes": f"without responses: {', '.join(r.excluded)}" if r.excluded else ""}) for r in rankings],
            [*scope, "by", "comparisons", "ties", "tie_parameter", "log_likelihood", "undefined"],
        ),
        table_of(
            "outcomes",
            "How often each was preferred to each other",
            OutcomesInScope,
            [
                {
                    "scope": entry.scope,
                    "first": entry.names[i],
                    "second": entry.names[j],
                    "first_wins": round(entry.wins[i][j]),
                    "ties": round(entry.ties[i][j]),
                    "second_wins": round(entry.wins[j][i]),
                }
                for entry in outcomes
                for i, j in combinations(range(len(entry.names)), 2)
                if entry.wins[i][j] + entry.wins[j][i] + entry.ties[i][j]
            ],
            [
                *scope,
                column("first", "One"),
                column("second", "Other"),
                column("first_wins", "First preferred"),
                column("ties", "Both or neither"),
                column("second_wins", "Second preferred"),
            ],
        ),
    ]


def _by_model(rankings: Sequence[RankingInScope], scopes: Sequence[str], unit: str) -> Table:
    """Table 6: one row per method, with its rank and strength in every scope by the first of the rankings."""
    first = rankings[0].method
    chosen = {row.scope: row for row in rankings if row.method == first}
    cells: dict[str, Row] = {}
    columns = [column("name", unit)]
    for number, scope in enumerate(scopes):
        for system in chosen[scope].systems:
            row = cells.setdefault(system.name, {"name": system.name})
            row |= {f"rank_{number}": system.rank, f"strength_{number}": system.strength}
        columns += [
            column(f"strength_{number}", TITLES[first], group=scope),
            column(f"rank_{number}", "Rank", group=scope),
        ]
    return table("by_model", f"{TITLES[first]} by model", columns, cells.values())
