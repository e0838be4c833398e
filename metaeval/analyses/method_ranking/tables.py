"""The tables of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from metaeval.analyses.base.tables import column, table

TITLES = {
    "preference_fraction": "Preference fraction",
    "rank_centrality": "Rank centrality",
    "bradley_terry": "Bradley-Terry",
    "davidson": "Davidson",
}
UNITS = {"methods": "Method", "systems": "System", "models": "Model"}
TIES = {"": "", "decisive": "left out", "all": "divided by", "half": "half a win", "modelled": "modelled"}


def tables_of(
    rankings: Sequence[dict[str, Any]], outcomes: Sequence[dict[str, Any]], *, units: str, level: float
) -> list[dict[str, Any]]:
    """The ranking as papers print it, all rankings with their uncertainty, the models, and who won against whom."""
    unit = UNITS[units]
    scopes = list(dict.fromkeys(row["scope"] for row in rankings))
    several = len(scopes) > 1
    of = [column("scope", "Model")] if several else []
    tables = [_printed(rankings, scopes, unit)] if several else []
    interval = f"{100 * level:g} %"
    tables.append(
        table(
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
                "Strength: a share (preference fraction), a chance (rank centrality), or a logarithm, on average 0 "
                "(Bradley-Terry, Davidson).",
                "“Keeps its rank”: the share of bootstrap samples in which the rank is the same.",
            ],
        )
    )
    tables.append(
        table(
            "models",
            "What the rankings rest on",
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
                ranking
                | {
                    "by": TITLES[ranking["method"]],
                    "ties": TIES[ranking["ties"]],
                    "notes": _why(ranking),
                }
                for ranking in rankings
            ],
        )
    )
    tables.append(
        table(
            "outcomes",
            "Who was preferred to whom how often",
            [
                *of,
                column("first", "One"),
                column("second", "Other"),
                column("first_wins", "One preferred"),
                column("ties", "Both or neither"),
                column("second_wins", "Other preferred"),
            ],
            [
                {
                    "scope": entry["scope"],
                    "first": entry["names"][i],
                    "second": entry["names"][j],
                    "first_wins": round(entry["wins"][i][j]),
                    "ties": round(entry["ties"][i][j]),
                    "second_wins": round(entry["wins"][j][i]),
                }
                for entry in outcomes
                for i, j in combinations(range(len(entry["names"])), 2)
                if entry["wins"][i][j] + entry["wins"][j][i] + entry["ties"][i][j]
            ],
        )
    )
    return tables


def _printed(rankings: Sequence[dict[str, Any]], scopes: Sequence[str], unit: str) -> dict[str, Any]:
    """Table 6: a row a method, the rank and the strength in every scope by the first of the rankings."""
    first = rankings[0]["method"]
    chosen = {row["scope"]: row for row in rankings if row["method"] == first}
    cells: dict[str, dict[str, Any]] = {}
    for number, scope in enumerate(scopes):
        for system in chosen[scope]["systems"]:
            row = cells.setdefault(system["name"], {"name": system["name"]})
            row |= {f"rank_{number}": system["rank"], f"strength_{number}": system["strength"]}
    columns = [column("name", unit)]
    for number, scope in enumerate(scopes):
        columns += [
            column(f"strength_{number}", TITLES[first], group=scope),
            column(f"rank_{number}", "Rank", group=scope),
        ]
    return table("by_model", f"{TITLES[first]} by model", columns, cells.values())


def _rows(ranking: dict[str, Any]) -> list[dict[str, Any]]:
    common = {"scope": ranking["scope"], "by": TITLES[ranking["method"]]}
    if ranking["reason"]:
        return [common | {"notes": f"undefined: {ranking['reason']}"}]
    return [
        {
            **common,
            **system,
            "low": system["interval"]["low"],
            "high": system["interval"]["high"],
            "notes": f"no interval: {system['interval']['reason']}" if system["interval"]["reason"] else "",
        }
        for system in ranking["systems"]
    ]


def _why(ranking: dict[str, Any]) -> str:
    words = [f"undefined: {ranking['reason']}"] if ranking["reason"] else []
    if ranking["excluded"]:
        words.append(f"without responses: {', '.join(ranking['excluded'])}")
    return "; ".join(words)
