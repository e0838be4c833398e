"""How often the intervals contain the truth, by simulation. Of the long tier."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from scipy.special import expit

from metaeval.stats import (
    COEFFICIENTS,
    CorrelationBootstrap,
    Judgements,
    PairwiseOutcomes,
    guessed_blinding,
    position_bias,
    rank_by_fraction,
    rank_by_outcomes,
)

pytestmark = pytest.mark.long

RHO, STUDIES, RESAMPLES, REPETITIONS = 0.6, 600, 400, 100
LEAST, MOST = 0.92, 0.97
METHODS = ("percentile", "bca")
SYSTEMS, BOTH, ALL = ("systems",), ("comparisons", "experts"), ("systems", "comparisons", "experts")
PARTS = (("comparisons",), ("experts",), ("systems", "comparisons"), ("systems", "experts"))


@dataclass(frozen=True)
class Design:
    """A study on the scale of log-odds; each comparison is judged by some of the experts, drawn at random."""

    systems: int
    instances: int
    experts: int
    each: int
    spread: float

    def drawn(self, rng, times=1):
        """Everything that a repetition may draw anew: metric, quality, difficulty, leniency."""
        quality = rng.normal(size=self.systems)
        metric = RHO * quality + math.sqrt(1 - RHO**2) * rng.normal(size=self.systems)
        return metric, quality, *self.people(rng, times)

    def people(self, rng, times=1):
        difficulty = rng.normal(0, 0.5, (times, self.systems, self.instances))
        return difficulty, rng.normal(0, 0.3, (times, self.experts))

    def judged(self, rng, quality, difficulty, leniency):
        """Who judges what (times, systems, instances, each), and whether it was preferred."""
        times = max(len(difficulty), len(leniency))
        panels = rng.random((1000, self.experts)).argsort(axis=1)[:, : self.each]
        who = panels[rng.integers(0, len(panels), (times, self.systems, self.instances))]
        lenient = np.broadcast_to(leniency, (times, self.experts))[np.arange(times)[:, None, None, None], who]
        chance = expit(-0.4 + self.spread * quality[:, None, None] + difficulty[..., None] + lenient)
        return who, rng.random(who.shape) < chance

    def average(self, rng, over, metric, world):
        """The mean correlation of repetitions with the same systems, and new draws of what `over` lists."""
        quality, difficulty, leniency = world
        new_difficulty, new_leniency = self.people(rng, REPETITIONS)
        _, chosen = self.judged(
            rng,
            quality,
            new_difficulty if "comparisons" in over else difficulty,
            new_leniency if "experts" in over else leniency,
        )
        return np.nanmean([coefficients(metric, row) for row in chosen.mean(axis=(2, 3))], axis=0)


DESIGNS = {
    "the default": Design(systems=25, instances=28, experts=28, each=4, spread=0.8),
    "few alike systems, few judgements": Design(systems=12, instances=16, experts=12, each=3, spread=0.4),
}
SMALL = "few alike systems, few judgements"


def coefficients(x, y):
    from metaeval.stats.correlating.coefficient_kernels import coefficient

    room = np.empty(len(x)), np.empty(len(x))
    return [coefficient(number, x, y, len(x), *room) for number in range(3)]


def judgements(who, chosen):
    s, i, _ = np.indices(who.shape)
    return Judgements.of(
        system=[f"{name:03}" for name in s.ravel().tolist()],
        comparison=i.ravel().tolist(),
        expert=who.ravel().tolist(),
        chosen=chosen.ravel(),
    )


@lru_cache
def unconditional(name):
    """The mean correlation of repetitions with other systems."""
    design, rng = DESIGNS[name], np.random.default_rng(8)
    found = []
    for _ in range(3000):
        metric, *world = design.drawn(rng)
        found.append(coefficients(metric, design.judged(rng, *world)[1][0].mean(axis=(1, 2))))
    return np.mean(found, axis=0)


@lru_cache
def coverage(name, over):
    """The share of studies in which each coefficient's interval by each method contains its target."""
    design, rng = DESIGNS[name], np.random.default_rng(9)
    held = dict.fromkeys([(c, m) for c in COEFFICIENTS for m in METHODS], 0)
    for seed in range(STUDIES):
        metric, *world = design.drawn(rng)
        who, chosen = design.judged(rng, *world)
        about = unconditional(name) if "systems" in over else design.average(rng, over, metric, world)
        bootstrap = CorrelationBootstrap(
            {"m": metric}, judgements(who[0], chosen[0]), over=over, n_resamples=RESAMPLES, seed=seed
        )
        replicates = bootstrap.plan.run()
        for method in METHODS:
            for found, truth in zip(bootstrap.intervals(replicates, method=method), about, strict=True):
                held[found.coefficient, method] += truth in found.interval
    return {key: count / STUDIES for key, count in held.items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(
    ("name", "over"),
    [*((name, over) for name in DESIGNS for over in (SYSTEMS, BOTH, ALL)), *((SMALL, p) for p in PARTS)],
)
def test_an_interval_of_95_percent_holds_the_average_of_repetitions_in_92_to_97_percent_of_studies(
    name, over, coefficient, method
):
    """The standard error of a share is 0.9 points; the methods' own shares lie between 93 and 96.5%."""
    assert LEAST <= coverage(name, over)[coefficient, method] <= MOST


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_intervals_over_systems_also_hold_the_correlation_of_all_systems(coefficient):
    rng = np.random.default_rng(5)
    truth = {
        "pearson": RHO,
        "spearman": 6 / math.pi * math.asin(RHO / 2),
        "kendall": 2 / math.pi * math.asin(RHO),
    }[coefficient]
    held = 0
    for seed in range(STUDIES):
        target = rng.normal(size=25)
        metric = RHO * target + math.sqrt(1 - RHO**2) * rng.normal(size=25)
        bootstrap = CorrelationBootstrap(
            {"m": metric}, target, coefficients=[coefficient], n_resamples=RESAMPLES, seed=seed
        )
        (found,) = bootstrap.intervals(bootstrap.plan.run())
        held += truth in found.interval
    assert LEAST <= held / STUDIES <= MOST


@pytest.mark.parametrize("over", [BOTH, *PARTS[:2]])
def test_intervals_of_preference_fractions_cover_as_often_as_they_say(over):
    """Over new comparisons and experts; the level of all systems moves with the experts, so they are few here."""
    design, rng = Design(systems=4, instances=28, experts=28, each=4, spread=0.8), np.random.default_rng(10)
    held = studies = 0
    for seed in range(400):
        _, quality, difficulty, leniency = design.drawn(rng)
        who, chosen = design.judged(rng, quality, difficulty, leniency)
        new_difficulty, new_leniency = design.people(rng, 500)
        _, again = design.judged(
            rng,
            quality,
            new_difficulty if "comparisons" in over else difficulty,
            new_leniency if "experts" in over else leniency,
        )
        truth = again.mean(axis=(0, 2, 3))
        ranking = rank_by_fraction(judgements(who[0], chosen[0]), over=over, n_resamples=RESAMPLES, seed=seed)
        held += sum(truth[int(system.name)] in system.interval for system in ranking.systems)
        studies += design.systems
    assert LEAST <= held / studies <= MOST


@pytest.mark.parametrize("what", ["side", "guess"])
def test_intervals_over_experts_cover_as_often_as_they_say(what):
    """28 experts who differ, 28 answers each: the share of side A, and Bang's index."""
    rng, held = np.random.default_rng(11), 0
    experts, truth = np.repeat(np.arange(28), 28).tolist(), 0.55
    for seed in range(STUDIES):
        each = rng.beta(truth * 20, (1 - truth) * 20, 28)
        yes = (rng.random((28, 28)) < each[:, None]).ravel()
        if what == "side":
            held += truth in position_bias(experts, yes, ~yes, n_resamples=RESAMPLES, seed=seed).interval
        else:
            found = guessed_blinding(experts, ["a"] * len(experts), yes.tolist(), n_resamples=RESAMPLES, seed=seed)
            held += 2 * truth - 1 in found.interval
    assert LEAST <= held / STUDIES <= MOST


def test_intervals_of_bradley_terry_strengths_cover_as_often_as_they_say():
    rng = np.random.default_rng(7)
    strength = np.array([0.6, 0.2, 0.0, -0.3, -0.5])
    chance = expit(strength[:, None] - strength[None, :])
    held = total = 0
    for seed in range(400):
        upper = np.triu(rng.binomial(40, chance), 1)
        wins = upper + np.triu(40 - upper, 1).T
        ranking = rank_by_outcomes(PairwiseOutcomes.of(wins), "bradley_terry", n_resamples=RESAMPLES, seed=seed)
        for system in ranking.systems:
            held += strength[int(system.name)] in system.interval
            total += 1
    assert LEAST <= held / total <= MOST
