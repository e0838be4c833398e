"""The intervals contain the true value as often as they promise: simulated, so not in every run."""

from functools import cache

import numpy as np
import pytest

from metaeval.stats.agreement import (
    Annotations,
    Bootstrap,
    SetAnnotations,
    cohen_kappas,
    fleiss_kappa,
    krippendorff_alpha,
    mean_binary_alpha,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)

ITEMS, PEOPLE, LABELS = 200, 5, 4
SIMULATIONS, RESAMPLES = 600, 300


def labels_of(rng: np.random.Generator, items: int) -> Annotations:
    """Every item has its own distribution, from which 2 to 5 people draw."""
    shares = rng.dirichlet(np.full(LABELS, 0.5), items)
    sizes = rng.integers(2, PEOPLE + 1, items)
    return Annotations.from_counts(rng.multinomial(sizes, shares))


def sets_of(rng: np.random.Generator, items: int) -> SetAnnotations:
    """Every item has its own probability for each label."""
    chances = rng.beta(0.4, 0.8, (items, 6))
    item = np.repeat(np.arange(items), rng.integers(2, PEOPLE + 1, items))
    return SetAnnotations.from_indicators(item, None, rng.random((len(item), 6)) < chances[item])


def pairs_of(rng: np.random.Generator, items: int) -> Annotations:
    """Two people label every item."""
    shares = rng.dirichlet(np.full(LABELS, 0.5), items)
    label = (rng.random((items, 2, 1)) > shares.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return Annotations.from_columns(np.repeat(np.arange(items), 2), np.tile([0, 1], items), label.ravel())


CASES = {
    "nominal": (labels_of, krippendorff_alpha),
    "ordinal": (labels_of, lambda a, **k: krippendorff_alpha(a, "ordinal", **k)),
    "interval": (labels_of, lambda a, **k: krippendorff_alpha(a, "interval", **k)),
    "ratio": (labels_of, lambda a, **k: krippendorff_alpha(a, "ratio", **k)),
    "fleiss": (labels_of, fleiss_kappa),
    "randolph": (labels_of, lambda a, **k: randolph_kappa(a, labels="all", **k)),
    "percentage": (labels_of, percentage_agreement),
    "cohen": (pairs_of, lambda a, **k: cohen_kappas(a, **k).pairs[0].kappa),
    "pairwise": (labels_of, pairwise_agreement),
    "jaccard": (sets_of, lambda a, **k: krippendorff_alpha(a, "jaccard", **k)),
    "masi": (sets_of, lambda a, **k: krippendorff_alpha(a, "masi", **k)),
    "binary": (sets_of, mean_binary_alpha),
}


@cache
def truth(case: str) -> float:
    draw, measure = CASES[case]
    value: float = measure(draw(np.random.default_rng(0), 100_000)).value
    return value


@pytest.mark.long
@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("case", list(CASES))
def test_an_interval_of_95_percent_holds_the_true_value_in_92_to_97_percent_of_samples(case, method):
    draw, measure = CASES[case]
    true = truth(case)
    rng = np.random.default_rng(1)
    held = 0
    for seed in range(SIMULATIONS):
        bootstrap = Bootstrap(n_resamples=RESAMPLES, method=method, seed=seed)
        interval = measure(draw(rng, ITEMS), bootstrap=bootstrap).interval
        held += true in interval
    assert 0.92 <= held / SIMULATIONS <= 0.97, held / SIMULATIONS
