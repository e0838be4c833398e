"""Coefficients equal SciPy's on any data with ties, and say why if there is none."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import correlation
from metaeval.stats.correlating.coefficients import FEW, average_ranks, concordance

SCIPY = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr, "kendall": scipy_stats.kendalltau}
TIED_PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=30)


@pytest.mark.parametrize("coefficient", list(SCIPY))
@given(pairs=TIED_PAIRS)
def test_coefficients_equal_scipy_also_with_ties(coefficient, pairs):
    x, y = np.array(pairs, dtype=float).T
    answer = correlation(x, y, coefficient)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(answer.value)
        assert "are equal" in answer.reason
    else:
        assert answer.value == pytest.approx(SCIPY[coefficient](x, y).statistic, abs=1e-12)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_ranks_equal_scipy(values):
    x = np.array(values, dtype=float)
    assert average_ranks(x).tolist() == scipy_stats.rankdata(x).tolist()


@pytest.mark.parametrize("coefficient", list(SCIPY))
@pytest.mark.parametrize("kind", [np.int8, np.bool_, np.float32, object])
def test_numbers_of_any_type_count_as_what_they_are(coefficient, kind):
    """Small integers do not overflow, and single-precision values are not summed in single precision."""
    x = np.array([-128, 127, 0.3, 4, 0, 0.1] if kind in {np.float32, object} else [-128, 127, 3, 4, 0, 0]).astype(kind)
    y = np.array([0.2, 0.7, 0.1, 0.9, 0.4, 0.3])
    expected = SCIPY[coefficient](x.astype(float), y).statistic
    assert correlation(x, y, coefficient).value == pytest.approx(expected, abs=1e-14)
    assert correlation(y, x, coefficient).value == pytest.approx(expected, abs=1e-14)


def test_a_result_is_a_number_and_plain_json():
    answer = correlation([1, 2, 3], [2, 4, 6])
    assert float(answer) == pytest.approx(1.0)
    assert answer.to_dict() == {"coefficient": "pearson", "value": answer.value, "n": 3, "reason": ""}
    assert correlation([1], [1]).to_dict()["value"] is None


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1, 2, 3]), ([1, np.nan], [1, 2]), ([[1, 2]], [[1, 2]])])
def test_what_is_not_two_finite_sequences_is_refused(x, y):
    with pytest.raises(ValueError, match=r"expected two sequences|must be finite"):
        correlation(x, y)


@pytest.mark.parametrize("coefficient", list(SCIPY))
@pytest.mark.parametrize("n", [3, 4, 9, 13])
def test_what_orders_alike_has_exactly_one(coefficient, n):
    """Not a little more by rounding: Williams' test and intervals are defined up to 1."""
    x = list(range(n))
    assert correlation(x, x, coefficient).value <= 1
    assert correlation(x, x[::-1], coefficient).value >= -1


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
    from metaeval.stats.correlating.coefficient_kernels import inversions

    assert inversions(np.array(order)) == sum(a > b for a, b in combinations(order, 2))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [FEW, FEW + 1, 1000, 10_000])
def test_many_that_order_alike_have_exactly_one(n, sign):
    x = np.random.default_rng(n).permutation(n).astype(float)
    assert correlation(x, sign * x, "kendall").value == sign


def test_ten_thousand_items_take_no_matrix_of_pairs():
    """A matrix of their pairs would take 100 MB at the least."""
    x, y = np.random.default_rng(1).integers(0, 5, (2, 10_000)).astype(float)
    correlation(x, y, "kendall")  # which loads the compiled loop
    tracemalloc.start()
    try:
        correlation(x, y, "kendall")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10e6
