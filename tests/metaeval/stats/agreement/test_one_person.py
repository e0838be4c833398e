"""One person's agreement with the rest: the definition written out, and what it adds up to."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.agreement import (
    AgreementWithRest,
    Annotations,
    Bootstrap,
    SetAnnotations,
    agreement_with_rest,
    krippendorff_alpha,
)
from metaeval.stats.agreement.alpha import ALONE, without_person


def drawn(seed, *, items=12, people=4, labels=3):
    """Who judged what, with gaps; nobody judges an item twice."""
    rng = np.random.default_rng(seed)
    rows = [(i, p) for i in range(items) for p in range(people) if rng.random() < 0.7]
    item, person = (np.array(column) for column in zip(*rows, strict=True))
    return item, person, rng


def single(seed):
    item, person, rng = drawn(seed)
    return Annotations.from_columns(item, person, rng.integers(1, 4, len(item)), labels=[1, 2, 3], items=range(12))


def sets(seed):
    item, person, rng = drawn(seed)
    marks = rng.random((len(item), 4)) < 0.4
    return SetAnnotations.from_indicators(item, person, marks, items=range(12))


def distance(data, kind):
    """The distance of two rows, from its definition."""
    if isinstance(data, Annotations):
        values = np.array(data.labels)[data.label]
        if kind == "interval":
            return lambda i, j: float(values[i] - values[j]) ** 2
        return lambda i, j: float(values[i] != values[j])

    def masi(i, j):
        a, b = (set(np.flatnonzero(data.members[data.chosen[row]])) for row in (i, j))
        if a == b:
            return 0.0
        share = len(a & b) / len(a | b)
        factor = 2 / 3 if a <= b or b <= a else 1 / 3
        return 1 - share * factor * bool(a & b)

    return masi


def by_definition(data, person, kind):
    apart = distance(data, kind)
    observed, judged = [], []
    for item in np.unique(data.item[data.annotator == person]):
        rows = np.flatnonzero(data.item == item)
        (mine,) = rows[data.annotator[rows] == person]
        others = [row for row in rows if row != mine]
        if others:
            observed.append(np.mean([apart(mine, row) for row in others]))
            judged += rows.tolist()
    if not observed:
        return math.nan, math.nan
    expected = [apart(i, j) for i in judged for j in judged if i != j]
    return np.mean(observed), np.mean(expected)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["nominal", "interval", "masi"]))
def test_it_is_what_the_definition_says(seed, kind):
    data = sets(seed) if kind == "masi" else single(seed)
    for person in range(len(data.annotators)):
        found = agreement_with_rest(data, person, kind)
        observed, expected = by_definition(data, person, kind)
        if math.isnan(observed):
            assert found.reason == ALONE
            continue
        assert found.observed == pytest.approx(observed, abs=1e-12)
        assert found.expected == pytest.approx(expected, abs=1e-12)
        if expected > 0:
            assert found.value == pytest.approx(1 - observed / expected, abs=1e-9)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_people_s_disagreements_add_up_to_that_of_alpha(seed):
    data = single(seed)
    found = [agreement_with_rest(data, person) for person in range(len(data.annotators))]
    weights = [one.n_items for one in found]
    mean = sum(w * one.observed for w, one in zip(weights, found, strict=True) if w) / sum(weights)
    assert mean == pytest.approx(krippendorff_alpha(data).observed, abs=1e-12)


def test_who_says_something_else_agrees_least():
    item = np.repeat(np.arange(20), 4)
    person = np.tile(np.arange(4), 20)
    rng = np.random.default_rng(1)
    label = np.where(person == 3, rng.integers(0, 2, 80), item % 2)
    data = Annotations.from_columns(item, person, label)
    values = [agreement_with_rest(data, one).value for one in range(4)]
    assert min(values) == values[3]
    assert krippendorff_alpha(without_person(data, 3)).value == 1
    interval = agreement_with_rest(data, 3, bootstrap=Bootstrap(n_resamples=200, seed=1)).interval
    assert interval.low < values[3] < interval.high


def test_without_others_or_without_variation_it_is_undefined_and_says_why():
    alone = Annotations.from_columns([1, 2], ["a", "b"], ["x", "y"])
    assert agreement_with_rest(alone, 0).reason == ALONE
    same = Annotations.from_columns([1, 1], ["a", "b"], ["x", "x"])
    assert agreement_with_rest(same, 0).reason.startswith("all annotations are equal")
    by_convention = agreement_with_rest(same, 0, constant=1.0)
    assert (by_convention.value, by_convention.reason) == (1.0, "")


def test_what_cannot_be_compared_is_refused():
    data = Annotations.from_columns([1, 1, 1], ["a", "a", "b"], ["x", "y", "x"])
    with pytest.raises(ValueError, match="judged an item more than once"):
        AgreementWithRest(data, 0)
    with pytest.raises(ValueError, match="not known"):
        AgreementWithRest(Annotations.from_counts([[1, 1]]), 0)
    with pytest.raises(ValueError, match="take interval for a scale"):
        AgreementWithRest(single(1), 0, "ordinal")


@pytest.mark.long
@pytest.mark.parametrize("items", [28, 120])
def test_intervals_over_items_cover_the_truth(items):
    """Four people of unequal care: the interval of one of them, over 400 studies."""
    care = np.array([0.9, 0.75, 0.75, 0.5])

    def study(count, seed):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, count)
        heeds = rng.random((count, 4)) < care
        label = np.where(heeds, truth[:, None], rng.integers(0, 3, (count, 4)))
        return Annotations.from_columns(np.repeat(np.arange(count), 4), np.tile(np.arange(4), count), label.ravel())

    for person in (0, 3):
        wanted = agreement_with_rest(study(200_000, 0), person).value
        hits = [
            wanted
            in agreement_with_rest(study(items, seed), person, bootstrap=Bootstrap(n_resamples=300, seed=seed)).interval
            for seed in range(1, 401)
        ]
        assert 0.90 <= np.mean(hits) <= 0.98, f"{person}: {np.mean(hits):.3f}"
