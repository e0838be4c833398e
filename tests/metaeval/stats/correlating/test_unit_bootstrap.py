"""The bootstrap over whole methods: what is drawn together, the coefficient within models, and the judges' noise."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import CorrelationBootstrap, Judgements, correlation_intervals, within_correlation
from metaeval.stats.correlating.bootstrap import JudgingNoise
from metaeval.stats.correlating.bootstrap_kernels import coefficient_within
from metaeval.stats.correlating.coefficient_kernels import NUMBER

SYSTEMS = list(product("AB", "rstuvwxyz"))
COEFFICIENTS = ["pearson", "spearman", "kendall"]


def study(seed, r=0.6):
    rng = np.random.default_rng(seed)
    target = rng.normal(size=18) + np.repeat([0, 2], 9)
    return {"m": r * target + math.sqrt(1 - r**2) * rng.normal(size=18)}, target


def judged(seed, systems=18, comparisons=10, experts=12):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=systems)
    starts = np.arange(systems + 1) * comparisons * 2
    row, comparison = np.divmod(np.arange(systems * comparisons * 2) // 2, comparisons)
    chance = 1 / (1 + np.exp(-quality[row]))
    return quality, Judgements(
        systems=tuple(map(str, range(systems))),
        comparison=comparison,
        expert=rng.integers(0, experts, len(row)),
        chosen=(rng.random(len(row)) < chance).astype(float),
        weight=np.ones(len(row)),
        system_starts=starts,
        comparison_starts=np.arange(systems + 1) * comparisons,
        experts=experts,
    )


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=25),
    st.sampled_from(COEFFICIENTS),
)
def test_the_compiled_coefficient_within_parts_is_that_of_the_library(cells, coefficient):
    parts, x, y = (np.array(column) for column in zip(*cells, strict=True))
    _, part = np.unique(parts, return_inverse=True)
    x, y, n = x / 10, y / 10, len(cells)
    found = coefficient_within(NUMBER[coefficient], x, y, part, n, np.empty((3, part.max() + 1)), np.empty((2, n)))
    assert found == pytest.approx(within_correlation(x, y, part, coefficient).value, abs=1e-12, nan_ok=True)


def test_a_method_is_drawn_with_its_systems_in_all_models():
    # Only whole methods: within models, a metric that follows each method's mean perfectly does so in every resample.
    methods = np.tile(np.arange(9.0), 2)
    bootstrap = CorrelationBootstrap(
        {"m": methods + np.repeat([0, 5], 9)}, methods**1.0, units=SYSTEMS, n_resamples=300
    )
    replicates = bootstrap.plan.run()[:, 0, 0]
    assert replicates == pytest.approx(1.0)
    crossed = np.concatenate([np.arange(9.0), -np.arange(9.0)])  # +1 in one model, -1 in the other
    (none,) = correlation_intervals({"m": crossed}, methods, units=SYSTEMS, coefficients=["pearson"], n_resamples=300)
    assert (none.interval.low, none.interval.high) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_interval_is_about_the_coefficient_within_models(coefficient, method):
    scores, target = study(1)
    (found,) = correlation_intervals(
        scores, target, coefficients=[coefficient], units=SYSTEMS, method=method, n_resamples=2000
    )
    models = np.array([model for model, _ in SYSTEMS])
    assert found.value == pytest.approx(within_correlation(scores["m"], target, models, coefficient).value, abs=1e-12)
    assert (found.statistic, found.units) == ("within models", 9)
    assert found.interval.low < found.value < found.interval.high


def test_the_acceleration_is_the_skewness_of_the_values_without_each_method():
    """BCa about the centre, written out: `replicates` are any numbers, and the stretch is Student's."""
    scores, target = study(3)
    bootstrap = CorrelationBootstrap(scores, target, coefficients=["pearson"], units=SYSTEMS, n_resamples=300)
    models, methods = (np.array(names) for names in zip(*SYSTEMS, strict=True))
    value = within_correlation(scores["m"], target, models).value
    replicates = np.random.default_rng(4).normal(value - 0.03, 0.1, 300)
    (found,) = bootstrap.intervals(replicates[:, None, None], method="bca")
    left = np.array(
        [
            within_correlation(scores["m"][methods != name], target[methods != name], models[methods != name]).value
            for name in np.unique(methods)
        ]
    )
    deviation = left.mean() - left
    a = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    z0 = scipy_stats.norm.ppf((replicates < value).mean())
    moved = math.sqrt(9 / 8) * scipy_stats.t.ppf([0.025, 0.975], 8)
    expected = np.quantile(replicates, scipy_stats.norm.cdf(z0 + moved / (1 - a * moved)))
    assert [found.interval.low, found.interval.high] == pytest.approx(expected, abs=1e-12)
    assert abs(a) > 0.03  # so that another one would be seen


def test_few_methods_have_no_interval_and_the_reason():
    scores, target = study(2)
    (found,) = correlation_intervals(
        {"m": scores["m"][:8]}, target[:8], units=list(product("AB", "wxyz")), coefficients=["pearson"], n_resamples=50
    )
    assert (found.interval.reason[:9], found.interval.reason[-2:]) == ("4 methods", " 6")
    assert math.isfinite(found.value)


def test_judges_alone_can_be_resampled_of_any_number_of_methods():
    quality, answers = judged(3, systems=8)
    (found,) = correlation_intervals(
        {"m": quality}, answers, over=["comparisons"], units=list(product("AB", "wxyz")), coefficients=["pearson"]
    )
    assert found.interval.low < found.value < found.interval.high


def test_what_models_differ_in_is_not_taken_for_judges_noise_or_for_what_varies():
    quality, answers = judged(4)
    fractions = answers.fractions()
    parts = np.repeat([0, 1], 9)
    noise = JudgingNoise.of(answers, fractions)
    there = noise.shrunken(["comparisons"], fractions, quality, parts)
    shifted = noise.shrunken(["comparisons"], fractions + 0.2 * parts, quality + 3 * parts, parts)
    assert shifted.scale == pytest.approx(there.scale)
    assert shifted.pull == pytest.approx(there.pull)
    for part in (0, 1):
        assert there.pull[parts == part].sum() == pytest.approx(0, abs=1e-12)
    without = noise.shrunken(["comparisons"], fractions + 0.2 * parts, quality + 3 * parts)
    assert without.pull != pytest.approx(there.pull)


def test_all_three_can_be_resampled_at_once_and_the_seed_decides():
    quality, answers = judged(5)
    first, again, other = (
        correlation_intervals({"m": quality}, answers, units=SYSTEMS, n_resamples=300, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert all(found.interval.low < found.value < found.interval.high for found in first)
