"""Soft pairwise accuracy where some scores are missing: each pair of systems on its common items."""

import math

import numpy as np
import pytest

from metaeval.stats import pairwise_p_values, soft_pairwise_accuracy
from metaeval.stats.comparing.pairwise import NO_COMMON_ITEM


@pytest.fixture
def scores():
    rng = np.random.default_rng(6)
    judged = rng.integers(0, 5, (5, 10)).astype(float)
    metric = judged + rng.normal(size=(5, 10))
    judged[rng.random(judged.shape) < 0.3] = np.nan
    metric[rng.random(metric.shape) < 0.2] = np.nan
    return judged, metric


def common(values, i, j):
    return values[[i, j]][:, ~np.isnan(values[[i, j]]).any(axis=0)]


def test_every_pair_is_compared_on_its_common_items(scores):
    judged, metric = scores
    found = soft_pairwise_accuracy(judged, metric, missing="leave out")
    assert found.exact
    soft, hard = [], []
    for i in range(5):
        for j in range(i + 1, 5):
            sides = [common(values, i, j) for values in (judged, metric)]
            p, q = (pairwise_p_values(side).p_values[0, 1] for side in sides)
            np.testing.assert_allclose([found.judgement_p_values[i, j], found.metric_p_values[i, j]], [p, q])
            soft.append(1 - abs(p - q))
            first, second = (np.sign(side[0].sum() - side[1].sum()) for side in sides)
            hard.append(first == second)
    assert [found.value, found.hard] == pytest.approx([np.mean(soft), np.mean(hard)])
    assert (found.pairs, found.excluded) == (10, 0)


def test_complete_scores_give_the_same_whatever_is_said_of_missing_ones():
    scores = np.random.default_rng(2).normal(size=(2, 4, 30))
    one, other = (soft_pairwise_accuracy(*scores, n_resamples=500, missing=m) for m in ("refuse", "leave out"))
    assert (one.value, one.hard, one.pairs, one.excluded) == (other.value, other.hard, 6, 0)
    np.testing.assert_array_equal(one.metric_p_values, other.metric_p_values)


def test_pairs_without_a_common_item_are_left_out_and_counted():
    nan = math.nan
    judged = [[3, 4, nan, nan], [1, 2, nan, nan], [nan, nan, 2, 5]]
    found = soft_pairwise_accuracy(judged, [[3, 3, 3, 3], [1, 1, 1, 2], [2, 2, 2, 3]], missing="leave out")
    assert (found.pairs, found.excluded, found.hard) == (1, 2, 1)
    assert found.value == pytest.approx(1 - abs(1 / 4 - 1 / 16))
    assert found.to_dict()["judgement_p_values"][0] == [None, 0.25, None]
    none = soft_pairwise_accuracy([[1, nan], [nan, 2]], [[1, 2], [2, 1]], missing="leave out")
    assert math.isnan(none.value)
    assert math.isnan(none.hard)
    assert none.reason == NO_COMMON_ITEM
    empty = soft_pairwise_accuracy([[nan], [nan]], [[1], [2]], missing="leave out")
    assert (empty.reason, empty.excluded) == (none.reason, 1)


def test_missing_scores_are_refused_unless_asked_for_and_the_message_says_how(scores):
    with pytest.raises(ValueError, match=r"\bmissing='leave out' "):
        soft_pairwise_accuracy(*scores)
    with pytest.raises(ValueError, match=r"\bmissing is .*refuse, "):
        soft_pairwise_accuracy(*scores, missing="zero")
    for missing in ("refuse", "leave out"):
        with pytest.raises(ValueError, match="expected finite values"):
            pairwise_p_values([[1, math.inf], [1, 2]], missing=missing)
