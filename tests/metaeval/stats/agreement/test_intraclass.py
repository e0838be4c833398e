"""The six intraclass correlations, on the table of Shrout and Fleiss (1979)."""

import math

import numpy as np
import pytest

from metaeval.stats.agreement import INTRACLASS_FORMS, intraclass_correlation

JUDGED = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
"""Their Table 2: 6 targets, 4 judges."""


@pytest.mark.parametrize(
    ("form", "value", "limits", "f", "degrees"),
    [
        ("1,1", 0.17, (-0.133, 0.72), 1.79, (5, 18)),
        ("2,1", 0.29, (0.019, 0.76), 11.03, (5, 15)),
        ("3,1", 0.71, (0.342, 0.95), 11.03, (5, 15)),
        ("1,k", 0.44, (-0.884, 0.91), 1.79, (5, 18)),
        ("2,k", 0.62, (0.071, 0.93), 11.03, (5, 15)),
        ("3,k", 0.91, (0.676, 0.99), 11.03, (5, 15)),
    ],
)
def test_the_published_values_and_the_limits_that_r_gives(form, value, limits, f, degrees):
    """Limits: `psych::ICC` in R on the same table, to the digits that it prints."""
    found = intraclass_correlation(JUDGED, form)
    assert round(found.value, 2) == value
    assert (round(found.low, 3), round(found.high, 2)) == limits
    assert (round(found.f, 2), found.degrees) == (f, degrees)
    assert found.pvalue == pytest.approx(0.1648 if form[0] == "1" else 0.00013, abs=6e-5)


@pytest.mark.parametrize("form", INTRACLASS_FORMS)
def test_judges_who_agree_have_1_and_a_unit_does_not_matter(form):
    same = intraclass_correlation(np.repeat([[1.1], [2.3], [5.7]], 3, axis=1), form)
    assert (same.value, same.low, same.high, same.pvalue) == (1, 1, 1, 0)
    one, other = intraclass_correlation(JUDGED, form), intraclass_correlation(JUDGED / 7 - 3, form)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)


def test_a_judge_who_rates_higher_matters_to_agreement_and_not_to_consistency():
    shifted = np.array([[1.0, 2.1], [2.0, 3.1], [5.0, 6.1]])
    assert intraclass_correlation(shifted, "3,1").value == 1
    assert intraclass_correlation(shifted, "2,1").value < 1


def test_the_mean_of_the_judges_is_by_spearman_and_brown_of_one():
    for kind in "123":
        one = intraclass_correlation(JUDGED, f"{kind},1").value
        assert intraclass_correlation(JUDGED, f"{kind},k").value == pytest.approx(4 * one / (1 + 3 * one))


def test_targets_that_somebody_did_not_rate_are_left_out_and_counted():
    with_hole = np.vstack([JUDGED, [1, np.nan, 2, 3]])
    found = intraclass_correlation(with_hole, "2,1")
    assert (found.excluded, found.n_targets, found.n_judges) == (1, 6, 4)
    assert found.value == intraclass_correlation(JUDGED, "2,1").value


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2]], "fewer than two targets that every judge rated"),
        ([[1], [2]], "fewer than two judges"),
        ([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], "the ratings leave no variance of targets to compare with"),
    ],
)
@pytest.mark.parametrize("form", INTRACLASS_FORMS)
def test_where_nothing_can_be_compared_it_is_undefined(ratings, reason, form):
    found = intraclass_correlation(ratings, form)
    assert math.isnan(found.value)
    assert found.reason == reason
    assert found.to_dict()["value"] is None


def test_other_shapes_forms_and_levels_are_refused():
    with pytest.raises(ValueError, match=r"shape \(3,\); .*\(targets, judges\)"):
        intraclass_correlation([1, 2, 3])
    with pytest.raises(ValueError, match="1,1, 2,1"):
        intraclass_correlation(JUDGED, "4,1")
    with pytest.raises(ValueError, match="confidence_level is 95"):
        intraclass_correlation(JUDGED, confidence_level=95)
