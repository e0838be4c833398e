"""The variance of preferences: by simulation, against the planted values."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metaeval.stats import JudgedDesign, Judgements, PreferenceVariance, StudyDesign, power_curve, preference_variance
from metaeval.stats.responses.judgements import (
    EQUAL_RESPONSES,
    EXPERTS_NOT_APART,
    NO_SECOND_RESPONSE,
    ONE_SYSTEM_JUDGED,
)
from tests.worlds.judgements import SPREADS, answered


@pytest.mark.parametrize("kept", [1.0, 0.6], ids=["complete", "with gaps"])
def test_what_was_put_in_comes_out_on_average(kept):
    found = np.mean([preference_variance(answered(seed, kept=kept)).on_log_odds() for seed in range(40)], axis=0)
    for value, (name, put_in) in zip(found, SPREADS.items(), strict=True):
        assert value == pytest.approx(put_in, abs=0.12), name


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), systems=st.integers(2, 4))
def test_the_parts_solve_the_expected_sums_of_squares_of_any_design(seed, systems):
    """Their coefficients are traces of products of the design's matrices, written out here."""
    rng = np.random.default_rng(seed)
    system, comparison, expert = rng.integers(0, [[systems], [3], [4]], (3, 24))
    judged = Judgements.of(
        system=[str(one) for one in system],
        comparison=(3 * system + comparison).tolist(),
        expert=expert.tolist(),
        chosen=rng.random(24),
        systems=[str(one) for one in range(systems + 1)],
    )
    found = preference_variance(judged)
    assume(not found.notes)
    row = np.repeat(np.arange(systems + 1), np.diff(judged.system_starts))
    of_system, *covariances = (
        (codes[:, None] == codes).astype(float)
        for codes in (row, np.arange(24), judged.comparison_starts[row] + judged.comparison, judged.expert)
    )
    centring = np.eye(24) - of_system / of_system.sum(axis=1)
    centred = [centring @ covariance @ centring for covariance in covariances]
    expected = np.linalg.solve(
        [[np.trace(one @ other) for other in covariances] for one in centred],
        [judged.chosen @ one @ judged.chosen for one in centred],
    )
    parts = [found.within, found.between_comparisons, found.between_experts]
    assert parts == pytest.approx(np.maximum(expected, 0.0), abs=1e-6)
    means = np.unique(of_system / of_system.sum(axis=1), axis=0)  # a row of weights per system
    noise = means @ sum(part * one for part, one in zip(parts, covariances, strict=True)) @ means.T
    apart = ~np.eye(len(means), dtype=bool)
    assert found.noise == pytest.approx(np.diag(noise).mean() - noise[apart].mean(), abs=1e-12)


def test_two_systems_and_two_experts_are_enough_for_what_can_be_told_from_them():
    """A has a 1 of x and a 0 of y, B a 1 and two 0 of x: 3 within + experts = 7/6 and within + experts = 1/2."""
    judged = Judgements.of(system="AABBB", comparison=range(5), expert="xyxxx", chosen=[1, 0, 1, 0, 0])
    found = preference_variance(judged)
    assert (found.within, found.between_experts) == pytest.approx((1 / 3, 1 / 6), abs=1e-12)
    assert [note.split(":")[0] for note in found.notes] == ["no comparison has two responses"]


@pytest.mark.parametrize(("total", "flat"), [(1.2, 1.411), (1.515, 2.2), (1.7, 3.0), (4.0, 3.0)])
def test_log_odds_are_spread_by_what_the_curve_flattens_and_three_times_at_most(total, flat):
    """`total` is the deviation of all parts together by p (1 - p): flat = 1 / sqrt(1 - 0.3458 total^2)."""
    found = PreferenceVariance(
        mean=0.6,
        between_systems=0.5 * (0.24 * total) ** 2,
        between_comparisons=0.3 * (0.24 * total) ** 2,
        between_experts=0.2 * (0.24 * total) ** 2,
        within=0.1,
        noise=0.01,
        reliability=0.9,
        systems=5,
        comparisons=20,
        experts=4,
        responses=80,
    )
    base, *spreads = found.on_log_odds()
    assert base == pytest.approx(flat * math.log(1.5), rel=0.02)
    assert spreads == pytest.approx(flat * total * np.sqrt([0.5, 0.3, 0.2]), rel=0.02)


def test_the_noise_is_what_repetitions_of_a_study_show():
    rng = np.random.default_rng(5)
    judged = answered(6)
    design = JudgedDesign.of(judged, **(SPREADS | {"spread": 0.0}))
    fractions = np.array([design.drawn(rng)[2] for _ in range(400)])
    repeated = fractions.var(axis=1, ddof=1).mean()
    noise = np.mean([preference_variance(answered(seed, spread=0.0)).noise for seed in range(30)])
    assert noise == pytest.approx(repeated, rel=0.1)


def test_reliability_is_the_square_of_what_a_perfect_metric_would_show():
    design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0, **SPREADS)
    shown = power_curve(design, correlations=[1.0], n_resamples=100, n_test_resamples=99).points[0].mean_observed
    found = np.mean([preference_variance(answered(seed)).reliability for seed in range(30)])
    assert math.sqrt(found) == pytest.approx(shown, abs=0.02)


def test_a_study_without_repeated_judgements_says_what_it_cannot_tell():
    found = preference_variance(answered(7, each=1))
    assert found.between_comparisons == 0
    assert found.notes[0].startswith("no comparison has two responses")
    alone = preference_variance(answered(8, each=1, experts=1))
    assert alone.between_experts == 0
    assert EXPERTS_NOT_APART in alone.notes


def test_what_is_undefined_says_why():
    one = Judgements.of(system="AA", comparison=[1, 2], expert="xy", chosen=[1, 0])
    assert preference_variance(one).reason == ONE_SYSTEM_JUDGED
    single = Judgements.of(system="AB", comparison=[1, 2], expert="xy", chosen=[1, 0])
    assert preference_variance(single).reason == NO_SECOND_RESPONSE
    same = preference_variance(answered(9, base=60.0))
    assert (same.reason, same.mean) == (EQUAL_RESPONSES, 1.0)
    assert math.isnan(same.on_log_odds()[0])
