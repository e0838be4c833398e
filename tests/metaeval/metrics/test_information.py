"""Kullback-Leibler divergence: the mean of its items, and precise where distributions nearly agree."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.metrics import kl_divergence, per_item


def exact(p, q):
    """Sum of p log(p / q) of the same floats with sixty digits."""
    getcontext().prec = 60
    return float(sum(Decimal(a) * (Decimal(a) / Decimal(b)).ln() for a, b in zip(p.tolist(), q.tolist(), strict=True)))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 1e-5, 1e-6, 1e-7]))
def test_rows_that_nearly_agree_have_the_divergence_of_sixty_digits(seed, apart):
    """As cross-entropy minus entropy, the relative error was 1.5e-4 at a millionth, and 1 at 1e-8."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(4, 5.0), 3)
    Q = P * (1 + apart * rng.uniform(-1, 1, P.shape))
    Q /= Q.sum(axis=1, keepdims=True)
    expected = [exact(p, q) for p, q in zip(P, Q, strict=True)]
    found = per_item(P, Q, "multiclass", "kl_divergence")
    # the sum of the first powers cancels: what is left of it is a rounding of the terms, 1e-16 of `apart`
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15 * apart)


def test_the_metric_is_the_mean_of_its_items_whatever_rows_sum_to():
    """Rows of .999 are accepted: with Q certain, each item is .999 log .999, and the metric was 0."""
    P, Q = np.array([[0.9991, 0.0], [0.0, 0.9991]]), np.eye(2)
    items = per_item(P, Q, "multiclass", "kl_divergence")
    assert items == pytest.approx([0.9991 * np.log(0.9991)] * 2, rel=1e-12)
    assert kl_divergence(P, Q) == items.mean() < 0


def test_a_divergence_that_would_be_infinite_is_undefined_with_its_reason():
    found = kl_divergence([[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    assert np.isnan(found)
    assert (found.reason[:2], found.reason[-11:]) == ("Q ", " 1 instance")
    assert float(kl_divergence([[1.0, 0.0]], [[1.0, 0.0]])) == 0
