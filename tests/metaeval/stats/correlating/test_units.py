"""Restricted permutation tests: systems that share a model or a method are not exchanged with others."""

import json
import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.ground.units import EXCHANGEABLE, Crossing, count_permutations, exchanges
from metaeval.stats import PermutationPlan, correlation, correlation_tests, within_correlation
from metaeval.stats.correlating.permutation import BLOCK

CASES = ["crossed_2x7", "crossed_2x7_one_hole", "crossed_3x4"]
COEFFICIENTS = ["pearson", "spearman", "kendall"]
RESTRICTED = [choice for choice in EXCHANGEABLE if choice != "systems"]


@pytest.fixture
def cases(golden):
    return json.loads((golden / "units.json").read_text())["cases"]


def crossed(models, methods, holes=(), runs=1):
    cells = [cell for cell in product(range(models), range(methods)) if cell not in holes]
    return [(f"model {model}", f"method {method}") for model, method in cells for _ in range(runs)]


def rows(seed, systems, count=3):
    rng = np.random.default_rng(seed)
    return {f"m{i}": rng.normal(size=systems) for i in range(count)}, rng.normal(size=systems)


def every_order(crossing, exchangeable):
    """All permutations of the systems, straight from the sets of units: one order (n,) each."""
    sets = exchanges(crossing, exchangeable)
    for ways in product(*(list(permutations(range(len(alike.units)))) for alike in sets)):
        order = np.arange(len(crossing))
        for (_, units), way in zip(sets, ways, strict=True):
            before = order.copy()
            order[units] = before[units[list(way)]]
        yield order


@pytest.mark.shared_data
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("two_sided", ["double", "magnitude"])
def test_every_permutation_of_the_golden_designs_is_counted_as_in_the_reference(cases, name, two_sided):
    case = cases[name]
    units = [
        (f"model {model}", f"method {method}") for model, method in zip(case["models"], case["methods"], strict=True)
    ]
    for alternative in ("two-sided", "greater", "less"):
        tests = correlation_tests(
            {"m": case["metric"]}, case["fraction"], units=units, two_sided=two_sided, alternative=alternative
        )
        for test in tests:
            expected = case["tests"][test.coefficient]
            key = {"greater": "greater", "less": "less"}.get(alternative, two_sided)
            assert test.exchangeable == case["exchangeable"], "which follows from the names"
            assert test.value == pytest.approx(expected["statistic"], abs=1e-12)
            assert test.overall == pytest.approx(expected["overall"], abs=1e-12)
            assert (test.exact, test.n_resamples) == (True, expected["permutations"])
            assert test.pvalue == pytest.approx(expected[key], abs=1e-12)


@pytest.mark.parametrize(
    ("systems", "exchangeable"),
    [
        *((crossed(2, 4), choice) for choice in RESTRICTED if choice != "within model"),
        (crossed(2, 4, holes=((1, 3),)), "within model"),
        *((crossed(3, 4, holes=((1, 2),)), choice) for choice in RESTRICTED if choice != "within model"),
        (crossed(2, 4, holes=((1, 1), (1, 2))), "methods jointly"),
        (crossed(2, 3, holes=((1, 1),)), "within model"),
        (crossed(2, 4, runs=2), "methods jointly"),
        (crossed(2, 3, runs=2), "models and methods"),
        (crossed(4, 2, runs=2), "models jointly"),
        ([("A", "u"), ("A", "v"), ("A", "w"), ("B", "x"), ("B", "y"), ("B", "z")], "within model"),
        ([(model, f"{model}{k}") for model in "ABCD" for k in range(2)], "models jointly"),
        ([(model, f"{model}{k}") for model in "ABC" for k in range(2)], "models and methods"),
    ],
)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_the_loop_counts_what_listing_every_permutation_counts(systems, exchangeable, coefficient):
    crossing = Crossing.of(systems)
    scores, target = rows(3, len(systems))
    target = np.round(target, 1)  # ties
    tests = correlation_tests(
        scores, target, coefficients=[coefficient], units=systems, exchangeable=exchangeable, n_resamples=50_000
    )
    plan = PermutationPlan(scores, target, units=systems, exchangeable=exchangeable)
    parts = plan._whole.parts
    orders = list(every_order(crossing, exchangeable))
    assert len(orders) == count_permutations(crossing, exchangeable)
    null = np.array(
        [[within_correlation(x, target[order], parts, coefficient).value for x in scores.values()] for order in orders]
    )
    for test, drawn in zip(tests, null.T, strict=True):
        assert test.value == pytest.approx(drawn[0], abs=1e-12)
        assert test.n_resamples == len(orders)
        assert test.count_greater_equal == (drawn >= test.value - 1e-12).sum()
        assert test.count_less_equal == (drawn <= test.value + 1e-12).sum()
        assert test.count_magnitude == (abs(drawn) >= abs(test.value) - 1e-12).sum()
    if not crossing.has_runs and (not len(crossing.holed) or crossing.is_nested):
        assert null.mean(axis=0) == pytest.approx(0, abs=1e-9), "or its size would mean nothing"


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_systems_that_stay_where_models_change_places_are_compared_within_their_method_too(coefficient):
    systems = crossed(3, 4, holes=((1, 2),))
    scores, target = rows(5, len(systems), count=1)
    (test,) = correlation_tests(
        scores, target, coefficients=[coefficient], units=systems, exchangeable="models jointly"
    )
    expected = within_correlation(scores["m0"], target, [method for _, method in systems], coefficient).value
    assert (test.tested, test.n_resamples) == ("within methods", 6)
    assert test.value == pytest.approx(expected, abs=1e-12)


def test_the_overall_coefficient_has_another_mean_under_restricted_permutations():
    # Why it is not what is tested: two models that differ in both give it a mean far from 0.
    systems = crossed(2, 5)
    scores, target = rows(4, 10, count=1)
    x, y = scores["m0"] + np.repeat([0, 3], 5), target + np.repeat([0, 3], 5)
    null = [correlation(x, y[order]).value for order in every_order(Crossing.of(systems), "methods jointly")]
    assert np.mean(null) > 0.5


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_one_model_s_methods_jointly_are_its_systems_to_the_last_digit(coefficient):
    scores, target = rows(5, 13)
    plain, jointly = (
        correlation_tests(scores, target, coefficients=[coefficient], n_resamples=5000, units=units, exchangeable=what)
        for units, what in [(None, None), (crossed(1, 13), "methods jointly")]
    )
    for one, other in zip(plain, jointly, strict=True):
        assert (one.pvalue, one.p_family, one.count_magnitude) == (
            other.pvalue,
            other.p_family,
            other.count_magnitude,
        )
        assert one.value == pytest.approx(other.value, abs=1e-14)


def test_systems_are_exchanged_as_ever_when_asked_for_or_when_nothing_is_known_of_them():
    scores, target = rows(6, 14)
    before = correlation_tests(scores, target, n_resamples=5000)
    assert before == correlation_tests(scores, target, n_resamples=5000, units=crossed(2, 7), exchangeable="systems")
    assert all((test.tested, test.overall) == ("overall", test.value) for test in before)
    assert {test.exchangeable for test in correlation_tests(scores, target, units=crossed(2, 7))} == {"methods jointly"}


@pytest.mark.parametrize("exchangeable", RESTRICTED)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_sampled_p_values_agree_with_listed_ones_within_their_stated_error(exchangeable, coefficient):
    units = {"within model": crossed(2, 4), "models jointly": crossed(7, 2)}.get(exchangeable, crossed(3, 5))
    scores, target = rows(7, len(units))
    listed, sampled = (
        correlation_tests(
            scores,
            target,
            coefficients=[coefficient],
            units=units,
            exchangeable=exchangeable,
            n_resamples=count,
            seed=2,
        )
        for count in (6000, 500)
    )
    for true, estimate in zip(listed, sampled, strict=True):
        assert true.exact
        assert (estimate.exact, estimate.n_resamples) in {(False, 500), (True, true.n_resamples)}
        assert abs(estimate.pvalue - true.pvalue) <= 4 * estimate.p_error


@pytest.mark.parametrize("exchangeable", ["within model", "methods jointly", "models and methods"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_metric_without_one_system_is_tested_as_if_its_method_had_that_hole(exchangeable, coefficient):
    systems = crossed(2, 5)
    scores, target = rows(8, 10)
    scores["m1"][7] = np.nan  # the third method in the second model
    kept = np.isfinite(scores["m1"])
    together = correlation_tests(scores, target, coefficients=[coefficient], units=systems, exchangeable=exchangeable)
    (alone,) = correlation_tests(
        {"m1": scores["m1"][kept]},
        target[kept],
        coefficients=[coefficient],
        units=crossed(2, 5, holes=((1, 2),)),
        exchangeable=exchangeable,
    )
    assert together[1].value == alone.value
    assert together[1].pvalue == pytest.approx(alone.pvalue, abs=1e-12)
    assert (together[1].excluded, together[1].n) == (("7",), 9)
    assert together[0].n_resamples == together[1].n_resamples  # which are shared


def test_a_row_with_few_permutations_of_its_own_gets_all_of_them_beside_a_shared_sample():
    systems = crossed(2, 8)
    scores, target = rows(9, 16, count=2)
    scores["m1"][4:8] = scores["m1"][12:] = np.nan
    big, small = correlation_tests(scores, target, coefficients=["pearson"], units=systems, n_resamples=1000)
    kept = np.isfinite(scores["m1"])
    (alone,) = correlation_tests(
        {"m": scores["m1"][kept]},
        target[kept],
        coefficients=["pearson"],
        units=crossed(2, 4),
        exchangeable="methods jointly",
    )
    assert (big.exact, small.exact, small.n_resamples) == (False, True, math.factorial(4))
    assert small.pvalue == alone.pvalue
    assert small.p_family >= 1 / 1001


def test_a_metric_that_leaves_nothing_to_exchange_has_a_value_and_no_p_value():
    systems = crossed(2, 6)
    scores, target = rows(10, 12, count=2)
    scores["m1"][[1, 2, 3, 4, 5, 6, 8, 9, 10, 11]] = np.nan
    scores["m1"][[0, 7]] = 1.0, 2.0
    good, bad = correlation_tests(scores, target, coefficients=["pearson"], units=systems)
    assert math.isnan(bad.value)
    assert bad.reason == "within every model all values of m1 are equal"
    assert math.isfinite(bad.overall)
    assert math.isfinite(good.pvalue)
    (lone,) = correlation_tests(
        {"m": rows(11, 4)[1]},
        target[:4],
        coefficients=["pearson"],
        units=[("A", "u"), ("A", "v"), ("B", "v"), ("B", "w")],
        exchangeable="methods jointly",
    )
    assert lone.reason == "nothing that has m can change places"
    assert math.isfinite(lone.value)
    assert lone.to_dict()["pvalue"] is None


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 1000), st.sampled_from(RESTRICTED), st.integers(1, 2 * BLOCK), st.randoms(use_true_random=False))
def test_the_result_does_not_depend_on_who_did_which_block(seed, exchangeable, permutations, random):
    systems = crossed(3, 6, holes=((2, 4),))
    scores, target = rows(12, len(systems))
    scores["m1"][[2, 5]] = np.nan
    plan, other = (
        PermutationPlan(scores, target, n_resamples=permutations, seed=seed, units=systems, exchangeable=exchangeable)
        for _ in range(2)
    )
    blocks = list(range(len(plan.blocks)))
    random.shuffle(blocks)
    assert plan.tests(sum((other.count(block) for block in blocks), plan.empty())) == plan.run()


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(["within model", "methods jointly"]), st.sampled_from(COEFFICIENTS))
def test_what_the_models_are_shifted_by_changes_nothing(seed, exchangeable, coefficient):
    systems = crossed(2, 6, holes=((1, 3),))
    scores, target = rows(seed, len(systems), count=2)
    shift = np.array([0.0 if model == "model 0" else 8.0 for model, _ in systems])
    plain, moved = (
        correlation_tests(
            {name: row + times * shift for name, row in scores.items()},
            target - 3 * times * shift,
            coefficients=[coefficient],
            units=systems,
            exchangeable=exchangeable,
            n_resamples=300,
        )
        for times in (0, 1)
    )
    assert [test.pvalue for test in moved] == [test.pvalue for test in plain]
    assert [test.value for test in moved] == pytest.approx([test.value for test in plain], abs=1e-12)


def test_ties_within_a_model_are_ties_whatever_centring_leaves_of_them():
    # .3 - .2 and .2 - .1 are equal in arithmetic and not as floats: ranked after centring they were no tie.
    x = np.array([0.1, 0.2, 0.2, 0.3, 1.1, 1.2, 1.2, 1.3])
    y = np.array([1, 2, 3, 4, 2, 1, 4, 3.0])
    found = within_correlation(x, y, list("AAAABBBB"), "spearman")
    ranks = np.array([1, 2.5, 2.5, 4, 1, 2.5, 2.5, 4])
    assert found.value == pytest.approx(correlation(ranks - 2.5, y - 2.5).value, abs=1e-15)


def test_what_is_no_crossing_of_these_systems_is_refused_in_words():
    scores, target = rows(13, 6)
    with pytest.raises(ValueError, match="which needs `units`"):
        correlation_tests(scores, target, exchangeable="methods jointly")
    with pytest.raises(ValueError, match=r"units .*4 systems, .*target .*6"):
        correlation_tests(scores, target, units=crossed(2, 2))
    with pytest.raises(ValueError, match="'systems'"):
        correlation_tests(scores, target, units=crossed(2, 3), exchangeable="runs")  # type: ignore[arg-type]  # that is tested
    with pytest.raises(ValueError, match="expected one part a pair"):
        within_correlation([1, 2, 3], [1, 3, 2], list("AB"))
    with pytest.raises(TypeError):
        within_correlation([1, 2, 3], [1, 3, 2], 7)  # type: ignore[arg-type]  # that is tested


def test_many_units_are_shuffled_instead():
    systems = crossed(2, 150)
    scores, target = rows(14, 300, count=1)
    (jointly,) = correlation_tests(scores, target, coefficients=["pearson"], units=systems, n_resamples=4000)
    (within,) = correlation_tests(
        scores, target, coefficients=["pearson"], units=systems, exchangeable="within model", n_resamples=4000
    )
    assert jointly.value == within.value
    assert abs(jointly.pvalue - within.pvalue) < 0.1  # nothing is alike here, so both ask the same
