"""Corrections for several tests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES)
def test_benjamini_hochberg_equals_scipy(p):
    assert benjamini_hochberg(p) == pytest.approx(scipy_stats.false_discovery_control(p), abs=1e-12)


@given(P_VALUES)
def test_holm_lies_between_the_raw_and_the_bonferroni_p_and_keeps_their_order(p):
    raw, adjusted = np.array(p), holm(p)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(1, raw * len(raw)) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0).all()


def test_undefined_p_values_stay_undefined_and_do_not_count():
    assert holm([0.01, np.nan, 0.04]).tolist()[::2] == holm([0.01, 0.04]).tolist()
    assert np.isnan(benjamini_hochberg([0.01, np.nan])[1])
    assert np.isnan(holm([np.nan])).all()


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_what_is_no_p_value_is_refused(correct):
    with pytest.raises(ValueError, match=r"p-values in \[0, 1\]"):
        correct([0.1, 1.5])
