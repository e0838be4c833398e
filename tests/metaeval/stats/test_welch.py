"""The difference of two means has SciPy's interval, and none where there is nothing to estimate it from."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from metaeval.stats.welch import mean_difference

RUNS = st.lists(st.floats(-1, 1).map(lambda value: round(value, 6)), min_size=2, max_size=6)


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # SciPy's, where one side does not vary
@given(RUNS, RUNS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_it_is_scipys_interval(first, second, level):
    found = mean_difference(first, second, confidence_level=level)
    assert found.value == np.mean(first) - np.mean(second)
    if found.reason:
        assert len(set(first)) == len(set(second)) == 1
        return
    test = ttest_ind(first, second, equal_var=False)
    theirs = test.confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)
    assert found.df == pytest.approx(test.df)


def test_it_holds_the_difference_as_often_as_it_says():
    rng = np.random.default_rng(3)
    times = 2000
    held = 0
    for _ in range(times):
        found = mean_difference(rng.normal(1.0, 1.0, 3), rng.normal(0.0, 0.3, 5), confidence_level=0.9)
        held += found.low <= 1.0 <= found.high
    assert abs(held / times - 0.9) < 4 * math.sqrt(0.9 * 0.1 / times)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([0.5], [0.1, 0.2], "fewer than two runs on one side"),
        ([0.5, 0.6], [0.1], "fewer than two runs on one side"),
        ([0.5, 0.5], [0.25, 0.25], "the runs are equal on both sides"),
        ([158 / 168] * 3, [157 / 168] * 3, "the runs are equal on both sides"),
    ],
)
def test_without_an_estimate_there_is_a_difference_and_a_reason_but_no_interval(first, second, reason):
    found = mean_difference(first, second)
    assert found.value == np.mean(first) - np.mean(second)
    assert found.reason == reason
    assert all(map(math.isnan, (found.low, found.high, found.df)))


def test_one_side_that_varies_is_enough():
    found = mean_difference([0.5, 0.7], [0.25, 0.25])
    assert found.low < found.value < found.high
    assert found.df == 1


@pytest.mark.parametrize("bad", [[], [0.1, math.nan]])
def test_no_value_and_what_is_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match="second"):
        mean_difference([0.1], bad)
