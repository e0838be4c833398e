"""The blinding index."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats import blinding_index, guessed_blinding
from metaeval.stats.responses.blinding import NOBODY_ASKED


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
