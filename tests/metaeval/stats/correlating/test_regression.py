"""The line of the scatter."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metaeval.stats import regression_line
from metaeval.stats.correlating.regression import EQUAL_X, TOO_FEW_POINTS


def test_the_line_is_the_least_squares_line_and_its_band_covers_as_often_as_it_says():
    rng = np.random.default_rng(5)
    x = np.linspace(0.4, 0.8, 25)
    covered = 0
    for _ in range(2000):
        y = 0.1 + 0.5 * x + rng.normal(0, 0.05, len(x))
        line = regression_line(x, y, points=3)
        covered += line.lower[1] <= 0.1 + 0.5 * line.x[1] <= line.upper[1]
    reference = scipy_stats.linregress(x, y)
    assert (line.slope, line.intercept) == pytest.approx((reference.slope, reference.intercept), abs=1e-12)
    assert abs(covered / 2000 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 2000)


def test_a_line_that_does_not_exist_says_why():
    assert regression_line([1, 1, 1], [1, 2, 3]).reason == EQUAL_X
    assert regression_line([1, 2], [1, 2]).reason == TOO_FEW_POINTS
    assert regression_line([1, 2], [1, 2]).to_dict()["slope"] is None
    with pytest.raises(ValueError, match="expected one value per point"):
        regression_line([1, 2, 3], [1, np.nan, 3])


def test_constant_y_gives_a_flat_line_without_width():
    line = regression_line([1, 2, 3], [5, 5, 5])
    assert line.slope == 0
    assert set(line.lower) == set(line.upper) == {5.0}
