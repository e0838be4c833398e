"""Coefficients equal SciPy's on any data with ties, and say why if there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import correlation
from metaeval.stats.correlating.coefficients import average_ranks

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
