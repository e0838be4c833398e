"""Position bias and self-consistency."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metaeval.stats import position_bias, self_consistency
from metaeval.stats.responses.people import ONE_ANSWER
from metaeval.stats.responses.shares import NO_ANSWER


def test_position_bias_counts_answers_that_chose_one_side():
    bias = position_bias(["x"] * 6 + ["y"] * 3, [1, 1, 1, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0, 1, 1, 0])
    assert (bias.overall.value, bias.overall.n, bias.overall.left_out) == (4 / 7, 7, 2)
    x, y = bias.experts
    assert (x.name, x.value, x.n, x.left_out) == ("x", 0.75, 4, 2)
    assert (y.name, y.value, y.n, y.left_out) == ("y", 1 / 3, 3, 0)
    assert x.pvalue == pytest.approx(scipy_stats.binomtest(3, 4).pvalue)
    assert x.p_holm == pytest.approx(min(1, 2 * x.pvalue))
    assert x.low < x.value < x.high


def test_a_biased_expert_is_found_and_fair_ones_are_not():
    rng = np.random.default_rng(1)
    expert = np.repeat(["fair", "biased", "also fair"], 100)
    a = rng.random(300) < np.where(expert == "biased", 0.8, 0.5)
    bias = position_bias(expert.tolist(), a, ~a)
    assert [share.p_holm < 0.01 for share in bias.experts] == [False, True, False]
    assert bias.overall.value in bias.interval
    assert bias.interval.high - bias.interval.low > bias.overall.high - bias.overall.low


def test_exchanging_the_sides_mirrors_the_share():
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 50)) < 0.5
    one, two = position_bias(["e"] * 50, a, b), position_bias(["e"] * 50, b, a)
    assert one.overall.value == pytest.approx(1 - two.overall.value)
    assert one.overall.pvalue == two.overall.pvalue


def test_only_both_and_neither_leave_nothing_to_say():
    bias = position_bias(["x", "x"], [1, 0], [1, 0])
    assert bias.overall.reason == NO_ANSWER
    assert bias.to_dict()["overall"]["value"] is None
    assert math.isnan(bias.interval.low)
    with pytest.raises(ValueError, match="1, 2, 2 entries"):
        position_bias(["x"], [1, 0], [1, 0])


def test_self_consistency_compares_repeats_of_one_expert_only():
    found = self_consistency(["x", "x", "y", "x", "x", "y"], [1, 1, 1, 2, 2, 3], ["A", "A", "B", "A", "B", "A"])
    assert (found.overall.value, found.overall.n, found.overall.left_out) == (0.5, 2, 2)
    assert [share.n for share in found.experts] == [2, 0]
    assert found.experts[1].reason == NO_ANSWER
    assert found.chance == pytest.approx((3 / 4) ** 2 + (1 / 4) ** 2)


def test_three_repeats_count_as_two():
    found = self_consistency("xxx", [1, 1, 1], ["A", "A", "B"])
    assert found.overall.n == 2
    assert found.overall.value == pytest.approx(1 / 3)


def test_perfect_consistency_is_one_and_one_answer_alone_leaves_kappa_undefined():
    perfect = self_consistency("xxyy", [1, 1, 1, 1], "AABB")
    assert (perfect.overall.value, perfect.kappa) == (1, 1)
    alone = self_consistency("xx", [1, 1], "AA")
    assert alone.reason == ONE_ANSWER
    assert alone.to_dict()["kappa"] is None
    assert "twice" in self_consistency("xy", [1, 1], "AA").reason
    with pytest.raises(ValueError, match="2, 1, 1 entries"):
        self_consistency("xy", [1], "A")
