"""What an expert sees of a distribution, and what it must not give away."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.displaying import bars, in_step_1_order, rounded, shown
from annotations.models import Label

shares = st.lists(st.floats(0, 1), min_size=1, max_size=33)
steps = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5])


def label_set(*names: str, exclusive: str = "") -> list[Label]:
    return [Label(position=k, name=name, exclusive=name == exclusive) for k, name in enumerate(names)]


@given(shares, steps)
def test_every_shown_value_is_an_exact_multiple_of_the_step_and_near_the_true_one(values, step):
    unit = Decimal(str(step))
    for value, near in zip(values, rounded(np.array(values), step=step), strict=True):
        assert near % unit == 0
        assert 0 <= near <= 1
        whole = near + unit > 1  # a step that does not divide 1 ends below it
        assert abs(near - Decimal(value)) <= unit / 2 + Decimal("1e-16") or whole
        assert near.as_tuple().exponent == unit.as_tuple().exponent  # the same number of decimals everywhere


@pytest.mark.parametrize(("value", "expected"), [(0.025, 0.05), (0.125, 0.15), (0.075, 0.1), (0.0249, 0.0), (1.0, 1.0)])
def test_halves_are_rounded_upwards(value, expected):
    assert [float(one) for one in rounded(np.array([value]), step=0.05)] == [expected]


@given(shares, steps, st.floats(0, 0.99))
def test_what_is_drawn_depends_on_the_rounded_values_only(values, step, threshold):
    exact = np.array(values)
    coarse = np.array([float(value) for value in rounded(exact, step=step)])
    assert (shown(exact, threshold=threshold, step=step) == shown(coarse, threshold=threshold, step=step)).all()


def test_a_value_that_rounds_to_the_threshold_is_not_drawn():
    # A share of ten people is never between 0.1 and 0.125: a bar of 10 % would give the system away.
    assert shown(np.array([0.1, 0.12, 0.125]), threshold=0.1, step=0.05).tolist() == [0.0, 0.0, 0.15]


def test_bars_stand_by_value_and_equal_ones_in_the_order_of_step_1():
    labels = label_set("None of these", "beta", "Alpha", "gamma", exclusive="None of these")
    drawn = bars(np.array([0.5, 0.52, 0.48, 0.9]), labels, threshold=0.1, step=0.05, task="multilabel")
    assert [(bar.label, bar.value) for bar in drawn] == [
        ("gamma", 0.9),
        ("Alpha", 0.5),
        ("beta", 0.5),
        ("None of these", 0.5),
    ]


def test_a_side_without_bars_is_an_empty_list():
    assert bars(np.array([0.1, 0.0]), label_set("a", "b"), threshold=0.1, step=0.05, task="multilabel") == []


def test_labels_stand_in_the_alphabet_with_the_exclusive_one_last_and_a_scale_in_its_order():
    labels = label_set("Not a legal issue", "Tax", "family law", exclusive="Not a legal issue")
    assert [label.name for label in in_step_1_order(labels, task="multilabel")] == [
        "family law",
        "Tax",
        "Not a legal issue",
    ]
    scale = label_set("-2", "-1", "0", "1")
    assert in_step_1_order(scale, task="ordinal") == scale
