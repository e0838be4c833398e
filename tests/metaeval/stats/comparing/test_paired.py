"""Paired tests of two metrics: exact if possible, and like their authors' package if sampled."""

import itertools
import math
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from nlpstats import correlations as nlpstats
from scipy import stats as scipy_stats

from metaeval.stats import PairedMetrics, bootstrap_comparison, bootstrap_correlation, permutation_comparison
from metaeval.stats.comparing.paired import ONE_SYSTEM

LEVELS = ["system", "input", "global"]
COEFFICIENTS = ["pearson", "spearman", "kendall"]
METHODS = ["systems", "inputs", "both-cells", "both-crossed"]


def data(seed, systems=6, inputs=5, noise=(0.7, 1.5)):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(systems, inputs)) + rng.normal(size=(systems, 1))
    return z + rng.normal(0, noise[0], z.shape), z + rng.normal(0, noise[1], z.shape), z


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_correlations_at_every_level_equal_the_authors(level, coefficient):
    x, y, z = data(1)
    metrics = PairedMetrics(x, y, z, correlation_level=level, coefficient=coefficient)
    assert metrics.first == pytest.approx(nlpstats.correlate(x, z, level, coefficient), abs=1e-12)
    assert metrics.second == pytest.approx(nlpstats.correlate(y, z, level, coefficient), abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_missing_cells_are_left_out_as_the_authors_do(level, coefficient):
    x, y, z = data(2, systems=7, inputs=9)
    holes = np.random.default_rng(3).random(x.shape) < 0.2
    for matrix in (x, y, z):
        matrix[holes] = np.nan
    metrics = PairedMetrics(x, y, z, correlation_level=level, coefficient=coefficient)
    assert metrics.first == pytest.approx(nlpstats.correlate(x, z, level, coefficient), abs=1e-12)
    assert metrics.left_out == holes.sum()


def exchanged(x, y, mask):
    return np.where(mask, y, x), np.where(mask, x, y)


def masks(method, systems, inputs):
    """Every exchange of a method, as masks of cells."""
    if method == "systems":
        for rows in itertools.product([False, True], repeat=systems):
            yield np.repeat(np.array(rows)[:, None], inputs, axis=1)
    elif method == "inputs":
        for columns in itertools.product([False, True], repeat=inputs):
            yield np.repeat(np.array(columns)[None], systems, axis=0)
    elif method == "both-crossed":
        for bits in itertools.product([False, True], repeat=systems + inputs):
            yield np.array(bits[:systems])[:, None] ^ np.array(bits[systems:])[None]
    else:
        for bits in itertools.product([False, True], repeat=systems * inputs):
            yield np.array(bits).reshape(systems, inputs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", LEVELS)
def test_small_cases_enumerate_every_exchange(method, level):
    inputs = 2 if method == "both-cells" else 3
    x, y, z = data(4, systems=4, inputs=inputs)
    found = permutation_comparison(x, y, z, method=method, correlation_level=level, n_resamples=256)
    metrics = PairedMetrics(x, y, z, correlation_level=level)
    first, second = ((m - m.mean()) / m.std() for m in (x, y))
    null = []
    for mask in masks(method, 4, inputs):
        p, q = exchanged(first, second, mask)
        null.append(nlpstats.correlate(p, z, level, "pearson") - nlpstats.correlate(q, z, level, "pearson"))
    differences = np.array(null)
    greater = (differences >= metrics.difference - 1e-12).mean()
    less = (differences <= metrics.difference + 1e-12).mean()
    assert found.exact
    assert found.n_resamples == len(null)
    assert found.pvalue == pytest.approx(min(1, 2 * min(greater, less)), abs=1e-12)
    assert found.p_error == 0


@pytest.mark.parametrize("method", METHODS)
def test_sampled_p_values_agree_with_exact_ones_within_their_stated_error(method):
    x, y, z = data(5, systems=4, inputs=3)
    exact = permutation_comparison(x, y, z, method=method, n_resamples=4096)
    metrics = PairedMetrics(x, y, z)
    unit = {"systems": 4, "inputs": 3, "both-cells": 12, "both-crossed": 7}[method]
    sampled = metrics.permutation_plan(method, n_resamples=2**unit - 1, seed=1)
    counts = [metrics.permutation_plan(method, n_resamples=2**unit - 1, seed=s).run() for s in range(20_000 // 2**unit)]
    pooled = metrics.permutation_result(method, np.concatenate(counts))
    assert not pooled.exact
    assert len(sampled.run()) == 2**unit - 1
    assert abs(pooled.pvalue - exact.pvalue) < 4 * pooled.p_error + 2 / pooled.n_resamples


def test_every_input_tosses_a_coin_of_its_own_for_every_exchange():
    """The metrics differ in one input, so the sign of a replicate is that input's toss."""
    z = np.random.default_rng(19).normal(size=(2, 66))
    tosses = []
    for place in (0, 1, 64, 65):
        other = z.copy()
        other[:, place] = other[::-1, place]
        metrics = PairedMetrics(z, other, z, correlation_level="global")
        drawn = metrics.permutation_plan("inputs", n_resamples=80, seed=1).run()
        assert np.abs(drawn) == pytest.approx(metrics.difference, abs=1e-12)
        tosses.append(drawn < 0)
    for toss in tosses:
        assert 25 <= toss.sum() <= 55
        assert 25 <= (toss[1:] != toss[:-1]).sum() <= 55
    for one, two in itertools.combinations(tosses, 2):
        assert 25 <= (one != two).sum() <= 55


def test_crossed_exchanges_equal_the_authors_package_within_sampling_error():
    x, y, z = data(6, systems=9, inputs=12, noise=(0.8, 1.1))
    np.random.seed(1)
    theirs = nlpstats.permutation_test(x, y, z, "system", "pearson", "both", n_resamples=1000).pvalue
    ours = permutation_comparison(x, y, z, method="both-crossed", n_resamples=20_000, two_sided="magnitude")
    assert abs(ours.pvalue - theirs) < 4 * math.hypot(ours.p_error, math.sqrt(theirs * (1 - theirs) / 1000))


@pytest.mark.parametrize("method", ["systems", "inputs", "both"])
def test_bootstrap_intervals_equal_the_authors_package_within_sampling_error(method):
    x, y, z = data(7, systems=12, inputs=10)
    np.random.seed(2)
    theirs = nlpstats.bootstrap(x, z, "system", "pearson", method, n_resamples=600)
    metrics = PairedMetrics(x, y, z)
    drawn = metrics.bootstrap_plan(method, n_resamples=4000).run()[:, 0]
    assert scipy_stats.ks_2samp(drawn, theirs.samples).pvalue > 0.001


@pytest.mark.parametrize(("method", "level"), [("systems", "system"), ("systems", "global"), ("inputs", "system")])
def test_an_interval_over_systems_is_about_the_observed_difference(method, level):
    """Quantiles at Phi(z0 + z), z0 from the share of replicates below it; others are at the levels as they are."""
    metrics = PairedMetrics(*data(7), correlation_level=level)
    drawn = np.random.default_rng(4).normal(metrics.difference + 0.04, 0.1, 300)
    found = metrics.bootstrap_result(method, np.column_stack([drawn, np.zeros(300)]), confidence_level=0.8).interval
    levels = np.array([0.1, 0.9])
    if (method, level) == ("systems", "system"):
        z = math.sqrt(6 / 5) * scipy_stats.t.ppf(levels, 5)
        levels = scipy_stats.norm.cdf(scipy_stats.norm.ppf((drawn < metrics.difference).mean()) + z)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, levels), abs=1e-12)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 1000), st.sampled_from(METHODS), st.sampled_from(COEFFICIENTS))
def test_shards_merge_to_the_result_of_one_run(seed, method, coefficient):
    x, y, z = data(8, systems=16, inputs=14)
    metrics = PairedMetrics(x, y, z, coefficient=coefficient)
    plan = metrics.permutation_plan(method, n_resamples=600, seed=seed)
    blocks = [metrics.permutation_plan(method, n_resamples=600, seed=seed).block(b) for b in (2, 1, 0)]
    assert plan.merged(blocks[::-1]).tolist() == plan.run().tolist()


def test_exchanging_the_metrics_mirrors_the_test():
    x, y, z = data(9)
    one = permutation_comparison(x, y, z, n_resamples=64, alternative="greater")
    two = permutation_comparison(y, x, z, n_resamples=64, alternative="less")
    assert one.difference == -two.difference
    assert one.pvalue == two.pvalue


@pytest.mark.parametrize("method", METHODS)
def test_the_scales_of_the_metrics_change_nothing(method):
    x, y, z = data(12)
    one = permutation_comparison(x, y, z, method=method, n_resamples=300, seed=1)
    two = permutation_comparison(x * 0.001, y * 500 + 3, z, method=method, n_resamples=300, seed=1)
    assert (one.pvalue, one.n_resamples) == (two.pvalue, two.n_resamples)
    assert one.difference == pytest.approx(two.difference, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_systems_and_inputs_changes_nothing(level):
    x, y, z = data(10)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(6), rng.permutation(5)
    moved = [matrix[rows][:, columns] for matrix in (x, y, z)]
    one = permutation_comparison(x, y, z, correlation_level=level, n_resamples=64)
    two = permutation_comparison(*moved, correlation_level=level, n_resamples=64)
    assert one.pvalue == pytest.approx(two.pvalue, abs=1e-12)
    assert one.difference == pytest.approx(two.difference, abs=1e-12)


def test_a_better_metric_is_found_and_an_equal_one_is_not():
    x, y, z = data(11, systems=20, inputs=15, noise=(0.3, 4.0))
    assert permutation_comparison(x, y, z).pvalue < 0.01
    better = bootstrap_comparison(x, y, z, alternative="greater", n_resamples=2000)
    assert better.pvalue < 0.05
    assert better.interval is not None
    assert better.interval.low > 0
    same = permutation_comparison(x, x, z)
    assert (same.difference, same.pvalue) == (0, 1)


def test_exchanging_systems_holds_its_level_where_a_metric_is_biased_per_system():
    """Two equally noisy metrics, each with its own errors per system: the docstring's warning, on a small scale."""
    rng = np.random.default_rng(12)
    rejected = dict.fromkeys(["systems", "both-cells"], 0)
    for seed in range(150):
        z = rng.normal(size=(12, 1)) + rng.normal(size=(12, 20))
        x, y = (z + rng.normal(size=(12, 1)) + rng.normal(size=z.shape) for _ in range(2))
        for method in rejected:
            p = permutation_comparison(x, y, z, method=method, n_resamples=400, seed=seed).pvalue
            rejected[method] += p <= 0.05
    assert rejected["systems"] <= 18  # 12%
    assert rejected["both-cells"] >= 40  # 27%


@pytest.mark.parametrize(
    ("test", "method", "note"),
    [
        (permutation_comparison, "systems", ""),
        (permutation_comparison, "both-cells", "over-reject"),
        (permutation_comparison, "both-crossed", "over-reject"),
        (permutation_comparison, "inputs", ""),
        (bootstrap_comparison, "systems", ""),
        (bootstrap_comparison, "both", "wide side"),
    ],
)
def test_a_method_with_a_known_weakness_says_so_in_its_result(test, method, note):
    cells = np.random.default_rng(4).normal(size=(3, 6, 5))
    notes = test(*cells, method=method, n_resamples=50).notes
    assert len(notes) == bool(note)
    assert note in "".join(notes)


def test_one_value_a_system_is_enough():
    rng = np.random.default_rng(13)
    judged = rng.random((10, 1))
    found = permutation_comparison(judged + 0.1 * rng.random((10, 1)), rng.random((10, 1)), judged, n_resamples=2000)
    assert found.exact
    assert found.n_resamples == 1024


def test_metrics_of_the_whole_dataset_meet_judgements_of_the_shown_instances():
    x, y, z = data(14, systems=5, inputs=8)
    z[:, 3:] = np.nan
    metrics = PairedMetrics(x, y, z)
    assert metrics.first == pytest.approx(np.corrcoef(x.mean(axis=1), z[:, :3].mean(axis=1))[0, 1], abs=1e-12)


def test_averages_that_rounding_tells_apart_are_tied():
    rng = np.random.default_rng(18)
    x, z = (rng.random((2, 12, 7)) < 0.5).astype(float)
    expected = scipy_stats.kendalltau(x.sum(axis=1), z.sum(axis=1)).statistic
    assert PairedMetrics(x, x, z, coefficient="kendall").first == pytest.approx(expected, abs=1e-12)
    same = np.array([rng.permutation([0.1, 0.2, 0.7]) for _ in range(6)])
    assert "undefined" in PairedMetrics(same, same, z[:6, :3]).reason


def test_what_is_undefined_says_why():
    x, y, z = data(15)
    flat = permutation_comparison(np.ones_like(x), y, z, n_resamples=64)
    assert " first " in flat.reason
    assert flat.to_dict()["pvalue"] is None
    assert permutation_comparison(x[:1], y[:1], z[:1]).reason == ONE_SYSTEM
    assert (
        "undefined"
        in bootstrap_comparison(x, y, z * 0 + np.arange(5), correlation_level="input", n_resamples=20).reason
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"correlation_level": "galaxy"}, "correlation_level is 'galaxy'"),
        ({"coefficient": "r"}, "coefficient is 'r'"),
        ({"method": "both"}, "method is 'both'; expected one of systems, inputs, both-cells, both-crossed"),
        ({"two_sided": "both"}, "two_sided is 'both'"),
    ],
)
def test_impossible_requests_are_refused_in_words(change, message):
    x, y, z = data(16)
    with pytest.raises(ValueError, match=message):
        permutation_comparison(x, y, z, **change)


def test_matrices_are_checked_at_the_door():
    x, y, z = data(17)
    with pytest.raises(ValueError, match=r"shapes \(6, 5\), \(6, 5\), \(5, 5\)"):
        permutation_comparison(x, y, z[:5])
    with pytest.raises(ValueError, match=r"\bfirst .*\(5,\)"):
        permutation_comparison(x[0], y, z)
    with pytest.raises(ValueError, match=r"\bsecond .*infinite"):
        permutation_comparison(x, y + math.inf, z)


SCIPY = {
    "pearson": lambda x, y: scipy.stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: scipy.stats.spearmanr(x, y)[0],
    "kendall": lambda x, y: scipy.stats.kendalltau(x, y)[0],
}


def signs(x):
    return np.sign(x[:, None] - x).ravel()


QUICK = {
    "pearson": lambda x, y: np.corrcoef(x, y)[0, 1],
    "kendall": lambda x, y: signs(x) @ signs(y) / np.sqrt((signs(x) ** 2).sum() * (signs(y) ** 2).sum()),
}
"""The same by their formulas, for many draws: SciPy adds a p-value to each, which takes ten times as long."""


def plain(x, y, level, coefficient, by=SCIPY):
    """A correlation of matrices (systems, inputs) by SciPy alone."""
    of = by[coefficient]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant inputs
        if level == "system":
            return of(x.mean(axis=1), y.mean(axis=1))
        if level == "global":
            return of(x.ravel(), y.ravel())
        return np.nanmean([of(x[:, j], y[:, j]) for j in range(x.shape[1])])


@pytest.fixture
def judged():
    rng = np.random.default_rng(4)
    judgements = rng.normal(size=(12, 1)) + rng.normal(size=(12, 8))
    return judgements + rng.normal(size=(12, 8)), judgements


@pytest.mark.parametrize("method", ["systems", "inputs", "both"])
@pytest.mark.parametrize("level", ["system", "input", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_value_and_limits_are_those_of_a_plain_loop(judged, method, level, coefficient):
    metric, judgements = judged
    found = bootstrap_correlation(
        metric, judgements, method=method, correlation_level=level, coefficient=coefficient, n_resamples=4000, seed=1
    )
    assert found.value == pytest.approx(plain(metric, judgements, level, coefficient), abs=1e-12)
    rng, drawn = np.random.default_rng(2), []
    for _ in range(400):
        rows = rng.integers(0, 12, 12) if method != "inputs" else np.arange(12)
        columns = rng.integers(0, 8, 8) if method != "systems" else np.arange(8)
        cells = np.ix_(rows, columns)
        drawn.append(plain(metric[cells], judgements[cells], level, coefficient, QUICK))
    assert drawn[-1] == pytest.approx(plain(metric[cells], judgements[cells], level, coefficient), abs=1e-12)
    spread = np.std(drawn)
    low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975])
    assert found.interval.standard_error == pytest.approx(spread, rel=0.2)
    assert found.interval.low == pytest.approx(low, abs=0.6 * spread)
    assert found.interval.high == pytest.approx(high, abs=0.4 * spread)
    assert found.interval.low < middle < found.interval.high


def test_missing_cells_are_left_out_and_counted(judged):
    metric, judgements = judged[0].copy(), judged[1]
    metric[0, :3] = np.nan
    found = bootstrap_correlation(metric, judgements, n_resamples=50)
    assert found.left_out == 3
    assert found.value == pytest.approx(SCIPY["pearson"](np.nanmean(metric, axis=1), judgements.mean(axis=1)))


def test_the_same_seed_gives_the_same_interval_and_another_one_another(judged):
    one, two, other = (bootstrap_correlation(*judged, method="both", n_resamples=300, seed=s) for s in (1, 1, 2))
    assert one == two
    assert one.interval.low != other.interval.low


def test_where_there_is_no_correlation_there_is_no_interval_and_the_reason_speaks_of_one_metric(judged):
    constant = bootstrap_correlation(np.ones((12, 8)), judged[1], n_resamples=50)
    assert math.isnan(constant.value)
    assert constant.reason == constant.interval.reason == "all values of the metric are equal or missing"
    alone = bootstrap_correlation([[1.0, 2.0]], [[1.0, 3.0]], n_resamples=50)
    assert alone.reason == ONE_SYSTEM
    apart = bootstrap_correlation(
        [[1, np.nan], [np.nan, 2]], [[np.nan, 1], [2, np.nan]], correlation_level="input", n_resamples=50
    )
    assert apart.reason == "the input-level correlation is undefined: nowhere two systems that differ in both"


def test_other_words_and_shapes_are_refused(judged):
    with pytest.raises(ValueError, match=r"systems, .*both"):
        bootstrap_correlation(*judged, method="cells")
    with pytest.raises(ValueError, match="expected one shape"):
        bootstrap_correlation(judged[0], judged[1][:, :3])
