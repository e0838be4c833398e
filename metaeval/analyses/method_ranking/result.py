"""The results of the ranking of methods, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import BootstrapInterval, Findings, Result
from metaeval.analyses.base.table import InTable, Reason, Row, Share, Table, column, table, table_of
from metaeval.analyses.base.wording import (
    answered,
    because,
    interval,
    listed,
    name,
    number,
    sentence,
    share,
    share_interval,
    spelled,
    undefined,
    within,
)
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.method_ranking.parameters import SHARES, TITLES, Method, Units

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
    for place, scope in enumerate(scopes):
        for system in chosen[scope].systems:
            row = cells.setdefault(system.name, {"name": system.name})
            row |= {f"rank_{place}": system.rank, f"strength_{place}": system.strength}
        columns += [
            column(f"strength_{place}", TITLES[first], group=scope),
            column(f"rank_{place}", "Rank", group=scope),
        ]
    return table("by_model", f"{TITLES[first]} by model", columns, cells.values())


CALLED: Mapping[Method, str] = {
    "preference_fraction": "the preference fraction",
    "rank_centrality": "rank centrality",
    "bradley_terry": "the Bradley-Terry model",
    "davidson": "Davidson’s model",
    "bradley_terry_map": "the Bradley-Terry model with a prior",
}
SETTLED = 0.95
"""A first place that fewer resamples keep is not settled."""


def answer(result: MethodRankingResult) -> str:
    """The winner of the first ranking, how strong it is and how often it stays first; then what other rankings say."""
    ranking = next((row for row in result.rankings if row.systems), None)
    if ranking is None:
        return f"There is no ranking: {because(result.rankings[0].reason if result.rankings else '')}"
    first = _first(ranking)
    best = first[0]
    where = "" if ranking.scope == POOLED else f" of {name(ranking.scope)}"
    figures = f"{_strength(ranking, best, len(first))}{within(_interval(ranking, best))}"
    beside = sentence([_others(result, ranking), *_left_out(result, ranking)])
    if len(ranking.systems) == 1:
        return answered(f"There is only {name(best.name)} to rank: {figures}.", beside)
    of = f"Of {spelled(len(ranking.systems))} {result.units}{where}"
    if len(first) > 1:
        return answered((f"{of}, {listed([row.name for row in first])} share first place: {figures}."), beside)
    return answered(f"{of}, {name(best.name)} comes first: {figures}{_kept(best)}.", beside)


def _first(ranking: RankingInScope, among: Set[str] = frozenset()) -> list[RankedUnit]:
    """Those that share first place; `among` some, if a ranking has others too, such as people in pairs."""
    ranked = [row for row in ranking.systems if not among or row.name in among]
    return [row for row in ranked if row.strength == ranked[0].strength]


def _strength(ranking: RankingInScope, best: RankedUnit, count: int) -> str:
    """The strength of the first, or of each of several."""
    written = share(best.strength) if ranking.method in SHARES else number(best.strength)
    if ranking.method == "preference_fraction":
        return f"{'the preference fraction of each' if count > 1 else 'its preference fraction'} is {written}"
    return f"{CALLED[ranking.method]} gives {'each' if count > 1 else 'it'} {written}"


def _interval(ranking: RankingInScope, best: RankedUnit) -> str:
    bounds = best.interval
    between = share_interval if ranking.method in SHARES else interval
    return between(bounds.low, bounds.high, bounds.level) or "no interval"


def _kept(best: RankedUnit) -> str:
    if best.kept is None:
        return "; how often it stays first when answers are resampled is not known"
    if best.kept >= SETTLED:
        return f"; it stays first in {share(best.kept)} of the resamples"
    part = f"only {share(best.kept)}" if round(best.kept, 2) < SETTLED else "fewer than 95%"
    return f"; its place is not settled: it stays first in {part} of the resamples"


def _others(result: MethodRankingResult, ranking: RankingInScope) -> str:
    """Whether the other rankings of the same scope have the same winner."""
    others = [row for row in result.rankings if row.scope == ranking.scope and row is not ranking and row.systems]
    if not others or len(ranking.systems) == 1:
        return ""
    ranked = {row.name for row in ranking.systems}
    names = [row.name for row in _first(ranking)]
    differing = [row for row in others if [row.name for row in _first(row, ranked)] != names]
    if not differing:
        which = CALLED[others[0].method] if len(others) == 1 else f"the {spelled(len(others))} other rankings"
        return f"{which} {'puts' if len(others) == 1 else 'put'} the same first"
    leaders = [listed([row.name for row in _first(row, ranked)]) for row in differing]
    if len(differing) > 1 and len(set(leaders)) == 1:
        which = listed([CALLED[row.method] for row in differing])
        return f"{which} put {leaders[0]} first"
    clauses = [f"{CALLED[row.method]} puts {leader} first" for row, leader in zip(differing, leaders, strict=True)]
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}" if len(clauses) > 1 else clauses[0]


def _left_out(result: MethodRankingResult, ranking: RankingInScope) -> list[str]:
    without = [row for row in result.rankings if row.scope == ranking.scope and not row.systems]
    clauses = [undefined([f"the ranking by {CALLED[row.method]}" for row in without], [row.reason for row in without])]
    if ranking.excluded:
        clauses.append(f"{listed(ranking.excluded)} {'has' if len(ranking.excluded) == 1 else 'have'} no answers")
    return clauses
