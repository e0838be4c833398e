"""The tables of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from metaeval.analyses.base.table import Column, Row, Table, column, table
from metaeval.analyses.method_ranking.contests import Units
from metaeval.analyses.method_ranking.result import OutcomesInScope, RankingInScope, TreatmentOfTies
from metaeval.analyses.method_ranking.titles import TITLES

UNITS: dict[Units, str] = {"methods": "Method", "systems": "System", "models": "Model"}
TIES: dict[TreatmentOfTies, str] = {
    "": "",
    "decisive": "left out",
    "all": "divided by",
    "half": "half a win",
    "modelled": "modelled",
}


def tables_of(
    rankings: Sequence[RankingInScope], outcomes: Sequence[OutcomesInScope], *, units: Units, level: float
) -> list[Table]:
    """The ranking as papers print it, all rankings with their uncertainty, the models, and who won against whom."""
    scopes = list(dict.fromkeys(row.scope for row in rankings))
    of = [column("scope", "Model")] if len(scopes) > 1 else []
    return [
        *([_printed(rankings, scopes, UNITS[units])] if len(scopes) > 1 else []),
        _ranking(rankings, of, UNITS[units], f"{100 * level:g}%"),
        _models(rankings, of),
        _outcomes(outcomes, of),
    ]


def _printed(rankings: Sequence[RankingInScope], scopes: Sequence[str], unit: str) -> Table:
    """Table 6: one row per method, with its rank and strength in every scope by the first of the rankings."""
    first = rankings[0].method
    chosen = {row.scope: row for row in rankings if row.method == first}
    cells: dict[str, Row] = {}
    for number, scope in enumerate(scopes):
        for system in chosen[scope].systems:
            row = cells.setdefault(system.name, {"name": system.name})
            row |= {f"rank_{number}": system.rank, f"strength_{number}": system.strength}
    columns = [column("name", unit)]
    for number, scope in enumerate(scopes):
        columns += [
            column(f"strength_{number}", TITLES[first], group=scope),
            column(f"rank_{number}", "Rank", group=scope),
        ]
    return table("by_model", f"{TITLES[first]} by model", columns, cells.values())


def _ranking(rankings: Sequence[RankingInScope], of: Sequence[Column], unit: str, interval: str) -> Table:
    """One row for everything ranked, by every kind of ranking."""
    return table(
        "ranking",
        "Ranks, strengths and how stable they are",
        [
            *of,
            column("by", "By"),
            column("rank", "Rank"),
            column("name", unit),
            column("strength", "Strength"),
            column("low", f"{interval} low"),
            column("high", f"{interval} high"),
            column("kept", "Keeps its rank", kind="share"),
            column("notes", "Notes"),
        ],
        [row for ranking in rankings for row in _rows(ranking)],
        notes=[
            "Strength: a share (preference fraction), a probability (rank centrality), or a logarithm "
            "with mean 0 (Bradley-Terry, Davidson).",
            "“Keeps its rank”: the share of bootstrap samples in which it has the same rank.",
        ],
    )


def _rows(ranking: RankingInScope) -> list[Row]:
    common: Row = {"scope": ranking.scope, "by": TITLES[ranking.method]}
    if ranking.reason:
        return [common | {"notes": f"undefined: {ranking.reason}"}]
    return [
        common
        | {
            "rank": system.rank,
            "name": system.name,
            "strength": system.strength,
            "low": system.interval.low,
            "high": system.interval.high,
            "kept": system.kept,
            "notes": f"no interval: {system.interval.reason}" if system.interval.reason else "",
        }
        for system in ranking.systems
    ]


def _models(rankings: Sequence[RankingInScope], of: Sequence[Column]) -> Table:
    """One row per ranking: how many responses it has, and what its model estimates besides the strengths."""
    return table(
        "models",
        "What the rankings are based on",
        [
            *of,
            column("by", "By"),
            column("comparisons", "Responses"),
            column("ties", "Ties are"),
            column("tie_parameter", "Davidson’s nu"),
            column("log_likelihood", "Log-likelihood"),
            column("undefined", "Resamples without a ranking"),
            column("notes", "Notes"),
        ],
        [
            {
                "scope": ranking.scope,
                "by": TITLES[ranking.method],
                "comparisons": ranking.comparisons,
                "ties": TIES[ranking.ties],
                "tie_parameter": ranking.tie_parameter,
                "log_likelihood": ranking.log_likelihood,
                "undefined": ranking.undefined,
                "notes": _why(ranking),
            }
            for ranking in rankings
        ],
    )


def _why(ranking: RankingInScope) -> str:
    words = [f"undefined: {ranking.reason}"] if ranking.reason else []
    if ranking.excluded:
        words.append(f"without responses: {', '.join(ranking.excluded)}")
    return "; ".join(words)


def _outcomes(outcomes: Sequence[OutcomesInScope], of: Sequence[Column]) -> Table:
    """One row for every pair that was compared."""
    return table(
        "outcomes",
        "How often each was preferred to each other",
        [
            *of,
            column("first", "One"),
            column("second", "Other"),
            column("first_wins", "First preferred"),
            column("ties", "Both or neither"),
            column("second_wins", "Second preferred"),
        ],
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
    )
