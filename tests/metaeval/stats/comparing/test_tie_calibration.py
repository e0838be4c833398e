"""The paired test of tie-calibrated accuracies, against one that exchanges and calibrates by plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats import calibrate_ties, tie_calibrated_comparison
from metaeval.stats.comparing.tie_calibration import NO_PAIR, TOO_FEW_GROUPS


def plain(first, second, judged):
    """The exact two-sided p, doubled, of metrics that are complete and of one mean and spread."""
    differences = []
    for exchanged in itertools.product([False, True], repeat=len(judged)):
        marked = np.array(exchanged)[:, None]
        one, other = np.where(marked, second, first), np.where(marked, first, second)
        differences.append(calibrate_ties(judged, one).accuracy - calibrate_ties(judged, other).accuracy)
    found = np.array(differences)
    greater, less = (found >= found[0] - 1e-12).mean(), (found <= found[0] + 1e-12).mean()
    return min(1.0, 2 * min(greater, less))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.booleans())
def test_the_exact_p_is_that_of_plain_loops(seed, tied):
    rng = np.random.default_rng(seed)
    judged = rng.integers(0, 3, (5, 4)).astype(float)
    values = rng.permuted(np.arange(20.0) // (4 if tied else 1)), rng.permuted(np.arange(20.0) // (4 if tied else 1))
    first, second = (each.reshape(5, 4) for each in values)  # of one mean and spread: standardised alike
    found = tie_calibrated_comparison(first, second, judged)
    assert (found.exact, found.n_resamples) == (True, 32)
    assert found.pvalue == pytest.approx(plain(first, second, judged), abs=1e-12)
    assert found.difference == calibrate_ties(judged, first).accuracy - calibrate_ties(judged, second).accuracy


def test_a_better_metric_is_found_and_the_unit_of_a_metric_does_not_matter():
    rng = np.random.default_rng(3)
    judged = rng.integers(0, 4, (40, 6)).astype(float)
    good, bad = judged + rng.normal(size=judged.shape), judged + 4 * rng.normal(size=judged.shape)
    found = tie_calibrated_comparison(good, bad, judged, n_resamples=999)
    assert (found.exact, found.n_resamples) == (False, 999)
    assert found.difference > 0.05
    assert found.pvalue <= 0.01
    other = tie_calibrated_comparison(1000 * good - 7, bad, judged, n_resamples=999)
    assert other.pvalue == found.pvalue
    back = tie_calibrated_comparison(bad, good, judged, n_resamples=999, alternative="less")
    assert back.difference == -found.difference
    assert back.pvalue <= 0.01


def test_two_metrics_of_one_kind_are_seldom_called_different():
    rng, rejected = np.random.default_rng(8), 0
    for _ in range(200):
        judged = rng.integers(0, 3, (8, 5)).astype(float)
        first, second = judged + rng.normal(size=(2, *judged.shape))
        rejected += tie_calibrated_comparison(first, second, judged, n_resamples=256).pvalue <= 0.05
    assert rejected <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


@pytest.mark.filterwarnings("error")
def test_a_metric_against_itself_has_1_and_missing_cells_are_left_out_and_counted():
    rng = np.random.default_rng(5)
    judged, metric = rng.integers(0, 3, (6, 4)).astype(float), rng.normal(size=(6, 4))
    same = tie_calibrated_comparison(metric, metric, judged)
    assert (same.difference, same.pvalue, same.left_out) == (0, 1, 0)
    holes = metric.copy()
    holes[0, :3], judged[1, 1] = np.nan, np.nan
    found = tie_calibrated_comparison(metric, holes, judged)
    assert (found.left_out, found.groups, found.pairs) == (4, 5, 4 * 6 + 3)
    assert (found.difference, found.pvalue) == (0, 1)


def test_with_one_group_or_no_pair_there_is_no_test():
    one = tie_calibrated_comparison([1, 2, 3], [3, 2, 1], [1, 2, 3])
    assert (one.difference, one.reason) == (1, TOO_FEW_GROUPS)
    assert math.isnan(one.pvalue)
    none = tie_calibrated_comparison([[1], [2]], [[1], [2]], [[1], [2]])
    assert none.reason == NO_PAIR
    assert none.to_dict()["difference"] is None


def test_other_shapes_and_words_are_refused():
    with pytest.raises(ValueError, match="expected one shape"):
        tie_calibrated_comparison([[1, 2]], [[1, 2, 3]], [[1, 2]])
    with pytest.raises(ValueError, match="no infinite value"):
        tie_calibrated_comparison([[1, math.inf]], [[1, 2]], [[1, 2]])
    with pytest.raises(ValueError, match="alternative is"):
        tie_calibrated_comparison([[1, 2]], [[1, 2]], [[1, 2]], alternative="other")
