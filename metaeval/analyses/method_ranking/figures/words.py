"""What rankings are called in figures."""

from __future__ import annotations

from typing import Any

TITLES = {
    "preference_fraction": "Preference fraction",
    "rank_centrality": "Rank centrality",
    "bradley_terry": "Bradley-Terry",
    "davidson": "Davidson",
}
AXES = {
    "preference_fraction": "Share of the responses that preferred it",
    "rank_centrality": "Chance in the long run of the walk",
    "bradley_terry": "Logarithm of the strength (mean 0)",
    "davidson": "Logarithm of the strength (mean 0)",
}


def scopes(result: dict[str, Any]) -> list[str]:
    """What was ranked together, in order: all models, then each."""
    return list(dict.fromkeys(row["scope"] for row in result["rankings"]))
