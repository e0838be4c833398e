"""Power curves, and the variance of preferences that they are drawn with: by simulation, against what was put in."""

import math

import numpy as np
import pytest
from scipy.special import expit

from metaeval.stats import JudgedDesign, Judgements, StudyDesign, power, power_curve, preference_variance
from metaeval.stats.power_curve import power_curve_plan

DESIGN = {"systems": 15, "instances": 12, "experts_per_comparison": 3, "experts": 9, "correlation": 0.0}
SPREADS = {"base": -0.5, "spread": 0.6, "instance_spread": 0.5, "expert_spread": 0.3}


def answered(seed, *, systems=25, instances=28, each=4, experts=28, kept=1.0, **spreads):
    """Responses of a simulated study; `kept` is the share that came in."""
    made = SPREADS | spreads
    rng = np.random.default_rng(seed)
    who = rng.random((systems, instances, experts)).argsort(axis=2)[:, :, :each]
    system, instance, _ = np.indices(who.shape)
    logit = (
        made["base"]
        + made["spread"] * rng.normal(size=systems)[:, None, None]
        + made["instance_spread"] * rng.normal(size=(systems, instances, 1))
        + made["expert_spread"] * rng.normal(size=experts)[who]
    )
    there = rng.random(who.shape) < kept
    return Judgements.of(
        system=[f"s{place:02}" for place in system[there]],
        comparison=(system * instances + instance)[there].tolist(),
        expert=who[there].tolist(),
        chosen=(rng.random(who.shape) < expit(logit))[there],
        systems=[f"s{place:02}" for place in range(systems)],
    )


class TestCurves:
    def test_a_curve_agrees_with_the_power_at_each_point(self):
        curve = power_curve(StudyDesign(**DESIGN), correlations=[0.0, 0.5, 0.9], simulations=300, permutations=99)
        for point in curve.points:
            alone = power(
                StudyDesign(**(DESIGN | {"correlation": point.correlation})), simulations=300, permutations=99
            )
            error = math.sqrt(alone.power * (1 - alone.power) / 300) + 0.01
            assert abs(point.power - alone.power) < 4 * error
            assert point.low <= point.power <= point.high
        assert curve.points[0].power < curve.points[1].power < curve.points[2].power

    def test_the_smallest_correlation_is_found_as_often_as_wanted(self):
        design = StudyDesign(**(DESIGN | {"systems": 25}))
        curve = power_curve(design, target=0.7, simulations=300, permutations=99, seed=2)
        again = power_curve(design, correlations=[curve.smallest], target=0.7, simulations=300, permutations=99, seed=3)
        assert again.points[0].power == pytest.approx(0.7, abs=0.12)

    def test_where_nothing_is_found_so_often_there_is_none_and_the_reason_says_so(self):
        few = StudyDesign(**(DESIGN | {"systems": 4}))
        curve = power_curve(few, simulations=50, permutations=99)
        assert math.isnan(curve.smallest)
        assert curve.reason == "even a correlation of 1 is found in only 0 % of such studies"
        assert curve.to_dict()["smallest"] is None

    def test_a_study_in_which_all_answers_agree_finds_nothing(self):
        curve = power_curve(StudyDesign(**DESIGN, base=60.0), simulations=20, permutations=99)
        assert (curve.undefined, curve.points[-1].power) == (20, 0.0)
        assert math.isnan(curve.points[-1].mean_observed)

    @pytest.mark.parametrize("correlations", [[0.5, 0.2], [0.5, 0.5], [-0.1, 0.5], [0.5, 1.1]])
    def test_correlations_must_rise_within_0_and_1(self, correlations):
        with pytest.raises(ValueError, match=r"expected values in \[0, 1\] that rise"):
            power_curve(StudyDesign(**DESIGN), correlations=correlations)

    def test_too_few_permutations_for_the_level_are_refused(self):
        with pytest.raises(ValueError, match="19 permutations cannot give a p-value that low"):
            power_curve(StudyDesign(**DESIGN), permutations=19)


class TestWhatIsThere:
    def test_the_same_layout_has_the_power_of_its_plan(self):
        judged = answered(1)
        design = JudgedDesign.of(judged, **SPREADS)
        assert (design.systems, len(design.row)) == (25, 25 * 28 * 4)
        planned = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0, **SPREADS)
        there, as_planned = (
            power_curve(each, correlations=[0.55], simulations=400, permutations=99).points[0]
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

    def test_its_shards_merge_to_the_same(self):
        plan, other = (
            power_curve_plan(
                JudgedDesign.of(answered(3, systems=6, instances=4), **SPREADS),
                correlations=[0.3, 0.8],
                coefficient="spearman",
                simulations=70,
                permutations=40,
                alternative="greater",
                two_sided="double",
                seed=4,
            )
            for _ in range(2)
        )
        blocks = [other.block(number) for number in (2, 1, 0)]
        assert plan.merged(blocks[::-1]).tolist() == plan.run().tolist()


class TestVariance:
    @pytest.mark.parametrize("kept", [1.0, 0.6], ids=["complete", "with gaps"])
    def test_what_was_put_in_comes_out_on_average(self, kept):
        found = np.mean([preference_variance(answered(seed, kept=kept)).on_log_odds() for seed in range(40)], axis=0)
        for value, (name, put_in) in zip(found, SPREADS.items(), strict=True):
            assert value == pytest.approx(put_in, abs=0.12), name

    def test_the_noise_is_what_repetitions_of_a_study_show(self):
        rng = np.random.default_rng(5)
        judged = answered(6)
        design = JudgedDesign.of(judged, **(SPREADS | {"spread": 0.0}))
        fractions = np.array([design.drawn(rng)[2] for _ in range(400)])
        repeated = fractions.var(axis=1, ddof=1).mean()
        noise = np.mean([preference_variance(answered(seed, spread=0.0)).noise for seed in range(30)])
        assert noise == pytest.approx(repeated, rel=0.1)

    def test_reliability_is_the_square_of_what_a_perfect_metric_would_show(self):
        design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0, **SPREADS)
        shown = power_curve(design, correlations=[1.0], simulations=100, permutations=99).points[0].mean_observed
        found = np.mean([preference_variance(answered(seed)).reliability for seed in range(30)])
        assert math.sqrt(found) == pytest.approx(shown, abs=0.02)

    def test_a_study_without_repeated_judgements_says_what_it_cannot_tell(self):
        found = preference_variance(answered(7, each=1))
        assert found.between_comparisons == 0
        assert found.notes[0].startswith("no comparison has two responses")
        alone = preference_variance(answered(8, each=1, experts=1))
        assert alone.between_experts == 0
        assert "what varies between experts cannot be told from the rest" in alone.notes

    def test_what_is_undefined_says_why(self):
        one = Judgements.of(system="AA", comparison=[1, 2], expert="xy", chosen=[1, 0])
        assert preference_variance(one).reason == "fewer than two systems were judged"
        single = Judgements.of(system="AB", comparison=[1, 2], expert="xy", chosen=[1, 0])
        assert preference_variance(single).reason == "no system has two responses"
        same = preference_variance(answered(9, base=60.0))
        assert (same.reason, same.mean) == ("all responses are equal", 1.0)
        assert math.isnan(same.on_log_odds()[0])
