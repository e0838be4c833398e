"""What is equal is tied, in whatever order its parts were added up."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import (
    Judgements,
    PairedMetrics,
    PairwiseOutcomes,
    calibrate_ties,
    correlation,
    correlation_intervals,
    correlation_tests,
    pairwise_accuracy,
    rank_by_fraction,
    rank_by_outcomes,
    soft_pairwise_accuracy,
    wilcoxon,
    wilcoxon_clusters,
)
from metaeval.stats.ties import evened, mean_of_shares

tenths = st.lists(st.integers(0, 12), min_size=4, max_size=20)
"""Scores that are whole tenths, as decimals of which differences and sums are rounded."""


def noisy(whole, seed):
    """The same values, each summed from tenths or thirds in a different order."""
    rng = np.random.default_rng(seed)
    ways = [
        lambda v: sum([0.1] * v),
        lambda v: v / 10,
        lambda v: 1.3 - sum([0.1] * (13 - v)),
        lambda v: v * 0.1,
    ]
    return np.array([ways[int(rng.integers(len(ways)))](int(value)) for value in whole])


@pytest.mark.shared_data
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_ranks_equal_differences_alike(golden, zero_method):
    """0.40 - 0.35, 0.66 - 0.61 and 0.27 - 0.22 are all five hundredths: SciPy's own p of the hundredths."""
    case = json.loads((golden / "statistics.json").read_text())["wilcoxon"]
    hundredths = [np.rint(np.array(case[name]) * 100) for name in "ab"]
    theirs = scipy_stats.wilcoxon(*hundredths, zero_method=zero_method)
    ours = wilcoxon(case["a"], case["b"], zero_method=zero_method)
    assert (ours.statistic, ours.pvalue) == (theirs.statistic, theirs.pvalue)
    assert ours.pvalue != case[f"{zero_method}_auto"][1]  # which ranks rounding errors


@settings(deadline=None)
@given(tenths, st.data())
def test_wilcoxon_of_tenths_is_that_of_whole_numbers(first, data):
    second = data.draw(st.lists(st.integers(0, 12), min_size=len(first), max_size=len(first)))
    if first == second:
        return
    scaled = wilcoxon(noisy(first, 1), noisy(second, 2))
    whole = wilcoxon(first, second)
    assert scaled.to_dict() == whole.to_dict()


def test_clusters_do_not_depend_on_the_unit():
    rng = np.random.default_rng(3)
    whole = {name: rng.integers(0, 6, 14) for name in "abcdef"}
    places = [
        [(s.system, s.position, s.pvalue) for s in wilcoxon_clusters(scores)]
        for scores in (whole, {name: noisy(row, 5) for name, row in whole.items()})
    ]
    assert str(places[0]) == str(places[1])


@settings(deadline=None)
@given(tenths, st.data())
def test_rank_correlations_of_equal_values_are_those_of_the_counts(x, data):
    y = data.draw(st.lists(st.integers(0, 12), min_size=len(x), max_size=len(x)))
    for coefficient in ("spearman", "kendall"):
        whole, scaled = correlation(x, y, coefficient), correlation(noisy(x, 1), noisy(y, 2), coefficient)
        assert scaled.to_dict() == whole.to_dict()


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
@pytest.mark.parametrize("n", [6, 9, 140])
def test_tests_and_intervals_of_rank_correlations_tie_what_is_equal(coefficient, n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 13, (2, n))
    found = [
        (
            correlation_tests({"m": a}, b, coefficients=[coefficient], n_resamples=1000, seed=1)[0].pvalue,
            correlation_intervals({"m": a}, b, coefficients=[coefficient], n_resamples=300, seed=1)[0].interval.low,
        )
        for a, b in ((x / 1.0, y / 1.0), (noisy(x, 1), noisy(y, 2)))
    ]
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)


def test_tie_calibration_of_a_perfect_metric_is_exactly_one():
    """1/3 + 1/3 + 1/3 of three groups of unequal size was .9999999999999999."""
    rng = np.random.default_rng(4)
    for groups, items in itertools.product((3, 7, 10, 49), (3, 4, 7)):
        human = rng.integers(0, 4, (groups, items)).astype(float)
        human[rng.random(human.shape) < 0.2] = np.nan
        found = calibrate_ties(human, human / 10)
        if not found.reason:
            assert (found.accuracy, max(found.accuracies), found.threshold) == (1.0, 1.0, 0.0)
            assert pairwise_accuracy(human, human).accuracy == 1.0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 6))
def test_tie_calibration_is_that_of_whole_numbers_as_fractions_count_it(seed, groups, items):
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 4, (2, groups, items))
    pairs = items * (items - 1) // 2

    def exact(threshold):
        right = 0
        for h, m in zip(human.tolist(), metric.tolist(), strict=True):
            for i, j in itertools.combinations(range(items), 2):
                tie = abs(m[i] - m[j]) <= threshold
                right += (h[i] == h[j]) if tie else (h[i] - h[j]) * (m[i] - m[j]) > 0
        return Fraction(right, pairs * groups)

    best = max(range(5), key=lambda t: (exact(t), -t))
    found = calibrate_ties(
        noisy(human.ravel(), seed).reshape(human.shape), noisy(metric.ravel(), 1).reshape(human.shape)
    )
    assert found.accuracy == float(exact(best))
    assert found.threshold == pytest.approx(best / 10, abs=1e-12)
    assert found.accuracy == max(found.accuracies)
    assert pairwise_accuracy(human / 10, metric / 10, threshold=0.1).accuracy == float(exact(1))
    assert pairwise_accuracy(human, metric / 10, threshold=found.threshold).accuracy == float(exact(best))


def test_hard_pairwise_accuracy_ties_means_that_are_equal():
    """.1 + .2 + .3 and .3 + .2 + .1, summed from the left, differ in the last digit."""
    judged = [[1, 2, 3], [3, 2, 1], [6, 6, 6]]
    metric = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.6, 0.6, 0.6]]
    assert soft_pairwise_accuracy(judged, metric).hard == 1


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
@pytest.mark.parametrize("level", ["system", "input", "global"])
def test_paired_tests_tie_what_is_equal(coefficient, level):
    rng = np.random.default_rng(8)
    x, y, z = rng.integers(0, 13, (3, 9, 6))
    scaled = [noisy(m.ravel(), seed).reshape(m.shape) for seed, m in enumerate((x, y, z))]
    whole, found = (
        PairedMetrics(*three, correlation_level=level, coefficient=coefficient) for three in ((x, y, z), scaled)
    )
    assert (found.first, found.second) == (whole.first, whole.second)
    tests = [
        m.permutation_result("systems", m.permutation_plan("systems", n_resamples=512).run()) for m in (whole, found)
    ]
    assert tests[0].pvalue == tests[1].pvalue


def test_averages_on_the_edge_of_a_grid_are_tied():
    """On a grid of 1e-12, averages that differ in their last digit alone could lie on both sides of an edge."""
    rng = np.random.default_rng(11)
    z = np.arange(3.0)[:, None] * np.ones((1, 7))
    for _ in range(3000):
        row = rng.random(7)
        x = np.array([row, rng.permutation(row), row + 1])
        assert PairedMetrics(x, x, z, coefficient="kendall").first == pytest.approx(2 / np.sqrt(2 * 3))


@pytest.mark.parametrize("method", ["fraction", "rank_centrality", "bradley_terry", "davidson"])
def test_systems_with_equal_records_share_a_rank(method):
    """Four systems in a ring of the same results, whatever the numbering."""
    wins = np.array([[0, 7, 3, 2], [2, 0, 7, 3], [3, 2, 0, 7], [7, 3, 2, 0]])
    ties = np.array([[0, 1, 5, 1], [1, 0, 1, 5], [5, 1, 0, 1], [1, 5, 1, 0]])
    outcomes = PairwiseOutcomes.of(wins, ties, names=list("abcd"))
    assert {s.rank for s in rank_by_outcomes(outcomes, method, n_resamples=5).systems} == {1}


def test_systems_with_equal_means_of_shares_share_a_rank():
    """Thirds that are added up in another order."""
    shares = {"a": [1, 3, 2, 2, 2], "b": [2, 2, 1, 3, 2], "c": [3, 1, 2, 2, 2]}
    rows = [(s, f"{s}{c}", e, int(e < k)) for s, ks in shares.items() for c, k in enumerate(ks) for e in range(3)]
    system, comparison, expert, chosen = zip(*rows, strict=True)
    answers = Judgements.of(
        system=system, comparison=comparison, expert=expert, chosen=chosen, weight=np.full(len(rows), 1 / 3)
    )
    assert {s.rank for s in rank_by_fraction(answers, n_resamples=5).systems} == {1}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.integers(0, 100))
def test_evening_makes_equal_what_is_equal_and_nothing_else(whole, seed):
    values = noisy(whole, seed)
    even = evened(values)
    assert even == pytest.approx(values, abs=1e-14)
    assert scipy_stats.rankdata(even).tolist() == scipy_stats.rankdata(whole).tolist()
    rows = np.stack([values, 2 * values + 0.1])
    assert (evened(rows)[0] == even).all()


def test_evening_keeps_what_is_missing_and_infinite():
    even = evened([np.nan, 0.1 + 0.2, np.inf, 0.3, -np.inf, np.inf])
    assert np.isnan(even[0])
    assert even[1] == even[3]
    assert (even[2], even[4], even[5]) == (np.inf, -np.inf, np.inf)
    assert evened([]).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20), st.randoms())
def test_a_mean_of_shares_is_the_same_in_any_order(shares, random):
    shares = [(min(a, b), b) for a, b in shares]
    again = shares.copy()
    random.shuffle(again)
    found = mean_of_shares(*zip(*shares, strict=True))
    assert found == mean_of_shares(*zip(*again, strict=True))
    assert found == float(sum(Fraction(a, b) for a, b in shares) / len(shares))
