"""Calibration to human judgements: the published numbers on ChaosNLI-SNLI, and what must hold of any."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import metrics
from metaeval.metrics import (
    DistributionError,
    best_temperature,
    classwise_errors,
    compare_errors,
    compute,
    entropy_calibration_errors,
    error_histogram,
    guess_calibration_errors,
    label_calibration_errors,
    reliability,
    resampled_humans,
    temperature_scaled,
)

from .conftest import SEEDS

CALIBRATION = {
    "accuracy": "Acc_argmax_first",
    "expected_calibration_error": "ECE10",
    "ranking_calibration_score": "RankCS",
    "entropy_calibration_error": "mean_abs_EntCE_nats",
    "distribution_calibration_error": "mean_DistCE_TVD",
    "classwise_ece": "classwise_ECE_mean",
}


@pytest.fixture
def people(chaosnli_votes):
    return chaosnli_votes / chaosnli_votes.sum(axis=1, keepdims=True)


@pytest.fixture
def systems(people, chaosnli_logits):
    named = {f"RoBERTa{seed}": temperature_scaled(chaosnli_logits[seed], 1.0) for seed in SEEDS}
    named |= {f"RoBERTa{seed}-TS": temperature_scaled(chaosnli_logits[seed], 2.0) for seed in SEEDS}
    return named | {"Oracle": people}


@pytest.fixture
def reference(golden):
    return json.loads((golden / "calibration_snli.json").read_text())


@pytest.mark.shared_data
def test_calibration_equals_the_reference_on_chaosnli(reference, people, systems):
    table = compute(people, systems, "multiclass", CALIBRATION)
    for system, Q in systems.items():
        expected = reference["per_seed"][system]
        for name, value in table[system].items():
            assert value == pytest.approx(expected[CALIBRATION[name]], abs=1e-12), (system, name)
        assert classwise_errors(people, Q) == pytest.approx(expected["classwise_ECE_per_class"], abs=1e-12)
        assert entropy_calibration_errors(people, Q).mean() == pytest.approx(expected["mean_EntCE_nats"], abs=1e-12)
        assert metrics.accuracy(people, Q, ties="last") == pytest.approx(expected["Acc_acck"], abs=1e-12)


@pytest.mark.shared_data
def test_the_error_of_20_of_the_100_votes_has_the_expectation_of_the_reference(reference, chaosnli_votes):
    expected = reference["expected_distce_20_of_100"]["value_exact_hypergeometric_expectation"]
    samples = resampled_humans(chaosnli_votes, size=20, n_resamples=2, seed=20)
    for sample in samples:
        assert sample.distribution_errors.mean() == pytest.approx(expected, abs=3 * 0.00135)
    assert not np.array_equal(samples[0].shares, samples[1].shares)
    again = resampled_humans(chaosnli_votes, size=20, n_resamples=2, seed=20)
    assert np.array_equal(samples[1].shares, again[1].shares)


@pytest.mark.shared_data
def test_people_sampled_twice_err_more_alike_than_people_and_a_model(people, chaosnli_votes, systems):
    first, second = (error_histogram(sample.distribution_errors) for sample in resampled_humans(chaosnli_votes, seed=1))
    model = error_histogram(metrics.distribution_calibration_errors(people, systems["RoBERTa0"]))
    assert compare_errors(first, second).tvd < 0.1 < compare_errors(first, model).tvd


@pytest.mark.shared_data
def test_the_best_temperature_softens_an_overconfident_model(people, chaosnli_logits):
    choice = best_temperature(people, chaosnli_logits[0], metric="kl_divergence", grid=[1.0, 2.0, 3.0, 4.0, 5.0])
    assert 1.0 < choice.temperature < 5.0
    assert choice.value == min(value for _, value in choice.grid)
    assert choice.to_dict()["grid"][0]["temperature"] == 1.0


def test_a_confidence_on_an_edge_belongs_to_the_bin_below():
    P = [[1.0, 0.0], [0.0, 1.0]]
    Q = [[0.6, 0.4], [0.61, 0.39]]  # in (0.5, 0.6] and (0.6, 0.7]: two bins, so errors do not cancel
    assert metrics.expected_calibration_error(P, Q) == pytest.approx((0.4 + 0.61) / 2)
    assert metrics.expected_calibration_error(P, Q, bins=1) == pytest.approx(abs(0.5 - 0.605))
    with pytest.raises(ValueError, match=r"\bbins is 0; .*1"):
        metrics.expected_calibration_error(P, Q, bins=0)


def test_reliability_tells_of_every_bin_what_is_in_it():
    rng = np.random.default_rng(8)
    P, Q = rng.dirichlet(np.ones(3), 60), rng.dirichlet(np.ones(3), 60)
    found = reliability(P, Q, bins=5)
    assert [row.low for row in found] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])
    assert [row.high for row in found] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    assert found[0].instances == 0  # one of three labels has a third or more
    assert math.isnan(found[0].confidence)
    assert math.isnan(found[0].accuracy)
    for row in found[1:]:
        inside = [i for i in range(60) if row.low < max(Q[i]) <= row.high]
        hits = [P[i].argmax() == Q[i].argmax() for i in inside]
        assert row.instances == len(inside) > 0
        assert row.confidence == pytest.approx(np.mean([max(Q[i]) for i in inside]))
        assert row.accuracy == pytest.approx(np.mean(hits))
    gap = sum(row.instances * abs(row.accuracy - row.confidence) for row in found[1:]) / 60
    assert metrics.expected_calibration_error(P, Q, bins=5) == pytest.approx(gap)


def test_errors_of_labels_and_of_guesses_by_hand():
    """Instance 1: guesses c (.6, people .2), a (.3, people .5), b. Instance 2: b and c are equal: b comes first."""
    P, Q = [[0.5, 0.3, 0.2], [0.0, 0.25, 0.75]], [[0.3, 0.1, 0.6], [0.0, 0.5, 0.5]]
    np.testing.assert_allclose(label_calibration_errors(P, Q), [[-0.2, -0.2, 0.4], [0, 0.25, -0.25]], atol=1e-15)
    np.testing.assert_allclose(guess_calibration_errors(P, Q), [[0.4, -0.2, -0.2], [0.25, -0.25, 0]], atol=1e-15)
    with pytest.raises(DistributionError):
        label_calibration_errors([[0.5, 0.5]], [[0.5, 0.6]])
    with pytest.raises(DistributionError):
        guess_calibration_errors([[0.5, 0.5]], [[1.0]])


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32))
def test_errors_of_labels_make_up_the_distance_and_those_of_guesses_are_the_same_in_another_order(rows, labels, seed):
    rng = np.random.default_rng(seed)
    P, Q = rng.dirichlet(np.ones(labels), rows), rng.dirichlet(np.ones(labels), rows)
    by_label, by_guess = label_calibration_errors(P, Q), guess_calibration_errors(P, Q)
    np.testing.assert_allclose(by_label.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.abs(by_label).sum(axis=1) / 2, metrics.distribution_calibration_errors(P, Q))
    np.testing.assert_array_equal(np.sort(by_guess, axis=1), np.sort(by_label, axis=1))
    np.testing.assert_array_equal(by_guess[:, 0], by_label[np.arange(rows), Q.argmax(axis=1)])


def test_ties_of_the_majority_go_where_they_are_told():
    P, Q = [[0.5, 0.5]], [[0.1, 0.9]]
    assert metrics.accuracy(P, Q) == 0.0
    assert metrics.accuracy(P, Q, ties="last") == 1.0
    assert metrics.expected_calibration_error(P, Q, ties="last") == pytest.approx(0.1)
    with pytest.raises(ValueError, match=r"\bties is 'middle'; .*first, last"):
        metrics.accuracy(P, Q, ties="middle")


def test_a_probability_of_zero_is_in_no_bin_unless_it_is_asked_for():
    P, Q = [[1.0, 0.0], [1.0, 0.0]], [[0.5, 0.5], [1.0, 0.0]]
    assert classwise_errors(P, Q).tolist() == [0.25, 0.5]  # class 1: one instance counts
    assert classwise_errors(P, Q, zeros=True).tolist() == [0.25, 0.25]
    assert classwise_errors([[1.0, 0.0]], [[1.0, 0.0]]).tolist() == [0.0, 0.0]


@given(st.floats(0.1, 10), st.integers(0, 2**32))
def test_a_temperature_keeps_the_order_and_the_sum(temperature, seed):
    logits = np.random.default_rng(seed).normal(size=(4, 3))
    Q = temperature_scaled(logits, temperature)
    assert Q.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(Q.argsort(axis=1), logits.argsort(axis=1))


@pytest.mark.parametrize(
    ("logits", "temperature"), [([[math.nan, 0.0]], 1.0), ([[-math.inf, -math.inf]], 1.0), ([[0.0]], 0.0), ([], 1.0)]
)
def test_what_cannot_be_scaled_is_refused(logits, temperature):
    with pytest.raises(ValueError, match="expected"):
        temperature_scaled(logits, temperature)


def test_a_metric_that_is_undefined_at_every_temperature_is_refused():
    with pytest.raises(ValueError, match=r"\bcross_entropy .*temperature: Q "):
        best_temperature([[0.5, 0.5]], [[0.0, -math.inf]])
    with pytest.raises(ValueError, match="temperature: Q "):
        best_temperature([[0.5, 0.5]], [[0.0, -math.inf]], grid=[1.0])
    with pytest.raises(ValueError, match=r"temperature: .*grid"):
        best_temperature([[0.5, 0.5]], [[0.0, 0.0]], grid=[])


@pytest.mark.parametrize("metric", ["cross_entropy", "po_jsd"])
def test_the_best_temperature_is_the_lowest_distance_or_the_highest_agreement(metric):
    P, logits = [[0.5, 0.5], [0.9, 0.1]], [[0.0, 0.0], [2 * math.log(9), 0.0]]  # at 2, the prediction is P
    assert best_temperature(P, logits, metric=metric, grid=[1.0, 2.0, 3.0]).temperature == 2.0


def test_temperatures_from_one_half_to_five_are_tried_unless_told_otherwise():
    P = np.array([[0.5, 0.5], [0.9, 0.1]])
    for temperature in (0.5, 5.0):
        found = best_temperature(P, np.log(P) * temperature)  # at this temperature, the prediction is P
        assert found.temperature == temperature
        assert [t for t, _ in found.grid] == pytest.approx(np.linspace(0.5, 5, 91))


@pytest.mark.parametrize(
    ("votes", "size"), [([[0.5, 0.5]], 1), ([[-1, 2]], 1), ([[3, 4]], 8), ([[3, 4]], 0), ([3, 4], 1)]
)
def test_what_are_no_votes_is_refused(votes, size):
    with pytest.raises(ValueError, match="expected"):
        resampled_humans(votes, size=size)


def test_every_crowd_is_drawn_from_a_stream_of_its_own():
    votes = [[4, 3, 2], [1, 5, 0]]
    streams = np.random.SeedSequence(7).spawn(3)
    for size in (1, 4):
        crowds = resampled_humans(votes, size=size, n_resamples=3, seed=7)
        for crowd, stream in zip(crowds, streams, strict=True):
            rng = np.random.default_rng(stream)
            drawn = np.array([rng.multivariate_hypergeometric(row, size) for row in votes])
            np.testing.assert_array_equal(crowd.shares, drawn / size)


def test_errors_in_single_precision_fall_in_the_same_bins():
    errors = np.array([0.12, 0.22, 0.93])
    assert error_histogram(errors.astype(np.float32)) == error_histogram(errors)


def test_an_empty_bin_leaves_the_divergence_of_errors_undefined():
    comparison = compare_errors(error_histogram([0.1, 0.9], bins=2), error_histogram([0.1], bins=2))
    assert comparison.kl.reason.startswith("1 ")
    assert comparison.tvd == 0.5
    assert comparison.to_dict()["kl"]["value"] is None
    with pytest.raises(DistributionError, match="different bins"):
        compare_errors(error_histogram([0.1], bins=2), error_histogram([0.1], bins=3))
    with pytest.raises(DistributionError, match="within"):
        error_histogram([1.5])
