"""Kendall's pairs, counted by sorting, are those that the definition counts, at a cost that allows many items."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import correlation
from metaeval.stats.correlating.coefficients import FEW, concordance, dense_ranks, inversions


def by_definition(x, y):
    """Comparing every pair: concordant minus discordant, not tied in x, not tied in y."""
    pairs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    return tuple(int(sum(part)) for part in zip(*((a * b, a * a, b * b) for a, b in pairs), strict=True))


@st.composite
def sequences(draw):
    """Two of one length, on either side of where sorting begins, with few or many ties."""
    n = draw(st.integers(2, 12) | st.integers(FEW - 2, FEW + 3) | st.integers(FEW, 2 * FEW + 2))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = draw(st.tuples(*[st.sampled_from([1, 2, 5, 30, 10**6])] * 2))
    return tuple((rng.integers(0, most, n) / 3 - most / 7).astype(float) for most in values)


@settings(deadline=None, max_examples=60)
@given(sequences())
def test_pairs_are_counted_as_defined_and_tau_is_scipys(pair):
    from metaeval.stats.correlating.coefficient_kernels import compared_pairs, rank, sorted_pairs

    x, y = pair
    n = len(x)
    expected = by_definition(x, y)
    assert concordance(x, y) == expected
    ranks = np.empty((2, n))
    rank(x, n, ranks[0])
    rank(y, n, ranks[1])
    assert compared_pairs(x, y, n) == sorted_pairs(*ranks, n) == expected
    tau = correlation(x, y, "kendall")
    if expected[1] and expected[2]:
        assert -1 <= tau.value <= 1
        assert tau.value == pytest.approx(scipy_stats.kendalltau(x, y).statistic, abs=1e-12)
    else:
        assert np.isnan(tau.value)
        assert "are equal" in tau.reason


@given(st.permutations(range(9)) | st.permutations(range(16)) | st.permutations(range(2)))
def test_inversions_are_the_pairs_in_the_wrong_order(order):
    assert inversions(np.array(order)) == sum(a > b for a, b in combinations(order, 2))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20))
def test_dense_ranks_equal_scipy(values):
    x = np.array(values, dtype=float)
    assert (dense_ranks(x) + 1).tolist() == scipy_stats.rankdata(x, method="dense").tolist()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [FEW, FEW + 1, 1000, 10_000])
def test_many_that_order_alike_have_exactly_one(n, sign):
    x = np.random.default_rng(n).permutation(n).astype(float)
    assert correlation(x, sign * x, "kendall").value == sign


def test_ten_thousand_items_take_no_matrix_of_pairs():
    """A matrix of their pairs would take 100 MB at the least."""
    x, y = np.random.default_rng(1).integers(0, 5, (2, 10_000)).astype(float)
    tracemalloc.start()
    try:
        correlation(x, y, "kendall")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10e6
