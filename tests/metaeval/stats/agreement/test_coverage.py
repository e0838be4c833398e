"""The intervals hold the true value as often as they say: simulated, so not in every run."""

import numpy as np
import pytest

from metaeval.stats.agreement import (
    Annotations,
    Bootstrap,
    SetAnnotations,
    fleiss_kappa,
    krippendorff_alpha,
    mean_binary_alpha,
    pairwise_agreement,
)

ITEMS, PEOPLE, LABELS = 200, 5, 4
SIMULATIONS, RESAMPLES = 1500, 400


def labels_of(rng: np.random.Generator, items: int) -> Annotations:
    """Every item has a distribution of its own, from which 2 to 5 people draw."""
    shares = rng.dirichlet(np.full(LABELS, 0.5), items)
    sizes = rng.integers(2, PEOPLE + 1, items)
    return Annotations.from_counts(rng.multinomial(sizes, shares))


def sets_of(rng: np.random.Generator, items: int) -> SetAnnotations:
    """Every item has a chance of its own for each label."""
    chances = rng.beta(0.4, 0.8, (items, 6))
    item = np.repeat(np.arange(items), rng.integers(2, PEOPLE + 1, items))
    return SetAnnotations.from_indicators(item, None, rng.random((len(item), 6)) < chances[item])


CASES = {
    "nominal": (labels_of, krippendorff_alpha),
    "ordinal": (labels_of, lambda a, **k: krippendorff_alpha(a, "ordinal", **k)),
    "fleiss": (labels_of, fleiss_kappa),
    "pairwise": (labels_of, pairwise_agreement),
    "masi": (sets_of, lambda a, **k: krippendorff_alpha(a, "masi", **k)),
    "binary": (sets_of, mean_binary_alpha),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("case", list(CASES))
def test_an_interval_of_95_percent_holds_the_true_value_in_92_to_97_percent_of_samples(case, method):
    draw, measure = CASES[case]
    true = measure(draw(np.random.default_rng(0), 400_000)).value
    rng = np.random.default_rng(1)
    simulations = SIMULATIONS if method == "percentile" or case != "ordinal" else 400
    held = 0
    for seed in range(simulations):
        bootstrap = Bootstrap(resamples=RESAMPLES, method=method, seed=seed)
        interval = measure(draw(rng, ITEMS), bootstrap=bootstrap).interval
        held += interval.lower <= true <= interval.upper
    assert 0.92 <= held / simulations <= 0.97, held / simulations
