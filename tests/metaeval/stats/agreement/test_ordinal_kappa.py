"""Weighted kappa of ordinal labels, against another package and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from metaeval.stats.agreement import Annotations, Bootstrap, cohen_kappas
from metaeval.stats.agreement.measure import ALL_EQUAL


def kappa(first, second, weighting, labels=(1, 2, 3, 4, 5)):
    (pair,) = cohen_kappas(Annotations.from_matrix([first, second], labels=labels), weighting=weighting).pairs
    return pair.kappa


@given(st.integers(0, 10**6), st.sampled_from(["none", "linear", "quadratic"]))
def test_weighted_kappa_is_that_of_scikit_learn(seed, weighting):
    first, second = np.random.default_rng(seed).integers(1, 6, (2, 12)).tolist()
    weights = None if weighting == "none" else weighting
    theirs = cohen_kappa_score(first, second, labels=[1, 2, 3, 4, 5], weights=weights)
    assert kappa(first, second, weighting).value == pytest.approx(theirs, abs=1e-12)


def test_by_hand():
    """Distances 0 0 1 0; by chance, of shares 1/4 1/4 1/2 and 1/4 1/2 1/4: 7/8, squared 5/4."""
    first, second, scale = [1, 2, 3, 3], [1, 2, 2, 3], (1, 2, 3)
    linear = kappa(first, second, "linear", scale)
    assert (linear.value, linear.observed, linear.expected) == (pytest.approx(1 - (1 / 4) / (7 / 8)), 1 / 8, 7 / 16)
    squared = kappa(first, second, "quadratic", scale)
    assert (squared.value, squared.observed) == (pytest.approx(0.8), 1 / 16)
    assert squared.measure == "cohen_kappa_quadratic"


def test_a_label_that_nobody_gave_takes_its_place_on_the_scale():
    near = kappa(["low", "high", "low", "high"], ["low", "high", "high", "top"], "linear", ("low", "high", "top"))
    far = kappa(["low", "high", "low", "high"], ["low", "high", "high", "top"], "linear", ("low", "high", "?", "top"))
    assert near.value != far.value


def test_on_two_labels_every_weighting_is_cohens_kappa():
    values = [kappa([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], w, (0, 1)).value for w in ("none", "linear", "quadratic")]
    assert values == pytest.approx([values[0]] * 3, abs=1e-12)


def test_one_label_throughout_has_no_weighted_kappa_and_otherwise_an_interval_can_be_had():
    found = kappa([3, 3], [3, 3], "linear")
    assert math.isnan(found.value)
    assert found.reason == ALL_EQUAL
    votes = Annotations.from_matrix(np.random.default_rng(1).integers(1, 4, (1, 40)).repeat(2, axis=0))
    (pair,) = cohen_kappas(votes, weighting="quadratic", bootstrap=Bootstrap(n_resamples=100)).pairs
    assert pair.kappa.interval is not None
    assert (pair.kappa.interval.low, pair.kappa.interval.high) == (1, 1)


def test_another_weighting_is_refused():
    with pytest.raises(ValueError, match=r"\bweighting is .*none, .*quadratic"):
        kappa([1, 2], [1, 2], "cubic")
