"""Intervals that leave out whole methods: as in the reference, and none if there is too little data."""

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metaeval.stats import correlation, jackknife_intervals

SYSTEMS = list(product("AB", "rstuvwxyz"))


def study(seed):
    rng = np.random.default_rng(seed)
    target = rng.normal(size=len(SYSTEMS))
    return {"m": target + rng.normal(size=len(SYSTEMS))}, target


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["crossed_2x7", "crossed_2x7_one_hole"])
def test_the_interval_of_the_golden_designs_is_that_of_the_reference(golden, name):
    case = json.loads((golden / "units.json").read_text())["cases"][name]
    units = [(str(model), str(method)) for model, method in zip(case["models"], case["methods"], strict=True)]
    (found,) = jackknife_intervals({"m": case["metric"]}, case["fraction"], units=units, coefficients=["pearson"])
    expected = case["interval_pearson_within"]
    assert found.standard_error == pytest.approx(expected["se_z"], abs=1e-12)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-12)
    assert found.value == pytest.approx(case["tests"]["pearson"]["statistic"], abs=1e-12)
    assert (found.statistic, found.left_out, found.units) == ("within models", "methods", 7)


@pytest.mark.shared_data
def test_few_methods_have_no_interval_and_the_reason(golden):
    case = json.loads((golden / "units.json").read_text())["cases"]["crossed_3x4"]
    units = [(str(model), str(method)) for model, method in zip(case["models"], case["methods"], strict=True)]
    for found in jackknife_intervals({"m": case["metric"]}, case["fraction"], units=units):
        assert (found.reason[:9], found.reason[-2:]) == ("4 methods", " 6")
        assert math.isfinite(found.value)
        assert found.to_dict()["low"] is None


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_without_shared_names_single_systems_are_left_out(coefficient):
    scores, target = study(1)
    (found,) = jackknife_intervals(scores, target, coefficients=[coefficient])
    x, n = np.array(scores["m"]), len(target)
    z = [np.arctanh(correlation(np.delete(x, i), np.delete(target, i), coefficient).value) for i in range(n)]
    error = (n - 1) / math.sqrt(n) * np.std(z, ddof=1)
    width = scipy_stats.t.ppf(0.975, n - 1) * error
    r = correlation(x, target, coefficient).value
    assert (found.left_out, found.units, found.statistic) == ("systems", n, "overall")
    assert (found.low, found.high) == pytest.approx(np.tanh([np.arctanh(r) - width, np.arctanh(r) + width]), abs=1e-12)


@pytest.mark.parametrize(
    ("exchangeable", "left_out", "units", "statistic"),
    [
        ("methods jointly", "methods", 9, "within models"),
        ("models and methods", "methods", 9, "within models"),
        ("within model", "methods", 18, "within models"),
        ("systems", "systems", 18, "overall"),
    ],
)
def test_what_is_left_out_is_what_changes_places(exchangeable, left_out, units, statistic):
    scores, target = study(2)
    (found,) = jackknife_intervals(scores, target, coefficients=["pearson"], units=SYSTEMS, exchangeable=exchangeable)
    assert (found.left_out, found.units, found.statistic) == (left_out, units, statistic)
    assert -1 <= found.low < found.value < found.high <= 1


def test_whole_models_are_left_out_where_they_change_places():
    scores, target = study(3)
    units = [(method, model) for model, method in SYSTEMS]
    (found,) = jackknife_intervals(scores, target, coefficients=["pearson"], units=units, exchangeable="models jointly")
    (turned,) = jackknife_intervals(scores, target, coefficients=["pearson"], units=SYSTEMS)
    assert (found.left_out, found.units, found.statistic) == ("models", 9, "within methods")
    assert (found.low, found.high) == pytest.approx((turned.low, turned.high), abs=1e-12)


def test_runs_of_a_method_are_left_out_together():
    scores, target = study(4)
    units = [(model, method.replace("r", "s")) for model, method in SYSTEMS]
    (found,) = jackknife_intervals(scores, target, coefficients=["pearson"], units=units)
    assert found.units == 8


def test_a_system_without_a_score_is_left_out_and_listed():
    scores, target = study(5)
    scores["m"][3] = np.nan
    (found,) = jackknife_intervals(scores, target, coefficients=["kendall"], units=SYSTEMS)
    assert (found.n, found.excluded) == (17, ("3",))
    assert math.isfinite(found.low)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda x, y: (y * 2, y), "there is no spread to go by"),
        (lambda x, y: (np.repeat([1.0, 2.0], 9), y), "within every model all values of m are equal"),
        (lambda x, y: (np.r_[1.0, np.zeros(8), 1.0, np.zeros(8)], y), "undefined without one of the methods"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_given(change, reason):
    scores, target = study(6)
    x, y = change(scores["m"], target)
    (found,) = jackknife_intervals({"m": x}, y, coefficients=["pearson"], units=SYSTEMS)
    assert reason in found.reason
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_what_cannot_be_asked_for_is_refused():
    scores, target = study(7)
    with pytest.raises(ValueError, match="confidence_level is 95"):
        jackknife_intervals(scores, target, confidence_level=95)
    with pytest.raises(ValueError, match=r"\bm .*shape"):
        jackknife_intervals({"m": [1, 2]}, target)
