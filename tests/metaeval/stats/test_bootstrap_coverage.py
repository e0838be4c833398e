"""How often the intervals hold the truth, by simulation. Slow: run with `-m slow`."""

import math

import numpy as np
import pytest
from scipy.special import expit

from metaeval.stats import CorrelationBootstrap, Judgements, PairwiseOutcomes, correlation, rank_by_outcomes

pytestmark = pytest.mark.slow

SYSTEMS, RHO, SIMULATIONS = 25, 0.6, 1000
LEAST, MOST = 0.92, 0.97


def normal_pairs(rng, n=SYSTEMS):
    z = rng.normal(size=n)
    return RHO * z + math.sqrt(1 - RHO**2) * rng.normal(size=n), z


def study(rng, systems=SYSTEMS, spread=0.8):
    """28 instances a system, 4 of 28 experts a comparison, on the scale of log-odds."""
    metric, quality = normal_pairs(rng, systems)
    order = rng.random((systems, 28, 28)).argsort(axis=2)[:, :, :4]
    people = rng.normal(0, 0.3, 28)
    logit = -0.4 + spread * quality[:, None, None] + rng.normal(0, 0.5, (systems, 28))[:, :, None] + people[order]
    s, i, _ = np.indices(order.shape)
    judged = Judgements.of(
        system=[f"{name:04}" for name in s.ravel()],
        comparison=i.ravel().tolist(),
        expert=order.ravel().tolist(),
        chosen=rng.random(order.size) < expit(logit).ravel(),
    )
    return metric, judged


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_bca_intervals_over_systems_cover_as_often_as_they_say(coefficient):
    rng = np.random.default_rng(5)
    truth = {
        "pearson": RHO,
        "spearman": 6 / math.pi * math.asin(RHO / 2),
        "kendall": 2 / math.pi * math.asin(RHO),
    }[coefficient]
    held = 0
    for seed in range(SIMULATIONS):
        metric, target = normal_pairs(rng)
        bootstrap = CorrelationBootstrap({"m": metric}, target, coefficients=[coefficient], resamples=1000, seed=seed)
        (found,) = bootstrap.intervals(bootstrap.plan.run())
        held += truth in found.interval
    assert LEAST <= held / SIMULATIONS <= MOST


def test_nested_intervals_cover_at_least_as_often_as_they_say_and_err_on_the_wide_side():
    rng = np.random.default_rng(6)
    truth = float(np.mean([correlation(m, j.fractions()).value for m, j in (study(rng, 400) for _ in range(8))]))
    held, simulations = 0, 600
    for seed in range(simulations):
        metric, judged = study(rng)
        bootstrap = CorrelationBootstrap({"m": metric}, judged, coefficients=["pearson"], resamples=800, seed=seed)
        (found,) = bootstrap.intervals(bootstrap.plan.run())
        held += truth in found.interval
    assert 0.94 <= held / simulations <= 0.985


def test_intervals_of_bradley_terry_strengths_cover_as_often_as_they_say():
    rng = np.random.default_rng(7)
    strength = np.array([0.6, 0.2, 0.0, -0.3, -0.5])
    chance = expit(strength[:, None] - strength[None, :])
    held = total = 0
    for seed in range(400):
        upper = np.triu(rng.binomial(40, chance), 1)
        wins = upper + np.triu(40 - upper, 1).T
        ranking = rank_by_outcomes(PairwiseOutcomes.of(wins), "bradley_terry", resamples=500, seed=seed)
        for system in ranking.systems:
            held += strength[int(system.name)] in system.interval
            total += 1
    assert LEAST <= held / total <= MOST
