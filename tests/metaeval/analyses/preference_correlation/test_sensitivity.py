"""Does the answer hold? Every variation, against the library on what is left."""

import json
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from annotations.ground.display_rule import DisplayRule
from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Purpose, root_stream
from metaeval.analyses.inputs.studies import Showing
from metaeval.analyses.preference_correlation.analysis import MOST_PERMUTATIONS
from metaeval.stats import correlation_tests, within_correlation
from tests.metaeval.analyses.preference_correlation.crossed import analysed, crossed, named_study, rows, scores_of

ENTRY = analyses.get("preference_correlation")


@pytest.fixture(scope="module")
def inputs():
    """Two models, twelve methods; drawn coarsely, so that some sides look the same; some answers say both."""
    made = named_study(crossed(2, 12))
    answers = made.answers
    often = np.random.default_rng(3).random(len(answers)) < 0.2
    answers = replace(answers, a_chosen=answers.a_chosen | often, b_chosen=answers.b_chosen | often)
    return replace(made, answers=answers, showing=Showing(DisplayRule(threshold=0.1), np.full(len(made.P), 3)))


@pytest.fixture(scope="module")
def result(inputs):
    return analysed(inputs)


def varied(result, kind):
    return {one["name"]: one for one in result["sensitivity"] if one["kind"] == kind}


def row_of(variation, metric="soft_accuracy", coefficient="pearson"):
    return next(row for row in variation["rows"] if (row["metric"], row["coefficient"]) == (metric, coefficient))


def test_everything_is_done_otherwise_once(result):
    count = defaultdict(int)
    for one in result["sensitivity"]:
        count[one["kind"]] += 1
    assert dict(count) == {
        "method left out": 12,
        "model left out": 2,
        "system left out": 24,
        "one model": 2,
        "exchangeable": 5,
        "both": 3,
        "identical": 4,
        "values": 2,
    }
    for one in result["sensitivity"]:
        assert len(one["rows"]) == 2 * 3


def test_what_was_asked_gives_the_same_correlation_again(result):
    asked = [one for one in result["sensitivity"] if one["is_asked"]]
    assert {one["kind"]: one["name"] for one in asked} == {
        "exchangeable": "methods jointly",
        "both": "1",
        "identical": "keep",
        "values": "exact x all",
    }
    for one in asked:
        for row in one["rows"]:
            answer = rows(result, row["coefficient"])[row["metric"]]
            assert row["value"] == pytest.approx(answer["value"], abs=1e-12)
            assert row["p_value"] == pytest.approx(answer["p_value"], abs=0.05)


def test_without_a_method_it_is_the_library_s_test_of_the_others(result):
    scores, target = scores_of(result)
    units = [(system["model"], system["method"]) for system in result["systems"]]
    for name in ("method a", "method f"):
        left = np.array([np.nan if method == name else value for (_, method), value in zip(units, target, strict=True)])
        found = correlation_tests(
            scores,
            left,
            n_resamples=2000,
            seed=root_stream(1, Purpose.SENSITIVITY),
            units=units,
            exchangeable="methods jointly",
        )
        for test in found:
            row = row_of(varied(result, "method left out")[name], test.row, test.coefficient)
            assert (row["value"], row["p_value"], row["n"]) == (test.value, test.pvalue, 22)


def test_the_influence_of_a_single_system_is_the_correlation_without_it(result):
    scores, target = scores_of(result)
    models = [system["model"] for system in result["systems"]]
    for place in (0, 17):
        kept = [other for other in range(24) if other != place]
        one = varied(result, "system left out")[result["systems"][place]["system"]]
        for coefficient in ("pearson", "spearman", "kendall"):
            expected = within_correlation(
                np.array(scores["po_jsd"])[kept], target[kept], [models[at] for at in kept], coefficient
            )
            row = row_of(one, "po_jsd", coefficient)
            assert row["value"] == pytest.approx(expected.value, abs=1e-12)
            assert row["p_value"] is None


def test_each_model_by_itself_is_one_of_two_parts_of_the_whole(result):
    scores, target = scores_of(result)
    for name, places in (("model 0", range(12)), ("model 1", range(12, 24))):
        row = row_of(varied(result, "one model")[name])
        expected = np.corrcoef(np.array(scores["soft_accuracy"])[list(places)], target[list(places)])[0, 1]
        assert row["value"] == pytest.approx(expected, abs=1e-12)
        assert row["n"] == 12


def test_each_way_of_counting_is_the_answer_of_an_analysis_that_counts_so(inputs, result):
    for parameter, choices in (("both", ["1/2", "0"]), ("identical", ["both", "half", "leave out"])):
        for choice in choices:
            other = analysed(inputs, **{parameter: choice}, coefficients=["pearson"])
            row = row_of(varied(result, parameter)[choice])
            assert row["value"] == pytest.approx(rows(other)["soft_accuracy"]["value"], abs=1e-12)
    moved = {row_of(one)["value"] for one in varied(result, "identical").values()}
    assert len(moved) > 1


def test_without_comparisons_that_give_themselves_away_fractions_are_those_of_the_others(inputs, result):
    """People never gave all four labels here, so a side with more bars or a smaller sum than theirs is a system's."""
    assert not varied(result, "given away")
    P = np.where(inputs.P.min(axis=1, keepdims=True) == inputs.P, 0.0, inputs.P)
    P /= P.sum(axis=1, keepdims=True)
    rule = DisplayRule(threshold=0.1)
    odd = replace(inputs, data=replace(inputs.data, P=P), showing=Showing(rule, np.full(len(P), 100)))
    human = rule.percentages(P, people=100, task="multiclass")
    away = np.zeros(len(odd.answers), dtype=bool)
    for place, name in enumerate(odd.systems):
        drawn = rule.percentages(odd.Q[name], people=100, task="multiclass")
        told = (drawn.sum(axis=1) < human.sum(axis=1).min()) | ((drawn > 0).sum(axis=1) > 3)
        away |= (odd.answers.second == place) & told[odd.answers.instance]
    assert 0 < away.sum() < len(away)
    row = row_of(varied(analysed(odd, coefficients=["pearson"]), "given away")["left out"])
    other = rows(analysed(replace(odd, answers=odd.answers.of(~away)), coefficients=["pearson"]))
    assert row["value"] == pytest.approx(other["soft_accuracy"]["value"], abs=1e-12)


def test_a_choice_that_cannot_reject_is_there_and_out_of_the_table(result):
    """Two models can be exchanged in one way: no p-value below 1."""
    one = varied(result, "exchangeable")["models jointly"]
    assert one["cannot_reject"]
    (table,) = [table for table in result["tables"] if table["name"] == "holding"]
    row = next(row for row in table["rows"] if row["kind"] == "what is exchanged")
    assert row["highest_p_by"] != "models jointly"


def test_the_table_says_how_far_each_kind_moves_the_answer(result):
    (table,) = [table for table in result["tables"] if table["name"] == "holding"]
    row = next(row for row in table["rows"] if row["kind"] == "one method left out")
    values = {name: row_of(one)["value"] for name, one in varied(result, "method left out").items()}
    assert (row["lowest"], row["highest"]) == (min(values.values()), max(values.values()))
    assert values[row["lowest_by"]] == row["lowest"]
    p = [row_of(one)["p_value"] for one in varied(result, "method left out").values()]
    answer = rows(result)["soft_accuracy"]["p_value"]
    assert (row["holds"] == "yes") == (len({value < 0.05 for value in [*p, answer]}) == 1)


def test_a_test_here_draws_no_more_than_a_block_and_says_its_error(inputs):
    result = analysed(inputs, permutations=20_000, coefficients=["pearson"])
    row = row_of(varied(result, "method left out")["method b"])
    assert 0 < row["p_error"] < 1 / np.sqrt(MOST_PERMUTATIONS)
    assert rows(result)["soft_accuracy"]["permutations"] == 20_000


def test_where_methods_are_systems_none_is_left_out_twice():
    result = analysed(named_study([("A", f"m{place}") for place in range(9)]))
    kinds = {one["kind"] for one in result["sensitivity"]}
    assert "method left out" in kinds
    assert not {"system left out", "model left out", "one model", "identical"} & kinds


def test_it_is_drawn_for_each_coefficient(result):
    names = [name for name in ENTRY.figure_names(result) if name.startswith("holding")]
    assert names == ["holding", "holding-spearman", "holding-kendall"]
    for size in ("screen", "one", "two"):
        figures.image(ENTRY.draw("holding", result, size=size), "svg")
    spec = json.dumps(ENTRY.draw("holding", result).to_dict(), ensure_ascii=False)
    assert "Does the answer hold?" in spec
    assert "models jointly" not in spec
