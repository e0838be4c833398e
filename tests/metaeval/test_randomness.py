"""Every function that draws takes a seed or a generator, and its work can be split without changing the result."""

import inspect
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import metrics, stats
from metaeval.metrics.perspectivist import random_answers_plan
from metaeval.metrics.relationship import METRICS, relationship_plan
from metaeval.metrics.resampling import resampled_humans_plan
from metaeval.metrics.soft_labels import random_soft_labels_plan
from metaeval.stats import agreement, plain, uncertainty
from metaeval.stats.comparing.pairwise import exchange_plan
from metaeval.stats.comparing.tie_calibration import ExchangedGroups
from metaeval.stats.power.curve import power_curve_plan
from metaeval.stats.power.planned import power_plan
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan
from metaeval.stats.responses.people import share_plan
from metaeval.stats.uncertainty.items import one_of_each_plan
from metaeval.stats.uncertainty.simulation import SHARES, labeller_plan

RNG = np.random.default_rng(1)
SCORES, TARGET = {"m": RNG.random(9), "w": RNG.random(9)}, RNG.random(9)
CELLS = [RNG.normal(size=(6, 20)) for _ in range(3)]
MANY_SYSTEMS = RNG.normal(size=(3, 20))
UP = [1.0, 2.0, 3.0, 5.0, 8.0]
VOTES = [[10, 5, 5], [3, 9, 8], [20, 0, 0]]
COUNTS = agreement.Annotations.from_counts([[3, 0], [2, 1], [0, 3], [1, 2], [0, 2]])
MANY = agreement.Annotations.from_counts(RNG.multinomial(4, [0.6, 0.4], 600))
WINS = stats.PairwiseOutcomes.of([[0, 9, 8], [3, 0, 7], [2, 4, 0]])
JUDGED = stats.Judgements.of(
    system=["abc"[r % 3] for r in range(90)],
    comparison=[r // 9 for r in range(90)],
    expert=[r % 7 for r in range(90)],
    chosen=RNG.random(90) < 0.5,
)
SIDES = (["x", "y", "z"] * 20, RNG.random(60) < 0.5, RNG.random(60) < 0.5)
DESIGN = stats.StudyDesign(systems=6, instances=4, experts_per_comparison=2, experts=5, correlation=0.5)
ALPHA = agreement.KrippendorffAlpha(COUNTS)
BOTH = ("comparisons", "experts")


def counted(plan):
    """A permutation plan, whose blocks add up, in the shape of a resampling plan."""
    return SimpleNamespace(
        blocks=plan.blocks,
        block=plan.count,
        merged=lambda blocks: sum(blocks, start=plan.empty()),
        run=lambda: sum((plan.count(b) for b in range(len(plan.blocks))), start=plan.empty()),
    )


def by_share(curve):
    """Points of a curve are the blocks: each share has random numbers of its own."""
    return SimpleNamespace(
        blocks=SHARES,
        block=lambda b: [point.to_dict() for point in curve(shares=SHARES[b : b + 1])],
        merged=lambda blocks: [point for block in blocks for point in block],
        run=lambda: [point.to_dict() for point in curve(shares=SHARES)],
    )


PLANS = {
    metrics.metric_relationship: lambda seed: relationship_plan(
        1, 1, 3, pairs=12, instances=20, metrics=METRICS, seed=seed
    ),
    metrics.resampled_humans: lambda seed: resampled_humans_plan(VOTES, size=5, n_resamples=4, seed=seed),
    metrics.random_soft_labels: lambda seed: random_soft_labels_plan(600, 3, "multiclass", seed),
    metrics.predict_random: lambda seed: random_answers_plan(5, 600, 4, seed),
    stats.CorrelationBootstrap: lambda seed: (
        stats.CorrelationBootstrap(SCORES, TARGET, n_resamples=600, seed=seed).plan
    ),
    stats.correlation_intervals: lambda seed: (
        stats.CorrelationBootstrap(SCORES, TARGET, n_resamples=600, seed=seed).plan
    ),
    stats.PermutationPlan: lambda seed: counted(stats.PermutationPlan(SCORES, TARGET, n_resamples=200_000, seed=seed)),
    stats.correlation_tests: lambda seed: counted(
        stats.PermutationPlan(SCORES, TARGET, n_resamples=200_000, seed=seed)
    ),
    stats.ResamplingPlan: lambda seed: stats.ResamplingPlan(
        lambda stream, size: np.random.default_rng(stream).random(size), n_resamples=600, seed=seed
    ),
    stats.permutation_comparison: lambda seed: stats.PairedMetrics(*CELLS).permutation_plan(
        "both-cells", n_resamples=600, seed=seed
    ),
    stats.bootstrap_comparison: lambda seed: stats.PairedMetrics(*CELLS).bootstrap_plan(
        "both", n_resamples=600, seed=seed
    ),
    stats.paired_correlation_test: lambda seed: stats.PairedUnits(*MANY_SYSTEMS).permutation_plan(
        n_resamples=600, seed=seed
    ),
    stats.bootstrap_correlation: lambda seed: stats.PairedMetrics(CELLS[0], CELLS[0], CELLS[1]).bootstrap_plan(
        "both", n_resamples=600, seed=seed
    ),
    stats.tie_calibrated_comparison: lambda seed: ExchangedGroups.of(
        *(cells.T for cells in CELLS), np.ones_like(CELLS[0].T, dtype=bool)
    ).plan(600, seed),
    stats.pairwise_p_values: lambda seed: exchange_plan(CELLS[0], n_resamples=3000, seed=seed),
    stats.soft_pairwise_accuracy: lambda seed: exchange_plan(CELLS[1], n_resamples=3000, seed=seed),
    stats.position_bias: lambda seed: share_plan([3, 5, 9], [8, 8, 11], n_resamples=600, seed=seed),
    stats.guessed_blinding: lambda seed: share_plan([-3, 5, 2], [8, 8, 11], n_resamples=600, seed=seed),
    stats.power: lambda seed: power_plan(
        DESIGN,
        correlations=[DESIGN.correlation],
        coefficient="pearson",
        n_resamples=130,
        n_test_resamples=40,
        alternative="two-sided",
        two_sided="double",
        seed=seed,
    ),
    stats.power_curve: lambda seed: power_curve_plan(
        DESIGN,
        correlations=[0.2, 0.9],
        coefficient="kendall",
        n_resamples=70,
        n_test_resamples=40,
        alternative="two-sided",
        two_sided="double",
        seed=seed,
    ),
    stats.rank_by_fraction: lambda seed: fraction_plan(JUDGED, over=BOTH, n_resamples=600, seed=seed),
    stats.rank_by_outcomes: lambda seed: outcome_plan(
        WINS, "bradley_terry", ties="decisive", n_resamples=600, seed=seed
    ),
    agreement.Bootstrap: lambda seed: agreement.AgreementBootstrap(ALPHA, agreement.Bootstrap(200, seed=seed)).plan,
    uncertainty.random_labeller: lambda seed: labeller_plan(600, 2, 5, seed),
    uncertainty.stratified_table: lambda seed: one_of_each_plan(600, seed),
    uncertainty.simulated_curve: lambda seed: by_share(
        lambda shares: uncertainty.simulated_curve(items=20, n_resamples=2, shares=shares, seed=seed)
    ),
    uncertainty.subset_curve: lambda seed: by_share(
        lambda shares: uncertainty.subset_curve(MANY, MANY, size=20, n_resamples=2, shares=shares, seed=seed)
    ),
}

CALLS = {
    metrics.metric_relationship: lambda seed: metrics.metric_relationship(1, 1, 3, pairs=12, instances=20, seed=seed),
    metrics.resampled_humans: lambda seed: [
        sample.shares for sample in metrics.resampled_humans(VOTES, size=5, n_resamples=4, seed=seed)
    ],
    metrics.random_soft_labels: lambda seed: metrics.random_soft_labels(9, 3, "multilabel", seed),
    metrics.predict_random: lambda seed: metrics.predict_random("abc", [["x", "y"], ["x"]] * 9, seed),
    stats.CorrelationBootstrap: lambda seed: stats.CorrelationBootstrap(
        SCORES, TARGET, n_resamples=20, seed=seed
    ).plan.run(),
    stats.correlation_intervals: lambda seed: stats.correlation_intervals(SCORES, TARGET, n_resamples=300, seed=seed),
    stats.PermutationPlan: lambda seed: stats.PermutationPlan(SCORES, TARGET, n_resamples=300, seed=seed).run(),
    stats.correlation_tests: lambda seed: stats.correlation_tests(SCORES, TARGET, n_resamples=300, seed=seed),
    stats.ResamplingPlan: lambda seed: PLANS[stats.ResamplingPlan](seed).run(),
    stats.permutation_comparison: lambda seed: stats.permutation_comparison(
        *CELLS, method="both-cells", n_resamples=300, seed=seed
    ),
    stats.bootstrap_comparison: lambda seed: stats.bootstrap_comparison(*CELLS, n_resamples=300, seed=seed),
    stats.paired_correlation_test: lambda seed: stats.paired_correlation_test(
        *MANY_SYSTEMS, n_resamples=300, seed=seed
    ),
    stats.bootstrap_correlation: lambda seed: stats.bootstrap_correlation(*CELLS[:2], n_resamples=300, seed=seed),
    stats.tie_calibrated_comparison: lambda seed: stats.tie_calibrated_comparison(
        *(cells.T for cells in CELLS), n_resamples=300, seed=seed
    ),
    stats.pairwise_p_values: lambda seed: stats.pairwise_p_values(CELLS[0], n_resamples=300, seed=seed),
    stats.soft_pairwise_accuracy: lambda seed: stats.soft_pairwise_accuracy(*CELLS[:2], n_resamples=300, seed=seed),
    stats.position_bias: lambda seed: stats.position_bias(*SIDES, n_resamples=300, seed=seed),
    stats.guessed_blinding: lambda seed: stats.guessed_blinding(
        SIDES[0], ["a"] * 60, SIDES[1].tolist(), n_resamples=300, seed=seed
    ),
    stats.power: lambda seed: stats.power(DESIGN, n_resamples=30, n_test_resamples=40, seed=seed),
    stats.power_curve: lambda seed: stats.power_curve(DESIGN, n_resamples=30, n_test_resamples=40, seed=seed),
    stats.rank_by_fraction: lambda seed: stats.rank_by_fraction(JUDGED, n_resamples=300, seed=seed),
    stats.rank_by_outcomes: lambda seed: stats.rank_by_outcomes(WINS, n_resamples=300, seed=seed),
    agreement.Bootstrap: lambda seed: agreement.krippendorff_alpha(
        COUNTS, bootstrap=agreement.Bootstrap(300, seed=seed)
    ),
    uncertainty.random_labeller: lambda seed: uncertainty.random_labeller(MANY, seed=seed).label,
    uncertainty.stratified_table: lambda seed: uncertainty.stratified_table(MANY, MANY, seed=seed),
    uncertainty.simulated_curve: lambda seed: uncertainty.simulated_curve(items=20, n_resamples=2, seed=seed),
    uncertainty.subset_curve: lambda seed: uncertainty.subset_curve(MANY, MANY, size=20, n_resamples=2, seed=seed),
}


def said(result):
    """The result as text, to the last digit."""
    return json.dumps(plain(result.to_dict() if hasattr(result, "to_dict") else result))


def drawing():
    """Everything public that takes a seed."""
    for library in (metrics, stats, agreement, uncertainty):
        for name in library.__all__:
            thing = getattr(library, name)
            makes = thing.__init__ if inspect.isclass(thing) else thing
            if inspect.isfunction(makes) and "seed" in inspect.signature(makes).parameters:
                yield thing


def test_everything_that_takes_a_seed_is_tested_here():
    assert set(drawing()) == set(PLANS) == set(CALLS)


def named(thing):
    return thing.__name__


@pytest.mark.parametrize("thing", PLANS, ids=named)
@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 99), shards=st.integers(1, 4), random=st.randoms(use_true_random=False))
def test_the_merged_result_does_not_depend_on_who_draws_which_block_and_when(thing, seed, shards, random):
    numbers = list(range(len(PLANS[thing](seed).blocks)))
    assert len(numbers) > 1
    random.shuffle(numbers)
    drawn = {}
    for shard in range(shards):
        plan = PLANS[thing](seed)  # as another process would have it
        drawn |= {number: plan.block(number) for number in numbers[shard::shards]}
    merged = PLANS[thing](seed).merged([drawn[number] for number in sorted(drawn)])
    assert said(merged) == said(PLANS[thing](seed).run())


@pytest.mark.parametrize("thing", CALLS, ids=named)
def test_a_seed_is_a_number_a_sequence_or_a_generator_and_decides_everything(thing):
    call = CALLS[thing]
    number = said(call(7))
    root = np.random.SeedSequence(7)
    assert number == said(call(7)) == said(call(root)) == said(call(root))  # a sequence is not used up
    assert number != said(call(8))
    first, second = (said(call(np.random.default_rng(7))) for _ in range(2))
    assert first == second
    generator = np.random.default_rng(7)
    assert said(call(generator)) == first != said(call(generator))  # a generator is, so that two calls differ


@pytest.mark.parametrize("resamples", [10, 5000], ids=["sampled", "enumerated"])
@pytest.mark.parametrize(
    "call",
    [
        lambda resamples, seed: stats.correlation_tests({"m": UP}, UP, n_resamples=resamples, seed=seed),
        lambda resamples, seed: stats.permutation_comparison(*CELLS, n_resamples=resamples, seed=seed),
        lambda resamples, seed: stats.pairwise_p_values([UP, UP[::-1]], n_resamples=resamples, seed=seed),
    ],
    ids=["correlation", "paired", "pairwise"],
)
def test_a_generator_moves_on_by_one_draw_whether_a_test_samples_or_enumerates(call, resamples):
    """What is drawn from it afterwards does not depend on how many systems a test had."""
    generator, other = np.random.default_rng(7), np.random.default_rng(7)
    call(resamples, generator)
    other.integers(2**63)
    assert generator.integers(2**63) == other.integers(2**63)
