"""Rankings of systems: from preferences (fractions, rank centrality, Bradley-Terry, Davidson, with their uncertainty),
and from the scores of several datasets (Wilcoxon's test, mean ranks)."""

from .mean_ranks import MeanRanks, mean_ranks
from .outcomes import PairwiseOutcomes, unrankable_because
from .ranked import RankedSystem, Ranking, rank_by_fraction, rank_by_outcomes
from .strengths import STRENGTH_METHODS, StrengthMethod, Strengths, Ties, strengths
from .wilcoxon import OverallStandings, Standing, WilcoxonTest, leaderboard, wilcoxon, wilcoxon_clusters

__all__ = [
    "STRENGTH_METHODS",
    "MeanRanks",
    "OverallStandings",
    "PairwiseOutcomes",
    "RankedSystem",
    "Ranking",
    "Standing",
    "StrengthMethod",
    "Strengths",
    "Ties",
    "WilcoxonTest",
    "leaderboard",
    "mean_ranks",
    "rank_by_fraction",
    "rank_by_outcomes",
    "strengths",
    "unrankable_because",
    "wilcoxon",
    "wilcoxon_clusters",
]
