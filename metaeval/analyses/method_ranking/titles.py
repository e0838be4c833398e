"""What the kinds of ranking are called in tables and figures."""

from __future__ import annotations

from metaeval.analyses.method_ranking.parameters import Method

TITLES: dict[Method, str] = {
    "preference_fraction": "Preference fraction",
    "rank_centrality": "Rank centrality",
    "bradley_terry": "Bradley-Terry",
    "davidson": "Davidson",
    "bradley_terry_map": "Bradley-Terry with a prior",
}
AXES: dict[Method, str] = {
    "preference_fraction": "Share of the responses that preferred it",
    "rank_centrality": "Long-run probability of the random walk",
    "bradley_terry": "Logarithm of the strength (mean 0)",
    "davidson": "Logarithm of the strength (mean 0)",
    "bradley_terry_map": "Logarithm of the strength (mean 0)",
}
SHARES: frozenset[Method] = frozenset({"preference_fraction", "rank_centrality"})
"""Those whose strengths are shares of a whole."""
