"""Intervals: the textbook's quantiles, and a reason where there are none."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.special import ndtri

from metaeval.sampling import seed_sequence, stream
from metaeval.stats import bootstrap_interval, wilson_interval
from metaeval.stats.intervals import Interval, acceleration, means_plan


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_equal_scipy_on_the_same_replicates(method, scipy_method):
    sample = np.random.default_rng(3).gamma(2.0, size=40)
    replicates = np.random.default_rng(4).choice(sample, (2000, 40)).mean(axis=1)
    jackknife = [np.delete(sample, i).mean() for i in range(40)]
    ours = bootstrap_interval(
        replicates, confidence_level=0.9, method=method, observed=float(sample.mean()), jackknife=jackknife
    )
    theirs = scipy_stats.bootstrap(
        (sample,),
        np.mean,
        confidence_level=0.9,
        method=scipy_method,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=replicates),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert ours.standard_error == pytest.approx(replicates.std(ddof=1))
    assert sample.mean() in ours


def test_bca_without_bias_and_skewness_is_the_percentile_interval():
    replicates = np.linspace(-1, 1, 1001)
    percentile = bootstrap_interval(replicates)
    bca = bootstrap_interval(replicates, method="bca", observed=0.0, jackknife=[-1, 0, 1])
    assert (bca.low, bca.high) == pytest.approx((percentile.low, percentile.high), abs=1e-12)


@given(st.floats(-1, 1), st.floats(0.2, 3), st.floats(0.5, 2))
def test_centred_replicates_give_an_interval_round_the_observed_value(bias, spread, stretch):
    """Of normal replicates whose centre is off: the interval that they would give had they been moved."""
    replicates = bias + spread * ndtri((np.arange(4000) + 0.5) / 4000)
    z = 1.959963984540054
    for method in ("percentile", "bca"):
        found = bootstrap_interval(replicates, method=method, observed=0.0, centred=True, stretch=stretch)
        if abs(bias) + stretch * z * spread < 3 * spread:
            assert (found.low, found.high) == pytest.approx(
                (-stretch * z * spread, stretch * z * spread), abs=0.05 * spread
            )


def test_centred_replicates_on_one_side_have_no_interval():
    assert "one side" in bootstrap_interval([1.0, 2.0, 3.0], observed=0.0, centred=True).reason
    assert bootstrap_interval([1.0, 2.0], undefined_because="all values are equal").reason == "all values are equal"


def test_undefined_replicates_are_left_out_and_counted():
    interval = bootstrap_interval([0.0, 1.0, math.nan, 0.5])
    assert (interval.n_resamples, interval.undefined) == (4, 1)
    assert 0.5 in interval
    mostly = bootstrap_interval([0.0, math.nan, math.nan, math.nan])
    assert " 3 of 4 " in mostly.reason
    assert mostly.to_dict()["low"] is None


@pytest.mark.parametrize(("defined", "undefined"), [(2, 3), (5, 6), (1, 0)])
def test_an_interval_needs_two_replicates_and_half_of_them(defined, undefined):
    found = bootstrap_interval([*range(defined), *[math.nan] * undefined])
    assert f" {undefined} of {defined + undefined} " in found.reason
    assert (found.n_resamples, found.undefined) == (defined + undefined, undefined)
    enough = bootstrap_interval([*range(defined + 1), *[math.nan] * (undefined - 1)])
    assert (enough.reason, enough.undefined) == ("", max(0, undefined - 1))


def test_an_interval_holds_its_limits_and_what_is_between():
    interval = Interval(0.1, 0.3, 0.95, "percentile", 100)
    assert [value in interval for value in (0.09, 0.1, 0.2, 0.3, 0.31)] == [False, True, True, True, False]
    assert interval.undefined == 0


def test_bca_is_undefined_where_its_correction_is():
    assert "one side" in bootstrap_interval([1.0, 2.0, 3.0], method="bca", observed=0.0).reason
    assert "undefined" in bootstrap_interval([1.0, 2.0, 3.0], method="bca").reason
    constant = bootstrap_interval([1.0, 1.0, 1.0], method="bca", observed=1.0, jackknife=[1.0, 1.0])
    assert (constant.low, constant.high) == (1.0, 1.0)


def test_the_acceleration_needs_two_values():
    assert acceleration([]) == acceleration([3.0]) == acceleration([math.nan, 2.0]) == 0.0


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_equals_scipy(successes, n, level):
    successes = min(successes, n)
    theirs = scipy_stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert wilson_interval(successes, n, confidence_level=level) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_share_of_nobody_has_no_interval():
    assert all(math.isnan(limit) for limit in wilson_interval(0, 0))
    assert [wilson_interval(0, n)[0] for n in range(1, 60)] == [0.0] * 59  # exactly, whatever rounding leaves
    assert [wilson_interval(n, n)[1] for n in range(1, 60)] == [1.0] * 59


@pytest.mark.parametrize("successes", [1e-16, 3e-16, 1e-15, 1e-12, 0.5])
def test_wilson_stays_between_0_and_1_whatever_rounding_does(successes):
    """Certain answers count fully, others partly, so successes need not be integers."""
    for n in range(1, 60):
        for share in (successes, n - successes):
            low, high = wilson_interval(share, n)
            assert 0 <= low <= high <= 1


@pytest.mark.parametrize("level", [-0.5, 0, 1, 95])
def test_a_level_is_a_share(level):
    with pytest.raises(ValueError, match=f"confidence_level is {level}"):
        bootstrap_interval([1, 2], confidence_level=level)


def test_all_systems_see_the_same_items_in_blocks_of_64_resamples():
    scores = np.random.default_rng(1).random((3, 20))
    plan = means_plan(scores, n_resamples=130, seed=5)
    assert plan.blocks == (64, 64, 2)
    first = np.random.default_rng(stream(seed_sequence(5), 0)).integers(0, 20, (64, 20))
    expected = [[row[items].mean() for row in scores] for items in first]
    assert plan.block(0) == pytest.approx(np.array(expected), abs=1e-12)
    assert (plan.run() == plan.merged([plan.block(number) for number in range(3)])).all()


def test_replicates_spread_as_a_mean_of_so_many_items_does():
    scores = np.random.default_rng(2).normal(size=(2, 50))
    drawn = means_plan(scores, n_resamples=3000, seed=1).run()
    assert drawn.mean(axis=0) == pytest.approx(scores.mean(axis=1), abs=0.01)
    assert drawn.std(axis=0) == pytest.approx(scores.std(axis=1) / math.sqrt(50), rel=0.05)


@pytest.mark.parametrize("scores", [[1.0, 2.0], [[], []], [[1.0, math.nan]], [[math.inf, 1.0]]])
def test_what_is_not_a_finite_score_for_every_system_and_item_is_refused(scores):
    with pytest.raises(ValueError, match="expected one finite score for every system and item"):
        means_plan(scores, n_resamples=10, seed=1)
