"""Power of studies whose systems share models and methods: tested as planned, with what that test can reach."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from metaeval.stats import JudgedDesign, Judgements, SharedUnits, StudyDesign, power, power_curve

CROSSED = SharedUnits(tuple(product(("A", "B"), "abcdefghijklm")), likeness=0.84, model_spread=1.0)
FEW = SharedUnits(tuple(product(("A", "B"), "abcd")))


def design(shared, correlation=0.7, systems=None):
    return StudyDesign(
        systems=systems or len(shared.units),
        instances=28,
        experts_per_comparison=4,
        experts=28,
        correlation=correlation,
        shared=shared,
    )


def test_the_test_of_a_crossed_study_exchanges_its_methods_and_keeps_its_promise():
    free = replace(CROSSED, exchangeable="systems")
    rejected = {
        shared.exchanged: power(design(shared, 0.0), n_resamples=200, n_test_resamples=199).power
        for shared in (CROSSED, free)
    }
    assert rejected["methods jointly"] <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 200)
    assert rejected["systems"] > 0.15


def test_what_no_data_can_reach_is_said_before_there_are_any():
    shared = replace(FEW, exchangeable="methods jointly")
    found = power(design(shared, 0.9), n_resamples=50, n_test_resamples=999)
    assert found.power == 0
    assert found.smallest_p == pytest.approx(2 / 24)
    assert [re.findall(r"0\.\d+", note) for note in found.notes] == [["0.05", "0.08333"]]
    curve = power_curve(design(shared, 0.0), correlations=[0.0, 0.9], n_resamples=50, n_test_resamples=999)
    assert (curve.exchangeable, curve.smallest_p, curve.notes) == ("methods jointly", found.smallest_p, found.notes)


def test_with_few_methods_models_change_places_too():
    found = power(design(FEW, 0.9), n_resamples=50, n_test_resamples=999)
    assert (found.exchangeable, found.notes) == ("models and methods", ())
    assert found.smallest_p == pytest.approx(2 / 48)
    assert found.power > 0


def test_a_study_whose_systems_share_nothing_is_simulated_as_ever():
    plain = design(None, 0.6, systems=12)
    found = power(plain, n_resamples=60, n_test_resamples=99, seed=3)
    assert (found.exchangeable, found.smallest_p) == ("systems", 2 / 100)
    quality, noise, _ = plain.drawn(np.random.default_rng(1))
    rng = np.random.default_rng(1)
    assert (quality == rng.normal(size=12)).all()
    assert (noise == rng.normal(size=12)).all()


def test_systems_are_as_alike_as_declared():
    rng = np.random.default_rng(2)
    shared = SharedUnits(tuple(product("AB", "xyz")), likeness=0.6, model_spread=0.5)
    r = np.cov(np.array([shared.drawn(rng) for _ in range(20_000)]).T)
    assert r[0, 0] == pytest.approx(1.25, abs=0.05)
    assert r[0, 3] == pytest.approx(0.6, abs=0.05)  # one method in two models
    assert r[0, 1] == pytest.approx(0.25, abs=0.05)  # two methods in one model


def test_of_the_responses_there_are_systems_without_any_are_left_out_of_the_units_too():
    starts = np.array([0, 2, 2, 4, 6])
    judged = Judgements(
        systems=("a", "b", "c", "d"),
        comparison=np.array([0, 1] * 3),
        expert=np.array([0, 1] * 3),
        chosen=np.ones(6),
        weight=np.ones(6),
        system_starts=starts,
        comparison_starts=starts,
        experts=2,
    )
    shared = SharedUnits((("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")))
    found = JudgedDesign.of(judged, base=0, spread=1, instance_spread=0, expert_spread=0, shared=shared)
    assert found.shared is not None
    assert found.shared.units == (("A", "x"), ("B", "x"), ("B", "y"))
    quality, noise, fractions = found.drawn(np.random.default_rng(1))
    assert len(quality) == len(noise) == len(fractions) == found.systems == 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: design(FEW, systems=9), "shared names 8 systems, there are 9"),
        (lambda: replace(FEW, likeness=1.5), "likeness is 1.5"),
        (lambda: replace(FEW, model_spread=-1), "model_spread is -1"),
    ],
)
def test_an_impossible_structure_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()
