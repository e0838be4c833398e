"""Rankings of systems from preferences: fractions, rank centrality, Bradley-Terry, Davidson, with their uncertainty."""

from .graph import unrankable_because
from .outcomes import PairwiseOutcomes
from .ranked import RankedSystem, Ranking, rank_by_fraction, rank_by_outcomes
from .strengths import STRENGTH_METHODS, StrengthMethod, Strengths, Ties, strengths

__all__ = [
    "STRENGTH_METHODS",
    "PairwiseOutcomes",
    "RankedSystem",
    "Ranking",
    "StrengthMethod",
    "Strengths",
    "Ties",
    "rank_by_fraction",
    "rank_by_outcomes",
    "strengths",
    "unrankable_because",
]
