"""Bad input is refused once, at the entrance, with a message that says what was passed and what was expected."""

import numpy as np
import pytest

from metaeval.metrics import DistributionError, compute, soft_accuracy, soft_micro_f1
from metaeval.metrics.pair import count_wrong

GOOD = [[0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("P", "Q", "task", "message"),
    [
        (GOOD, [[0.5, 0.5]], "multiclass", r"P has shape \(2, 2\), Q has shape \(1, 2\); expected one shape"),
        ([0.5, 0.5], GOOD, "multiclass", r"P has shape \(2,\); expected \(instances, labels\)"),
        (np.empty((0, 2)), np.empty((0, 2)), "multilabel", r"shape \(0, 2\).*neither of them 0"),
        (GOOD, [[0.5, np.nan], [1, 0]], "multiclass", r"Q\[0, 1\] = nan is NaN; expected values in \[0, 1\]"),
        (GOOD, [[1.2, -0.2], [1, 0]], "multilabel", r"Q\[0, 0\] = 1\.2 is outside \[0, 1\] \(and 1 more\)"),
        (GOOD, [[0.5, 0.5], [0.9, 0.0]], "multiclass", r"row 1 of Q sums to 0\.9; rows of a multiclass task"),
        ([[1.0]], [[1.0]], "multiclass", "P has 1 label; a multiclass task needs at least 2"),
        ([["a"]], [[1.0]], "multilabel", "P cannot be read as a matrix of numbers"),
        (GOOD, GOOD, "regression", "task is 'regression'; expected one of multiclass, multilabel, ordinal"),
    ],
)
def test_what_is_not_a_pair_of_distributions_is_refused_in_words(P, Q, task, message):
    with pytest.raises(DistributionError, match=message):
        compute(P, Q, task)


def test_rows_may_miss_one_by_the_tolerance_and_are_not_changed():
    assert soft_accuracy([[0.3335, 0.6665]], [[0.333, 0.6665]]) == pytest.approx(0.9995, abs=1e-12)


def test_rounding_over_the_edge_is_clipped():
    assert soft_micro_f1([[1 + 1e-12, -1e-12]], [[1.0, 0.0]], "multilabel") == 1.0


def test_one_bad_system_among_many_is_named():
    bad = [[2.0, 0.0], [1.0, 0.0]]
    for systems in ({"roberta": GOOD, "bert": bad}, {"bert": bad}):
        with pytest.raises(DistributionError, match=r"Q of .*'bert'"):
            compute(GOOD, systems, "multilabel")


@pytest.mark.parametrize("zero_division", [-0.5, -1, 1.5, True, "1", None])
def test_what_0_0_counts_is_a_share_or_nothing(zero_division):
    with pytest.raises(DistributionError, match="zero_division is "):
        compute(GOOD, GOOD, "multilabel", zero_division=zero_division)


def test_cells_that_are_no_shares_and_rows_that_do_not_sum_to_one_are_counted():
    matrix = np.array([[0.0, 1.0], [0.25, 0.75], [-0.5, 1.5], [0.5, 0.25], [np.nan, 1.0]])
    assert count_wrong(matrix, 1e-3) == (3, 2)
    assert count_wrong(matrix, 0.5) == (3, 1)
    assert count_wrong(matrix, None) == (3, 0)


def test_a_row_at_the_edge_of_the_tolerance_is_named_however_its_sum_is_rounded():
    """Added up one by one it is beyond the edge; NumPy, which adds eight numbers side by side, says that it is not."""
    rng = np.random.default_rng(5)
    rows = (row * 1.001 for row in rng.dirichlet(np.ones(40), 1000))
    row = next(row for row in rows if np.sum([row], axis=1)[0] - 1 <= 1e-3 < sum(row.tolist(), start=-0.0) - 1)
    with pytest.raises(DistributionError, match=r"^row 0 of Q .*1\.001"):
        compute([np.full(40, 1 / 40)], [row], "multiclass")
