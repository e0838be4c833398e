"""Position bias and self-consistency."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import blinding_index, guessed_blinding, position_bias, self_consistency
from metaeval.stats.responses.people import NO_ANSWER, NOBODY_ASKED, ONE_ANSWER


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


@settings(deadline=None)  # the first call imports
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_blinding_index_is_a_share_of_right_less_wrong_guesses(right, wrong, unsure):
    index = blinding_index(right, wrong, unsure)
    n = right + wrong + unsure
    if n == 0:
        assert index.reason == NOBODY_ASKED
        return
    assert index.value == pytest.approx((right - wrong) / n)
    assert -1 <= index.low <= index.value <= index.high <= 1
    mirrored = blinding_index(wrong, right, unsure)
    assert mirrored.value == pytest.approx(-index.value)
    one = np.array([1] * right + [-1] * wrong + [0] * unsure)
    assert index.standard_error == pytest.approx(one.std() / math.sqrt(n), abs=1e-12)


def test_the_extremes_of_the_blinding_index():
    assert blinding_index(10, 0).value == 1
    assert blinding_index(0, 10).value == -1
    assert blinding_index(0, 0, 10).value == 0
    assert math.isnan(blinding_index(0, 0, 10).pvalue)
    with pytest.raises(ValueError, match=r"\bright is -1; .*0"):
        blinding_index(-1, 0)


def test_guesses_are_counted_as_the_export_writes_them():
    expert = [1, 1, 1, 2, 2, 3]
    guess = ["a", "b", "unknown", "a", "b", None]
    right = [True, True, None, False, True, None]
    found = guessed_blinding(expert, guess, right)
    assert (found.index.right, found.index.wrong, found.index.unsure, found.experts) == (3, 1, 1, 2)
    assert found.index == blinding_index(3, 1, 1)


def test_who_always_says_the_same_side_has_not_seen_through_anything():
    """In half of the questions, people are on side A (annotations/answering/guessing.py)."""
    found = guessed_blinding([1] * 4, ["a"] * 4, [True, False, True, False])
    assert found.index.value == 0
    assert found.index.pvalue == 1


def test_experts_who_differ_widen_the_interval_over_experts():
    """Five who see through everything and five who are always misled: 40 guesses, but ten people."""
    expert = [number for number in range(10) for _ in range(4)]
    right = [number < 5 for number in expert]
    found = guessed_blinding(expert, ["a"] * 40, right, seed=1)
    assert found.index.value == 0
    assert found.interval.high - found.interval.low > 1.5 * (found.index.high - found.index.low)


def test_nobody_was_asked_is_a_reason_and_a_guess_without_the_truth_an_error():
    assert guessed_blinding([1], [None], [None]).index.reason == NOBODY_ASKED
    assert math.isnan(guessed_blinding([], [], []).interval.low)
    with pytest.raises(ValueError, match="neither right nor wrong"):
        guessed_blinding([1], ["a"], [None])
    with pytest.raises(ValueError, match="entries"):
        guessed_blinding([1], ["a"], [])
