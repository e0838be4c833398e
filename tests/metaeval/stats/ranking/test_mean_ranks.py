"""Mean ranks by hand: ties share, degenerate methods are last, absent ones are not ranked."""

import math

import numpy as np
import pytest

from metaeval.stats.ranking.mean_ranks import mean_ranks


def no(rows, columns):
    return np.zeros((rows, columns), dtype=bool)


def test_ranks_by_hand():
    values = [[0.3, 0.1 + 0.2, 0.9, math.nan], [5.0, 1.0, 2.0, 3.0], [1.0, 2.0, math.nan, math.nan]]
    last, absent = no(3, 4), no(3, 4)
    last[1, 1] = True  # the lowest would be the best
    absent[2, 3] = True
    found = mean_ranks(values, lower=[False, True, False], last=last, absent=absent)
    np.testing.assert_array_equal(found.ranks, [[2.5, 2.5, 1, 4], [3, 4, 1, 2], [2, 1, 3, math.nan]])
    assert found.means.tolist() == [2.5, 2.5, 5 / 3, 3]
    assert found.rankings.tolist() == [3, 3, 3, 2]


def test_degenerate_methods_share_the_last_ranks():
    found = mean_ranks([[math.nan, 1.0, math.nan]], lower=[False], last=no(1, 3), absent=no(1, 3))
    assert found.ranks.tolist() == [[2.5, 1, 2.5]]


def test_a_ranking_of_one_method_says_nothing():
    found = mean_ranks([[1.0, 2.0]], lower=[False], last=no(1, 2), absent=[[False, True]])
    assert np.isnan(found.means).all()
    assert found.rankings.tolist() == [0, 0]


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"\bvalues, lower .*1, 2 "):
        mean_ranks([[1.0, 2.0]], lower=[False, True], last=no(1, 2), absent=no(1, 2))
    with pytest.raises(ValueError, match=r"\(1, 2, 1\)"):
        mean_ranks([[[1.0], [2.0]]], lower=[False], last=[[[False], [False]]], absent=[[[False], [False]]])
