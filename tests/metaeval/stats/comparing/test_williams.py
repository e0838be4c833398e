"""Williams' test: signed, as the literature has it, against golden values and simulation."""

import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metaeval.stats import williams, williams_test


@pytest.mark.shared_data
def test_p_values_equal_the_golden_ones_where_signs_are_kept(golden):
    for case in json.loads((golden / "statistics.json").read_text())["williams"]:
        given = (case["r12"], case["r13"], case["r23"], case["n"])
        assert williams(*given).pvalue == pytest.approx(case["mtme_two_sided"], abs=1e-12)
        greater = williams(*given, alternative="greater")
        assert greater.pvalue == pytest.approx(case["mtme_one_sided"], abs=1e-12)
        assert williams(*given, alternative="less").pvalue == pytest.approx(1 - greater.pvalue, abs=1e-12)


def test_the_sign_of_a_correlation_is_kept():
    """.70 against -.42: taking absolute values, as one package does, hides that the second metric is worse."""
    signed = williams(0.70, -0.42, -0.30, n=25)
    absolute = williams(0.70, 0.42, 0.30, n=25)
    assert signed.pvalue < 0.001
    assert absolute.pvalue > 0.1


def test_exchanging_the_metrics_changes_the_sign_alone():
    one, two = williams(0.6, 0.3, 0.5, n=20), williams(0.3, 0.6, 0.5, n=20)
    assert (one.t, one.pvalue) == (-two.t, two.pvalue)


def test_under_the_null_p_values_are_uniform():
    rng = np.random.default_rng(1)
    target = rng.normal(size=(800, 40))
    first, second = (target + rng.normal(size=(800, 40)) for _ in range(2))
    p = [williams_test(*rows).pvalue for rows in zip(first, second, target, strict=True)]
    assert scipy_stats.kstest(p, "uniform").pvalue > 0.001


def test_the_order_of_systems_changes_nothing_and_undefined_systems_are_left_out():
    rng = np.random.default_rng(2)
    first, second, target = rng.normal(size=(3, 12))
    order = rng.permutation(12)
    expected = williams_test(first, second, target)
    assert williams_test(first[order], second[order], target[order]).t == pytest.approx(expected.t, abs=1e-12)
    with_gap = [np.append(row, value) for row, value in zip((first, second, target), (1, math.nan, 2), strict=True)]
    found = williams_test(*with_gap)
    assert (found.t, found.pvalue, found.n) == (expected.t, expected.pvalue, 12)
    assert found.excluded == (12,)


def test_of_ranks_it_says_that_it_is_approximate():
    rows = np.random.default_rng(3).normal(size=(3, 9))
    assert williams_test(*rows).notes == ()
    assert "approximate" in williams_test(*rows, coefficient="kendall").notes[0]


def test_what_is_undefined_says_why():
    assert "four systems" in williams(0.5, 0.4, 0.3, n=3).reason
    assert "perfectly" in williams(0.5, 0.5, 1.0, n=9).reason
    assert williams(0.5, 0.5, 1.0, n=9).to_dict()["pvalue"] is None
    assert "undefined" in williams_test([1, 1, 1, 1], [1, 2, 3, 5], [1, 2, 4, 3]).reason
    assert "variance" in williams(0.0, 0.0, -1.0, n=9).reason


def test_impossible_correlations_are_refused():
    with pytest.raises(ValueError, match=r"\br12 is 1\.5; .*\[-1, 1\]"):
        williams(1.5, 0.2, 0.1, n=9)
    with pytest.raises(ValueError, match="no data can have"):
        williams(0.9, 0.9, -0.9, n=9)
    with pytest.raises(ValueError, match="no data can have"):
        williams(0.8, 0.8, 0.0, n=9)  # K = 1 - 0.64 - 0.64
    on_the_edge = -0.2 * math.sqrt(8 * 1.96 / (0.7**2 * 0.04**3))  # K = 0, up to rounding
    assert williams(0.6, 0.8, 0.96, n=9).t == pytest.approx(on_the_edge, rel=1e-9)
    with pytest.raises(ValueError, match="shapes"):
        williams_test([1, 2], [1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match="alternative is 'more'"):
        williams(0.1, 0.2, 0.3, n=9, alternative="more")
