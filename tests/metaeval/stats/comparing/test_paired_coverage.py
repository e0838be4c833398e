"""How often the intervals of the difference of two metrics contain it, by simulation. Of the long tier."""

import numpy as np
import pytest

from metaeval.stats import PairedMetrics, bootstrap_comparison

pytestmark = pytest.mark.long

SYSTEMS, INPUTS, STUDIES = 25, 60, 600


class World:
    """Systems of some quality that two metrics see in part, on inputs that are easy or hard for all."""

    def __init__(self, rng):
        self.rng = rng
        self.quality = rng.normal(size=SYSTEMS)
        self.seen = [a * self.quality + b * rng.normal(size=SYSTEMS) for a, b in ((0.7, 0.7), (0.5, 0.85))]

    def study(self):
        """Scores of both metrics and judgements of every cell, on new inputs: each (systems, inputs)."""
        rng = self.rng
        shared = 2 * rng.normal(size=(SYSTEMS, INPUTS))
        judged = self.quality[:, None] + rng.normal(size=INPUTS) + shared
        noise = rng.normal(size=(2, SYSTEMS, INPUTS)) * 1.5 + rng.normal(size=(2, 1, INPUTS)) + 0.4 * shared
        return self.seen[0][:, None] + noise[0], self.seen[1][:, None] + noise[1], judged


@pytest.mark.parametrize(
    ("method", "coefficient", "most"),
    [
        ("systems", "pearson", 0.97),
        ("systems", "spearman", 0.97),
        ("systems", "kendall", 0.97),
        ("inputs", "pearson", 0.97),
        ("both", "pearson", 0.99),
    ],
)
def test_an_interval_of_95_percent_holds_the_difference_of_repetitions_as_often_as_its_docstring_says(
    method, coefficient, most
):
    rng = np.random.default_rng(1)
    how = {"coefficient": coefficient}
    everywhere = np.mean([PairedMetrics(*World(rng).study(), **how).difference for _ in range(2000)])
    held = 0
    for seed in range(STUDIES):
        world = World(rng)
        again = (PairedMetrics(*world.study(), **how).difference for _ in range(60))
        truth = np.mean(list(again)) if method == "inputs" else everywhere
        found = bootstrap_comparison(*world.study(), method=method, n_resamples=400, seed=seed, **how)
        held += truth in found.interval
    assert 0.92 <= held / STUDIES <= most, held / STUDIES
