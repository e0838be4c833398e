"""What is exchanged in the tests of a study: by its systems' names, and in words; what is tested, and what is not."""

import numpy as np
import pytest

from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.fractions import judgements_behind
from metaeval.analyses.preference_correlation.correlations import BY_METHODS
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.stats import (
    correlation,
    correlation_intervals,
    correlation_tests,
    jackknife_intervals,
    paired_correlation_test,
)
from tests.metaeval.analyses.preference_correlation.crossed import analysed, crossed, named_study, rows, scores_of


def units_of(result):
    return [(system["model"], system["method"]) for system in result["systems"]]


@pytest.mark.parametrize(
    ("names", "expected", "statistic"),
    [
        (crossed(2, 12), "methods jointly", "within models"),
        (crossed(2, 7, holes=[("model 1", "method c")]), "methods jointly", "within models"),
        (crossed(4, 4), "models and methods", "overall"),
        ([("A", f"m{place}") for place in range(9)], "systems", "overall"),
        ([(f"model {place}", "") for place in range(9)], "systems", "overall"),
        ([("AB"[place % 2], f"m{place}") for place in range(10)], "within model", "within models"),
    ],
)
def test_it_follows_from_the_names_and_the_library_tests_just_that(names, expected, statistic):
    result = analysed(named_study(names))
    assert result["unit"]["exchangeable"] == expected
    assert result["unit"]["by_default"]
    scores, target = scores_of(result)
    tests = correlation_tests(
        scores,
        target,
        n_resamples=2000,
        seed=seeding.root(1, seeding.Purpose.PERMUTATIONS),
        units=units_of(result),
        exchangeable=expected,
    )
    found = {(row["coefficient"], row["metric"]): row for row in result["correlations"]}
    for test in tests:
        row = found[test.coefficient, test.row]
        assert (row["statistic"], row["exchangeable"]) == (statistic, expected)
        assert (row["value"], row["p_value"], row["p_family"]) == (test.value, test.pvalue, test.p_family)
        whole = correlation(scores[test.row], target, test.coefficient).value
        assert row["overall"] == pytest.approx(whole, abs=1e-12)


def test_the_interval_is_the_jackknife_of_the_tested_correlation():
    result = analysed(named_study(crossed(2, 12)))
    scores, target = scores_of(result)
    for found in jackknife_intervals(scores, target, units=units_of(result)):
        interval = rows(result, found.coefficient)[found.row]["interval"]
        assert (interval["low"], interval["high"]) == (found.low, found.high)
        assert (interval["method"], interval["units"], interval["over"]) == ("jackknife", 12, ["methods"])
        assert interval["statistic"] == "within models"


def test_the_bootstrap_by_methods_is_of_the_tested_correlation_too():
    inputs = named_study(crossed(2, 12))
    result = analysed(inputs, interval="bca by methods", resamples=200, coefficients=["pearson"])
    scores, _ = scores_of(result)
    how = {"both": "1", "weights": "none", "average": "responses"}
    found = correlation_intervals(
        scores,
        judgements_behind(inputs.responses(), inputs.systems, **how),
        units=units_of(result),
        coefficients=["pearson"],
        n_resamples=200,
        method="bca",
        seed=seeding.root(1, seeding.Purpose.CORRELATION_BOOTSTRAP),
    )
    for one in found:
        interval = rows(result)[one.row]["interval"]
        assert (interval["low"], interval["high"]) == (one.interval.low, one.interval.high)
        assert (interval["method"], interval["statistic"], interval["units"]) == (
            BY_METHODS,
            "within models",
            12,
        )
    assert any("drawn together (12 units)" in note for note in result["tables"][0]["notes"])
    as_published = rows(analysed(inputs, interval="bca", resamples=200, coefficients=["pearson"]))
    assert all(row["interval"]["statistic"] == "overall" for row in as_published.values())


@pytest.mark.parametrize("how", ["jackknife", "exchange methods"])
def test_two_metrics_are_compared_by_whole_methods(how):
    result = analysed(named_study(crossed(2, 12)), paired=how, exchanges=400)
    scores, target = scores_of(result)
    (row,) = [one for one in result["comparisons"] if one["coefficient"] == "pearson"]
    found = paired_correlation_test(
        scores["soft_accuracy"], scores["po_jsd"], target, units=units_of(result), n_resamples=0
    )
    by_units = row["by_units"]
    assert (by_units["test"], by_units["units"], by_units["left_out"]) == (how, 12, "methods")
    assert by_units["difference"] == found.difference
    if how == "jackknife":
        assert (by_units["p_value"], by_units["low"]) == (found.pvalue, found.low)
    else:
        assert 0 < by_units["p_value"] <= 1
        assert by_units["exchanges"] == 400
    (table,) = [table for table in result["tables"] if table["name"] == "comparisons"]
    assert any("no conclusion is drawn from it" in note for note in table["notes"])


class TestWords:
    def test_the_result_and_its_table_say_first_what_is_exchanged(self):
        result = analysed(named_study(crossed(2, 7, holes=[("model 1", "method c")])))
        for notes in (result["notes"], result["tables"][0]["notes"]):
            assert notes[0].startswith("How chance was judged. Whole methods change places")
            assert "method c is not in every model" in notes[0]

    def test_the_overall_correlation_stands_beside_and_is_said_to_be_untested(self):
        result = analysed(named_study(crossed(2, 12)))
        columns = {column["key"]: column["title"] for column in result["tables"][0]["columns"]}
        assert columns["pearson"] == "within models"
        assert columns["pearson_overall"] == "overall, not tested"
        assert any("without a star" in note and "not tested" in note for note in result["notes"])

    @pytest.mark.parametrize("names", [crossed(4, 4), [("A", f"m{place}") for place in range(9)]])
    def test_where_the_overall_correlation_is_tested_nothing_stands_beside_it(self, names):
        result = analysed(named_study(names))
        assert "pearson_overall" not in {column["key"] for column in result["tables"][0]["columns"]}
        assert not any("without a star" in note for note in result["notes"])

    def test_free_exchange_of_systems_that_share_something_is_warned_of(self):
        result = analysed(named_study(crossed(2, 12)), exchangeable="systems")
        assert not result["unit"]["by_default"]
        assert "chance is taken for a finding too often" in result["notes"][0]

    def test_with_fewer_than_six_methods_there_is_no_interval_and_the_reason_is_said_once(self):
        result = analysed(named_study(crossed(4, 4)))
        assert all(row["interval"]["low"] is None for row in result["correlations"])
        table = result["tables"][0]
        assert any(note.startswith("There are no intervals: 4 methods are too few") for note in table["notes"])
        assert all(row["notes"] == "" for row in table["rows"])

    def test_a_design_that_cannot_reject_says_so_before_anything_else_is_read(self):
        result = analysed(named_study(crossed(2, 4)), exchangeable="methods jointly")
        assert result["unit"]["smallest_p"] == pytest.approx(2 / 24)
        assert "no p-value can be below 0.0833: this design cannot reject at 5%." in result["notes"][1]

    def test_three_systems_are_said_to_be_few(self):
        """Then r can be -.999 with p = .333: the correlation is meaningless without the number of systems."""
        result = analysed(named_study([("A", "x"), ("A", "y"), ("A", "z")]))
        assert result["unit"]["few"].startswith("Only 3 systems were judged.")
        assert any(note.startswith("Only 3 systems were judged.") for note in result["tables"][0]["notes"])
        assert all(row["interval"]["low"] is None for row in result["correlations"])
        assert not analysed(named_study(crossed(2, 12)))["unit"]["few"]

    def test_a_design_with_one_method_exchanges_its_models(self):
        result = analysed(named_study([(f"model {place}", "only") for place in range(9)]))
        assert result["unit"]["words"] == "Any two of the 9 systems can change places: each is a model of its own."


class TestEarlierPlans:
    def test_parameters_that_were_stored_without_a_unit_mean_free_exchange_as_published(self):
        entry = analyses.get("preference_correlation")
        meant = entry.recalled({"permutations": 500, "resamples": 100, "exchanges": 100, "instances": "shown"})
        assert isinstance(meant, PreferenceCorrelation)
        assert (meant.exchangeable, meant.interval, meant.paired) == ("systems", "bca", "exchange systems")
        assert (meant.values, meant.instances, meant.identical) == ("exact", "judged", "keep")

    def test_their_numbers_are_those_of_free_permutation(self):
        inputs = named_study(crossed(2, 12))
        entry = analyses.get("preference_correlation")
        meant = entry.recalled({"permutations": 500, "resamples": 100, "exchanges": 100})
        result = analysed(inputs, **meant.model_dump())
        scores, target = scores_of(result)
        tests = correlation_tests(scores, target, n_resamples=500, seed=seeding.root(1, seeding.Purpose.PERMUTATIONS))
        assert [row["p_value"] for row in result["correlations"]] == [test.pvalue for test in tests]
        assert all(row["by_units"] is None and row["exchange_p"] is not None for row in result["comparisons"])
        assert all(np.isfinite(row["interval"]["low"]) for row in result["correlations"])
