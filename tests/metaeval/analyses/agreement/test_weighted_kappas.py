"""Cohen's kappas with weights: only on a scale, by steps on the whole scale."""

import json

import numpy as np
import pytest

from metaeval.analyses.agreement.result import AgreementResult
from metaeval.analyses.base.registry import analyses
from metaeval.stats.agreement import Annotations, cohen_kappas
from tests.metaeval.analyses.agreement.ratings import SHROUT_FLEISS, agreement_of, rated_by_all, table_of

STARS = [[1, 1], [2, 1], [3, 2], [3, 3], [1, 3], [2, 2]]


def by_hand(first, second, points, power):
    """1 - sum w o / sum w e over the table of both people's answers."""
    table = np.zeros((len(points), len(points)))
    for one, other in zip(first, second, strict=True):
        table[points.index(one), points.index(other)] += 1
    places = np.arange(len(points))
    weights = np.abs(places[:, None] - places) ** power
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return 1 - (weights * table).sum() / (weights * expected).sum()


def mean_kappa(judged):
    (row,) = [row for row in judged["measures"] if row["measure"].startswith("mean_cohen_kappa")]
    return row


@pytest.mark.parametrize(("weighting", "power"), [("linear", 1), ("quadratic", 2)])
def test_a_weighted_kappa_is_the_one_worked_out_by_hand(weighting, power):
    (judged,) = agreement_of(rated_by_all(STARS, points=(1, 2, 3)), weighting=weighting)["judged"]
    (pair,) = judged["pairs"]
    assert pair["value"] == pytest.approx(by_hand(*zip(*STARS, strict=True), (1, 2, 3), power), abs=1e-12)
    assert judged["weighting"] == weighting


def test_weighted_kappas_and_their_mean_are_those_of_the_library():
    inputs = rated_by_all(SHROUT_FLEISS)
    (judged,) = agreement_of(inputs, weighting="quadratic")["judged"]
    expected = cohen_kappas(inputs.annotations, weighting="quadratic")
    assert [row["value"] for row in judged["pairs"]] == [pair.kappa.value for pair in expected.pairs]
    row = mean_kappa(judged)
    assert row["value"] == expected.mean_kappa
    assert row["title"] == "Mean of the pairs’ Cohen’s kappas, quadratic weights"


def test_equal_answers_are_counted_alike_whatever_the_weights():
    inputs = rated_by_all(STARS, points=(1, 2, 3))
    shares = [
        agreement_of(inputs, weighting=weighting)["judged"][0]["pairs"][0]["agreement"]
        for weighting in ("none", "linear", "quadratic")
    ]
    assert shares == [0.5, 0.5, 0.5]


def test_a_label_that_nobody_gave_is_a_point_of_the_scale():
    ratings = [[1, 1], [1, 2], [2, 4], [4, 4], [2, 1]]
    values = []
    for points in ((1, 2, 4), (1, 2, 3, 4)):
        (judged,) = agreement_of(rated_by_all(ratings, points=points), weighting="linear")["judged"]
        assert judged["pairs"][0]["value"] == pytest.approx(by_hand(*zip(*ratings, strict=True), points, 1), abs=1e-12)
        values.append(judged["pairs"][0]["value"])
    assert values[0] != values[1]


def test_without_weights_everything_is_as_it_was():
    inputs = rated_by_all(SHROUT_FLEISS)
    plain, unweighted = agreement_of(inputs), agreement_of(inputs, weighting="none")
    assert json.dumps(plain) == json.dumps(unweighted)
    (judged,) = plain["judged"]
    row = mean_kappa(judged)
    assert row["measure"] == "mean_cohen_kappa"
    assert row["title"] == "Mean of the pairs’ Cohen’s kappas"
    assert row["value"] == cohen_kappas(inputs.annotations).mean_kappa
    assert analyses.get("agreement").recalled({"resamples": 100}).model_dump()["weighting"] == "none"


def test_names_that_are_no_numbers_are_a_scale_too():
    words = ("bad", "fair", "good")
    ratings = [["bad", "fair"], ["good", "good"], ["fair", "good"]]
    (judged,) = agreement_of(rated_by_all(ratings, points=words), weighting="linear")["judged"]
    annotations = Annotations.from_matrix(np.array(ratings).T, labels=words)
    assert judged["pairs"][0]["value"] == cohen_kappas(annotations, weighting="linear").mean_kappa


def test_labels_without_an_order_have_no_weights_and_the_result_says_so():
    ratings = [["cat", "dog"], ["emu", "emu"], ["dog", "dog"]]
    inputs = rated_by_all(ratings, points=("cat", "dog", "emu"), task="multiclass")
    result, plain = agreement_of(inputs, weighting="linear"), agreement_of(inputs)
    (judged,) = result["judged"]
    assert judged == plain["judged"][0]
    assert judged["weighting"] == "none"
    assert result["notes"] == ["Annotations: the labels are not points on a scale, so kappas have no weights."]


def test_table_and_figure_name_the_weights():
    result = agreement_of(rated_by_all(SHROUT_FLEISS), weighting="linear")
    assert (
        table_of(result, "pairs")["notes"][-1]
        == "Annotations: linear weights, by the number of points between answers on the whole scale."
    )
    drawn = json.dumps(analyses.get("agreement").draw("agreement_pairs", result).to_dict(), ensure_ascii=False)
    assert "Cohen’s kappa, linear weights" in drawn


def test_a_result_of_before_there_were_weights_is_read():
    result = agreement_of(rated_by_all(SHROUT_FLEISS))
    del result["judged"][0]["weighting"]
    read = AgreementResult.model_validate(result)
    assert read.judged[0].weighting == "none"
