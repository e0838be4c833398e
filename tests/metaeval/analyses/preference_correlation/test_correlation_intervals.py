"""Intervals of the correlations and tests of two metrics, through the analysis: those of the library, and in tables."""

import json

import numpy as np
import pytest

from annotations.models import Assignment
from metaeval import figures, metrics
from metaeval.analyses.base.registry import InvalidParameters, analyses
from metaeval.analyses.base.work import Purpose, root_stream
from metaeval.analyses.inputs.fractions import judgements_behind, preference_fractions
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.jobs.runs import compute
from metaeval.stats import correlation_intervals, holm, permutation_comparison, plain, williams_test
from metaeval.stats.comparing.williams import ONE_UNDEFINED
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db

AS_PUBLISHED = {"exchangeable": "systems", "interval": "bca", "paired": "exchange systems"}
FEW = {"permutations": 100, "resamples": 300, "exchanges": 200, **AS_PUBLISHED}
ENTRY = analyses.get("preference_correlation")


def correlate(study, *, seed=1, **parameters):
    return compute(
        subject=Subject.of_study(study),
        analysis="preference_correlation",
        parameters=FEW | parameters,
        seed=seed,
        progress=lambda *_: None,
    )


KNOWN = {}


@pytest.fixture
def usual(db):
    """What the study has by default, computed once: the study is the same each time."""
    if not KNOWN:
        KNOWN["usual"] = json.dumps(correlate(answered_study("usual").study))
    return json.loads(KNOWN["usual"])


def rows(result, coefficient="pearson"):
    return {row["metric"]: row for row in result["correlations"] if row["coefficient"] == coefficient}


def drawn(result, name):
    return json.dumps(ENTRY.draw(name, result).to_dict(), ensure_ascii=False)


class TestIntervals:
    @pytest.mark.parametrize("interval", ["jackknife", "bca", "percentile"])
    def test_why_they_can_be_wider_than_p_suggests_is_said_beside_them(self, study, interval):
        result = correlate(study, interval=interval, metrics=["po_jsd"])
        notes = next(table for table in result["tables"] if table["name"] == "correlations")["notes"]
        if any(row["interval"]["low"] is not None for row in result["correlations"]):
            assert any("p and the interval answer two questions" in note for note in notes)

    def test_of_few_systems_it_is_said_that_they_are_few(self):
        result = correlate(answered_study("three", systems=3).study, metrics=["po_jsd"])
        assert rows(result)["po_jsd"]["n"] == 3
        notes = next(table for table in result["tables"] if table["name"] == "correlations")["notes"]
        assert any(note.startswith("3 systems are few") for note in notes)
        by_default = correlate(answered_study("again", systems=3).study, metrics=["po_jsd"], interval="jackknife")
        assert rows(by_default)["po_jsd"]["interval"]["low"] is None
        assert rows(by_default)["po_jsd"]["interval"]["reason"]

    @pytest.mark.parametrize("method", ["bca", "percentile"])
    def test_they_are_those_of_the_library(self, study, method):
        result = correlate(study, interval=method, level=0.9, metrics=["po_jsd", "soft_micro_f1"])
        inputs = gather_study(study)
        how = {"both": "1", "weights": "none", "average": "responses"}
        expected = correlation_intervals(
            {
                name: [getattr(metrics, name)(inputs.P, inputs.Q[system], "multilabel") for system in inputs.systems]
                for name in ("po_jsd", "soft_micro_f1")
            },
            judgements_behind(inputs.responses(), inputs.systems, **how),
            n_resamples=300,
            confidence_level=0.9,
            method=method,
            seed=root_stream(1, Purpose.CORRELATION_BOOTSTRAP),
        )
        found = {(row["coefficient"], row["metric"]): row["interval"] for row in result["correlations"]}
        for one in expected:
            interval = found[one.coefficient, one.row]
            assert interval["low"] == pytest.approx(one.interval.low, abs=1e-12)
            assert interval["high"] == pytest.approx(one.interval.high, abs=1e-12)
            assert interval["over"] == ["systems", "comparisons", "experts"]
            assert (interval["level"], interval["resamples"], interval["method"]) == (0.9, 300, method)

    def test_systems_widen_them(self, study, usual):
        inner = rows(correlate(study, over=["experts", "comparisons"]))
        nested = rows(usual)
        for name, row in inner.items():
            assert row["interval"]["over"] == ["comparisons", "experts"]
            assert row["interval"]["standard_error"] < nested[name]["interval"]["standard_error"]
            assert row["interval"]["low"] < row["value"] < row["interval"]["high"]

    def test_without_resamples_there_are_none_and_no_columns_for_them(self, study, usual):
        result = correlate(study, resamples=0, exchanges=0)
        assert all(row["interval"] is None for row in result["correlations"])
        keys = {column["key"] for table in result["tables"] for column in table["columns"]}
        assert not keys & {"pearson_low", "exchange_p"}
        assert rows(usual)["po_jsd"]["p_value"] == rows(result)["po_jsd"]["p_value"]
        assert "bootstrap" not in drawn(result, "correlation_dots")

    def test_the_table_says_what_they_are_over_and_what_to_mind(self, usual):
        result = usual
        table = result["tables"][0]
        assert table["notes"][2].startswith("From, to: 95% bootstrap intervals (BCa) over systems, comparisons and ")
        assert any(note.startswith("4 experts ") for note in result["notes"])
        row = next(row for row in table["rows"] if row["metric"] == "PO-JSD")
        interval = rows(result)["po_jsd"]["interval"]
        assert (row["pearson_low"], row["pearson_high"]) == (interval["low"], interval["high"])

    def test_an_undefined_metric_has_no_interval_and_says_why(self):
        made = answered_study("equal", systems=4)
        for system in made.systems:
            type(system).objects.filter(pk=system.pk).update(predictions=made.Q[0])
        result = correlate(made.study)
        interval = rows(result)["po_jsd"]["interval"]
        assert (interval["low"], interval["high"]) == (None, None)
        assert interval["reason"] == "all values of po_jsd are equal"
        assert "undefined" in drawn(result, "correlation_dots")

    def test_too_few_resamples_are_refused(self, study):
        with pytest.raises(InvalidParameters, match="50 resamples"):
            correlate(study, resamples=50)
        with pytest.raises(InvalidParameters, match=r"\b10000\b"):
            correlate(study, resamples=10_001)

    def test_the_scatter_states_it(self, usual):
        result = usual
        interval = rows(result)["po_jsd"]["interval"]
        bounds = ", ".join(f"{interval[end]:.2f}".replace("-", "−") for end in ("low", "high"))
        assert f"[{bounds}]" in drawn(result, "scatter-po_jsd").replace('", "', " ")


@pytest.mark.parametrize("both", ["1", "1/2", "0"])
@pytest.mark.parametrize("weights", ["none", "certainty"])
@pytest.mark.parametrize("average", ["responses", "comparisons"])
def test_what_is_resampled_has_the_fractions_that_are_correlated(answered, both, weights, average):
    Assignment.objects.filter(comparison__second_system=answered.systems[1]).update(is_pilot=True)
    inputs = gather_study(answered.study)
    how = {"both": both, "weights": weights, "average": average}
    fractions = [found.fraction for found in preference_fractions(inputs.responses(), inputs.systems, **how)]
    judged = judgements_behind(inputs.responses(), inputs.systems, **how)
    assert judged.systems == inputs.systems
    assert judged.fractions() == pytest.approx(fractions, abs=1e-12, nan_ok=True)


class TestComparisons:
    def test_williams_and_exchanges_are_those_of_the_library(self, study):
        result = correlate(study, exchanges=1000)
        systems = result["systems"]
        target = [system["fraction"] for system in systems]
        values = {
            metric["name"]: [system["metrics"][metric["name"]]["value"] for system in systems]
            for metric in result["metrics"]
        }
        assert len(result["comparisons"]) == 3 * 15
        for row in result["comparisons"]:
            first, second = values[row["first"]], values[row["second"]]
            test = williams_test(first, second, target, coefficient=row["coefficient"])
            assert row["reason"] == test.reason  # with ranks, two metrics may order so few systems the same way
            assert (row["t"] is None) == bool(test.reason)
            if not test.reason:
                assert (row["t"], row["p_value"]) == pytest.approx((test.t, test.pvalue), abs=1e-12)
            assert row["first_value"] - row["second_value"] == pytest.approx(row["difference"], abs=1e-12)
            assert row["exchange_exact"] is True  # 2^9 exchanges are fewer than 1000
            columns = (np.array(first)[:, None], np.array(second)[:, None], np.array(target)[:, None])
            paired = permutation_comparison(*columns, coefficient=row["coefficient"], n_resamples=1000)
            assert row["exchange_p"] == pytest.approx(paired.pvalue, abs=1e-12)
        family = [row for row in result["comparisons"] if row["coefficient"] == "kendall"]
        expected = plain(holm([np.nan if row["p_value"] is None else row["p_value"] for row in family]))
        assert [row["p_value_holm"] for row in family] == pytest.approx(expected, abs=1e-12)

    def test_a_metric_of_which_lower_is_better_is_turned_round(self, study):
        result = correlate(study, metrics=["po_jsd", "tvd", "soft_micro_f1"], coefficients=["pearson"])
        by_pair = {(row["first"], row["second"]): row for row in result["comparisons"]}
        assert rows(result)["tvd"]["value"] == pytest.approx(-by_pair["tvd", "soft_micro_f1"]["first_value"])
        (table,) = [table for table in result["tables"] if table["name"] == "comparisons"]
        assert "reversed: " in table["notes"][-1]

    def test_a_system_without_one_of_the_two_is_left_out_of_that_pair(self):
        made = answered_study("flat", constant=3)
        result = correlate(made.study, coefficients=["pearson"])
        name = made.systems[3].name
        for row in result["comparisons"]:
            with_entropy = "entropy_correlation" in {row["first"], row["second"]}
            assert row["excluded"] == ([name] if with_entropy else [])
            assert row["n"] == (8 if with_entropy else 9)
        table = next(table for table in result["tables"] if table["name"] == "comparisons")
        assert any(row["notes"] == f"left out: {name}" for row in table["rows"])

    def test_what_cannot_be_compared_says_why(self):
        made = answered_study("equal", systems=4)
        for system in made.systems:
            type(system).objects.filter(pk=system.pk).update(predictions=made.Q[0])
        result = correlate(made.study, coefficients=["spearman"])
        row = result["comparisons"][0]
        assert (row["t"], row["p_value"], row["p_value_holm"], row["exchange_p"]) == (None,) * 4
        assert row["reason"] == ONE_UNDEFINED
        assert row["exchange_reason"] == "all values of first are equal or missing"
        figures.image(ENTRY.draw("metric_differences", result), "svg")

    def test_one_metric_is_compared_with_none(self, study):
        result = correlate(study, metrics=["po_jsd"])
        assert result["comparisons"] == []
        assert [table["name"] for table in result["tables"]] == ["correlations", "correlations_shown_all", "holding"]
        assert "no two metrics to compare" in drawn(result, "metric_differences")
        assert "metric_differences-pearson" not in ENTRY.figure_names(result)

    def test_the_map_has_both_signs_and_stars_what_williams_finds(self, study):
        result = correlate(study, coefficients=["pearson"])
        spec = ENTRY.draw("metric_differences", result).to_dict()
        cells = next(rows for rows in spec["datasets"].values() if "dark" in rows[0])
        assert len(cells) == 30
        for cell in cells:
            twin = next(other for other in cells if (other["row"], other["column"]) == (cell["column"], cell["row"]))
            assert cell["value"] == -twin["value"]
        stars = sum(cell["text"].endswith("*") for cell in cells)
        assert stars == 2 * sum(row["p_value_holm"] < 0.05 for row in result["comparisons"])


def test_results_of_version_1_are_still_drawn(usual):
    """They have neither intervals nor comparisons, and stay in the database."""
    result = usual
    del result["comparisons"]
    for row in result["correlations"]:
        del row["interval"]
    for name in ("resamples", "over", "level"):
        del result["parameters"][name]
    for name in ("unit", "sensitivity", "others", "values", "instances"):
        del result[name]
    assert not {"metric_differences-pearson", "holding"} & set(ENTRY.figure_names(result))
    for name in ("scatter", "scatter-po_jsd", "correlation_dots", "metric_differences"):
        figures.image(ENTRY.draw(name, result), "svg")


def test_the_first_coefficient_orders_the_metrics_of_every_panel(usual):
    result = usual
    spec = ENTRY.draw("correlation_dots", result).to_dict()
    lists = [[row["name"] for row in rows] for rows in spec["datasets"].values() if "low" in rows[0]]
    values = {row["metric"]: row["value"] for row in result["correlations"] if row["coefficient"] == "pearson"}
    titles = {metric["name"]: metric["title"] for metric in result["metrics"]}
    assert lists
    assert all(names == [titles[name] for name in sorted(values, key=lambda m: -values[m])] for names in lists)
