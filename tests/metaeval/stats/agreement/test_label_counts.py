"""Alpha label by label from counts alone: the same as from the sets that were counted."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from metaeval.stats.agreement import Bootstrap, LabelCounts, SetAnnotations, mean_binary_alpha


@st.composite
def answers(draw):
    """Items and indicators of a few people each, some of them with a single answer."""
    item = draw(st.lists(st.integers(0, 5), min_size=1, max_size=20))
    marks = draw(arrays.arrays(np.bool_, (len(item), draw(st.integers(1, 4)))))
    return np.unique(item, return_inverse=True)[1], marks


@settings(deadline=None)  # the first example may have to compile
@given(answers())
def test_counts_give_what_the_sets_give(given_answers):
    item, marks = given_answers
    chosen = np.zeros((item.max() + 1, marks.shape[1]), dtype=int)
    np.add.at(chosen, item, marks)
    by_sets = mean_binary_alpha(SetAnnotations.from_indicators(item, None, marks))
    by_counts = mean_binary_alpha(LabelCounts.from_counts(chosen, np.bincount(item)))
    assert by_counts.value == pytest.approx(by_sets.value, abs=1e-12, nan_ok=True)
    assert by_counts.alphas == pytest.approx(by_sets.alphas, abs=1e-12, nan_ok=True)
    assert (by_counts.reason, by_counts.excluded, by_counts.n_items, by_counts.n_annotations, by_counts.n_labels) == (
        by_sets.reason,
        by_sets.excluded,
        by_sets.n_items,
        by_sets.n_annotations,
        by_sets.n_labels,
    )


def test_counts_have_intervals_too():
    rng = np.random.default_rng(1)
    item, marks = np.repeat(np.arange(30), 4), rng.random((120, 3)) < 0.4
    chosen = np.zeros((30, 3), dtype=int)
    np.add.at(chosen, item, marks)
    by_sets = mean_binary_alpha(SetAnnotations.from_indicators(item, None, marks), bootstrap=Bootstrap(200, seed=3))
    by_counts = mean_binary_alpha(LabelCounts.from_counts(chosen, np.full(30, 4)), bootstrap=Bootstrap(200, seed=3))
    assert by_counts.interval.low == pytest.approx(by_sets.interval.low, abs=1e-12)
    assert by_counts.interval.high == pytest.approx(by_sets.interval.high, abs=1e-12)


@pytest.mark.parametrize(
    ("chosen", "sizes", "says"),
    [
        ([[1, 3]], [2], "from 0 to the annotations of their item"),
        ([[-1, 0]], [2], "from 0 to the annotations of their item"),
        ([[0.5, 0]], [2], "whole numbers"),
        ([[1, math.nan]], [2], "whole numbers"),
        ([1, 0], [2], "expected (items, labels) and (items,)"),
        ([[1, 0]], [2, 2], "expected (items, labels) and (items,)"),
    ],
)
def test_what_cannot_be_counts_is_refused_with_the_reason(chosen, sizes, says):
    with pytest.raises(ValueError, match=says.replace("(", r"\(").replace(")", r"\)")):
        LabelCounts.from_counts(chosen, sizes)


def test_names_of_labels_are_as_many_as_the_counts():
    with pytest.raises(ValueError, match=r"3 labels .*2"):
        LabelCounts.from_counts([[1, 0]], [2], labels="abc")
