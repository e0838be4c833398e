"""Rows of a system that predicted nothing are refused, or left out and counted."""

import numpy as np
import pytest

from metaeval.metrics import DistributionError, compute

P = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [1.0, 0.0]])
NOTHING = [np.nan, np.nan]
PART = np.array([[0.7, 0.3], NOTHING, NOTHING, [0.6, 0.4]])
OVERLAPS = [0.8, 0.6]  # of the rows that PART predicted: the smaller shares, summed


def test_a_system_is_judged_by_the_rows_that_it_predicted_and_the_others_are_counted():
    table = compute(P, {"part": PART, "whole": P}, "multiclass", ["soft_accuracy"], absent="leave out")
    assert table.absent == {"part": 2}
    assert table.of("soft_accuracy") == pytest.approx([np.mean(OVERLAPS), 1.0])
    with pytest.raises(DistributionError, match=r"Q of .*'part'.*\b1, 0\b"):
        compute(P, {"part": PART, "whole": P}, "multiclass", ["soft_accuracy"])


@pytest.mark.parametrize("Q", [[[0.5, 0.5], NOTHING], [NOTHING] * 4, np.vstack([PART, [0.5, np.nan]])[1:]])
def test_another_shape_nothing_at_all_and_half_a_row_are_refused_even_where_rows_are_left_out(Q):
    with pytest.raises(DistributionError):
        compute(P, {"system": Q}, "multiclass", ["soft_accuracy"], absent="leave out")
