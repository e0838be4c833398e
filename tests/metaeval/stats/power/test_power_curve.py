"""Power curves: by simulation, against the planted values."""

import math

import numpy as np
import pytest
from scipy.special import expit

from metaeval.stats import JudgedDesign, Judgements, StudyDesign, power, power_curve
from metaeval.stats.power.curve import power_curve_plan
from tests.worlds.judgements import SPREADS, answered

DESIGN = {"systems": 15, "instances": 12, "experts_per_comparison": 3, "experts": 9, "correlation": 0.0}


class TestCurves:
    def test_a_curve_agrees_with_the_power_at_each_point(self):
        curve = power_curve(StudyDesign(**DESIGN), correlations=[0.0, 0.5, 0.9], n_resamples=300, n_test_resamples=99)
        for point in curve.points:
            alone = power(
                StudyDesign(**(DESIGN | {"correlation": point.correlation})), n_resamples=300, n_test_resamples=99
            )
            error = math.sqrt(alone.power * (1 - alone.power) / 300) + 0.01
            assert abs(point.power - alone.power) < 4 * error
            assert point.low <= point.power <= point.high
        assert curve.points[0].power < curve.points[1].power < curve.points[2].power

    def test_the_smallest_correlation_is_found_as_often_as_wanted(self):
        design = StudyDesign(**(DESIGN | {"systems": 25}))
        curve = power_curve(design, target=0.7, n_resamples=300, n_test_resamples=99, seed=2)
        again = power_curve(
            design, correlations=[curve.smallest], target=0.7, n_resamples=300, n_test_resamples=99, seed=3
        )
        assert again.points[0].power == pytest.approx(0.7, abs=0.12)

    def test_where_nothing_is_found_so_often_there_is_none_and_the_reason_says_so(self):
        few = StudyDesign(**(DESIGN | {"systems": 4}))
        curve = power_curve(few, n_resamples=50, n_test_resamples=99)
        assert math.isnan(curve.smallest)
        assert " 0% " in curve.reason
        assert curve.to_dict()["smallest"] is None

    def test_a_study_in_which_all_answers_agree_finds_nothing(self):
        curve = power_curve(StudyDesign(**DESIGN, base=60.0), n_resamples=20, n_test_resamples=99)
        assert (curve.undefined, curve.points[-1].power) == (20, 0.0)
        assert math.isnan(curve.points[-1].mean_observed)

    @pytest.mark.parametrize("correlations", [[0.5, 0.2], [0.5, 0.5], [-0.1, 0.5], [0.5, 1.1]])
    def test_correlations_must_rise_within_0_and_1(self, correlations):
        with pytest.raises(ValueError, match=r"\[0, 1\] .*rise"):
            power_curve(StudyDesign(**DESIGN), correlations=correlations)

    @pytest.mark.parametrize(
        ("alternative", "two_sided", "least"),
        [
            ("two-sided", "double", 39),
            ("two-sided", "magnitude", 19),
            ("greater", "double", 19),
            ("less", "double", 19),
        ],
    )
    def test_the_least_number_of_permutations_is_enough_and_one_less_is_not(self, alternative, two_sided, least):
        """The smallest p-value is 1 / (1 + permutations), twice that where the smaller tail is doubled."""
        study = {"n_resamples": 1, "alpha": 0.05, "alternative": alternative, "two_sided": two_sided}
        assert len(power_curve(StudyDesign(**DESIGN), correlations=[0.5], n_test_resamples=least, **study).points) == 1
        assert power(StudyDesign(**DESIGN), n_test_resamples=least, **study).n_resamples == 1
        refusal = f"{least - 1} permutations cannot give a p-value that low"
        with pytest.raises(ValueError, match=refusal):
            power_curve(StudyDesign(**DESIGN), correlations=[0.5], n_test_resamples=least - 1, **study)
        with pytest.raises(ValueError, match=refusal):
            power(StudyDesign(**DESIGN), n_test_resamples=least - 1, **study)

    def test_without_a_seed_it_is_0(self):
        found, *others = (
            power_curve(StudyDesign(**DESIGN), correlations=[0.5], n_resamples=2, n_test_resamples=39, **seed)
            for seed in ({}, {"seed": 0}, {"seed": 1})
        )
        # As they are written: from Python 3.13 on, results with a NaN inside are not equal to themselves.
        assert [found.to_dict() == other.to_dict() for other in others] == [True, False]


class TestWhatIsThere:
    def test_the_same_layout_has_the_power_of_its_plan(self):
        judged = answered(1)
        design = JudgedDesign.of(judged, **SPREADS)
        assert (design.systems, len(design.row)) == (25, 25 * 28 * 4)
        planned = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0, **SPREADS)
        there, as_planned = (
            power_curve(each, correlations=[0.55], n_resamples=400, n_test_resamples=99).points[0]
            for each in (design, planned)
        )
        assert abs(there.power - as_planned.power) < 0.12
        assert there.mean_observed == pytest.approx(as_planned.mean_observed, abs=0.03)

    def test_systems_that_nobody_judged_are_left_out(self):
        judged = answered(2, systems=6, instances=4)
        first = judged.system_starts[1]
        without = Judgements.of(
            system=[judged.systems[place] for place in np.repeat(np.arange(6), np.diff(judged.system_starts))[first:]],
            comparison=(judged.comparison + 100 * np.repeat(np.arange(6), np.diff(judged.system_starts)))[
                first:
            ].tolist(),
            expert=judged.expert[first:].tolist(),
            chosen=judged.chosen[first:],
            systems=judged.systems,
        )
        design = JudgedDesign.of(without, **SPREADS)
        quality, noise, fractions = design.drawn(np.random.default_rng(1))
        assert len(quality) == len(noise) == len(fractions) == design.systems == 5
        assert np.isfinite(fractions).all()

    def test_fractions_are_the_chances_that_the_systems_have(self):
        """Only the systems vary: of a thousand responses each, as many prefer a system as its log-odds say."""
        alone = {"base": -0.5, "spread": 0.6, "instance_spread": 0.0, "expert_spread": 0.0}
        there = JudgedDesign.of(answered(10, systems=5, instances=1000, each=1, experts=1), **alone)
        planned = StudyDesign(systems=5, instances=1000, experts_per_comparison=1, experts=1, correlation=0, **alone)
        for design in (there, planned):
            quality, _, fractions = design.drawn(np.random.default_rng(2))
            assert fractions == pytest.approx(expit(-0.5 + 0.6 * quality), abs=0.06)

    def test_its_shards_merge_to_the_same(self):
        plan, other = (
            power_curve_plan(
                JudgedDesign.of(answered(3, systems=6, instances=4), **SPREADS),
                correlations=[0.3, 0.8],
                coefficient="spearman",
                n_resamples=70,
                n_test_resamples=40,
                alternative="greater",
                two_sided="double",
                seed=4,
            )
            for _ in range(2)
        )
        blocks = [other.block(number) for number in (2, 1, 0)]
        assert plan.merged(blocks[::-1]).tolist() == plan.run().tolist()
