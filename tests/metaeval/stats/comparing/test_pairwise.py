"""Soft pairwise accuracy and tie calibration against golden values and plain loops."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats import calibrate_ties, pairwise_accuracy, pairwise_p_values, soft_pairwise_accuracy
from metaeval.stats.comparing.pairwise import ONE_SYSTEM
from metaeval.stats.comparing.tie_calibration import NO_PAIR


@pytest.fixture
def cases(golden):
    return json.loads((golden / "statistics.json").read_text())


@pytest.mark.shared_data
def test_exact_soft_pairwise_accuracy_equals_the_golden_one(cases):
    case = cases["soft_pairwise_accuracy"]
    found = soft_pairwise_accuracy(case["gold"], case["metric"], n_resamples=4096)
    assert found.exact
    assert found.value == pytest.approx(case["SPA_exact"], abs=1e-12)
    assert found.hard == pytest.approx(case["hard_pairwise_accuracy"], abs=1e-12)
    for ours, theirs in (
        (found.judgement_p_values, case["p_gold_exact_4096"]),
        (found.metric_p_values, case["p_metric_exact_4096"]),
    ):
        assert ours is not None
        np.testing.assert_allclose(ours, np.array(theirs, dtype=float), atol=1e-12)


@pytest.mark.shared_data
def test_sampled_soft_pairwise_accuracy_agrees_with_the_exact_and_the_published_one(cases):
    case = cases["soft_pairwise_accuracy"]
    found = soft_pairwise_accuracy(case["gold"], case["metric"], n_resamples=4000, seed=2)
    assert not found.exact
    assert found.value == pytest.approx(case["SPA_exact"], abs=0.01)
    assert found.value == pytest.approx(case["SPA_mtme_1000"], abs=0.02)


def test_p_values_do_not_depend_on_how_many_exchanges_are_done_at_once():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 30))
    one, two = (pairwise_p_values(scores, n_resamples=3000, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.p_values, two.p_values)
    exact = pairwise_p_values(scores[:, :13], n_resamples=8192)
    sampled = pairwise_p_values(scores[:, :13], n_resamples=8000, seed=1)
    assert (exact.exact, sampled.exact) == (True, False)
    np.testing.assert_allclose(exact.p_values, sampled.p_values, atol=4 * 0.5 / np.sqrt(8000))


def test_all_exchanges_are_done_up_to_ten_thousand_and_so_many_are_sampled_beyond():
    scores = np.random.default_rng(3).normal(size=(2, 14))
    for items, exact, exchanges in ((13, True, 2**13), (14, False, 10_000)):
        found = soft_pairwise_accuracy(scores[:, :items], scores[:, :items])
        assert (found.exact, found.n_resamples) == (exact, exchanges)
        alone = pairwise_p_values(scores[:, :items])
        assert (alone.exact, alone.n_resamples) == (exact, exchanges)


def test_exact_p_values_count_the_exchanges():
    a, b = [1.0, 5.0, 2.0], [0.0, 2.0, 3.0]
    reached = sum(
        sum(s * (x - y) for s, x, y in zip(signs, a, b, strict=True)) >= 3 - 1e-12
        for signs in itertools.product([1, -1], repeat=3)
    )
    assert pairwise_p_values([a, b]).p_values[0, 1] == reached / 8


def test_a_metric_that_is_the_judgement_is_perfect_and_its_opposite_is_not():
    scores = np.random.default_rng(2).normal(size=(5, 10))
    assert soft_pairwise_accuracy(scores, scores).value == 1
    opposite = soft_pairwise_accuracy(scores, -scores)
    assert opposite.hard == 0
    assert opposite.value < 1


def test_all_ties_are_as_sure_as_each_other_and_one_system_is_undefined():
    ties = soft_pairwise_accuracy(np.ones((3, 4)), np.ones((3, 6)))
    assert (ties.value, ties.hard) == (1, 1)
    one = soft_pairwise_accuracy(np.ones((1, 4)), np.ones((1, 4)))
    assert one.reason == ONE_SYSTEM
    assert one.to_dict()["value"] is None


@pytest.mark.shared_data
def test_tie_calibration_equals_the_golden_search(cases):
    case = cases["acc_eq_tie_calibration"]
    found = calibrate_ties(case["human"], case["metric"])
    assert found.threshold == pytest.approx(case["best_threshold_acc"], abs=1e-12)
    assert found.accuracy == pytest.approx(case["best_acc"], abs=1e-12)
    assert 2 * found.accuracy - 1 == pytest.approx(case["best_tau23"], abs=1e-12)
    searched = {round(t, 12): (t, a) for t, a in zip(case["thresholds"], case["accs"], strict=True)}
    assert len(searched) < len(case["thresholds"])  # there, rounding split some differences into two thresholds
    assert found.thresholds == pytest.approx([t for t, _ in searched.values()], abs=1e-12)
    assert found.accuracies == pytest.approx([a for _, a in searched.values()], abs=1e-12)
    uncalibrated = pairwise_accuracy(case["human"], case["metric"])
    assert uncalibrated.group_accuracies == pytest.approx(case["acc_eq_uncalibrated"], abs=1e-12)
    at = pairwise_accuracy(case["human"], case["metric"], threshold=0.03)
    assert at.group_accuracies[:2] == pytest.approx(case["acc_at_eps_0_03"][:2], abs=1e-12)
    hundredths = np.rint(np.array(case["metric"]) * 100)  # in the third group there, a difference of 0.03 is above 0.03
    counted = pairwise_accuracy(case["human"], hundredths, threshold=3).group_accuracies
    assert at.group_accuracies == counted != pytest.approx(case["acc_at_eps_0_03"], abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(2, 6), st.booleans())
def test_the_search_finds_what_trying_every_threshold_finds(seed, groups, items, holes):
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 3, (groups, items)).astype(float), rng.random((groups, items)).round(1)
    if holes:
        human[rng.random(human.shape) < 0.3] = np.nan
    found = calibrate_ties(human, metric)
    if found.reason:
        assert found.pairs == 0
        return
    tried = [pairwise_accuracy(human, metric, threshold=t).accuracy for t in found.thresholds]
    assert found.accuracies == pytest.approx(tried, abs=1e-12)
    assert found.accuracy == pytest.approx(max(tried), abs=1e-12)


def test_pairs_with_a_gap_and_groups_without_pairs_are_left_out():
    human = np.array([[1, 2, np.nan], [1, np.nan, np.nan]])
    found = pairwise_accuracy(human, np.array([[0.1, 0.2, 0.3], [1, 2, 3]]))
    assert (found.accuracy, found.pairs, found.group_accuracies) == (1, 1, (1.0,))
    nothing = calibrate_ties([[1, np.nan]], [[1, 2]])
    assert nothing.reason == NO_PAIR
    assert nothing.to_dict()["accuracy"] is None


def test_bad_input_is_refused_at_the_door():
    with pytest.raises(ValueError, match="expected finite values"):
        pairwise_p_values([[1, np.nan]])
    with pytest.raises(ValueError, match=r"judgements .*2 systems, .*metric .*3"):
        soft_pairwise_accuracy(np.ones((2, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="threshold is -1"):
        pairwise_accuracy([1, 2], [1, 2], threshold=-1)
    with pytest.raises(ValueError, match=r"expected \(groups, items\) or \(items,\)"):
        calibrate_ties([1, 2], [1, 2, 3])
