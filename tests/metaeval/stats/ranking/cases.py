"""Invented outcomes, and every way to turn outcomes into strengths."""

import numpy as np

from metaeval.stats import PairwiseOutcomes

ALL_METHODS = [
    ("fraction", "half"),
    ("rank_centrality", "decisive"),
    ("rank_centrality", "all"),
    ("rank_centrality", "half"),
    ("bradley_terry", "decisive"),
    ("bradley_terry", "half"),
    ("davidson", "decisive"),
    ("bradley_terry_map", "half"),
]


def made_up(seed, systems=5, each=12, ties=True):
    """Every two systems are compared, and each has beaten each."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(1, each, (systems, systems)), 1)
    lower = np.triu(rng.integers(1, each, (systems, systems)), 1).T
    tied = np.triu(rng.integers(0, 5, (systems, systems)), 1) if ties else np.zeros((systems, systems))
    return PairwiseOutcomes.of(upper + lower, tied + tied.T)


def graph(pairs, systems=4):
    """Wins of the first of each pair."""
    wins = np.zeros((systems, systems))
    for i, j in pairs:
        wins[i, j] += 1
    return wins
