"""Power curves, and the variance of preferences that they are drawn with: by simulation, against what was put in."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from metaeval.stats import (
    JudgedDesign,
    Judgements,
    PreferenceVariance,
    StudyDesign,
    power,
    power_curve,
    preference_variance,
)
from metaeval.stats.power.curve import power_curve_plan

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
        study = {"simulations": 1, "alpha": 0.05, "alternative": alternative, "two_sided": two_sided}
        assert len(power_curve(StudyDesign(**DESIGN), correlations=[0.5], permutations=least, **study).points) == 1
        assert power(StudyDesign(**DESIGN), permutations=least, **study).simulations == 1
        refusal = f"{least - 1} permutations cannot give a p-value that low"
        with pytest.raises(ValueError, match=refusal):
            power_curve(StudyDesign(**DESIGN), correlations=[0.5], permutations=least - 1, **study)
        with pytest.raises(ValueError, match=refusal):
            power(StudyDesign(**DESIGN), permutations=least - 1, **study)

    def test_without_a_seed_it_is_0(self):
        found, *others = (
            power_curve(StudyDesign(**DESIGN), correlations=[0.5], simulations=2, permutations=39, **seed)
            for seed in ({}, {"seed": 0}, {"seed": 1})
        )
        assert [found == other for other in others] == [True, False]


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

    def test_fractions_are_the_chances_that_the_systems_have(self):
        """Nothing varies but the systems: of a thousand responses each, so many prefer it as its log-odds say."""
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

    @settings(deadline=None, max_examples=40)
    @given(seed=st.integers(0, 10**6), systems=st.integers(2, 4))
    def test_the_parts_solve_the_expected_sums_of_squares_of_any_design(self, seed, systems):
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

    def test_two_systems_and_two_experts_are_enough_for_what_can_be_told_from_them(self):
        """A has a 1 of x and a 0 of y, B a 1 and two 0 of x: 3 within + experts = 7/6 and within + experts = 1/2."""
        judged = Judgements.of(system="AABBB", comparison=range(5), expert="xyxxx", chosen=[1, 0, 1, 0, 0])
        found = preference_variance(judged)
        assert (found.within, found.between_experts) == pytest.approx((1 / 3, 1 / 6), abs=1e-12)
        assert [note.split(":")[0] for note in found.notes] == ["no comparison has two responses"]

    @pytest.mark.parametrize(("total", "flat"), [(1.2, 1.411), (1.515, 2.2), (1.7, 3.0), (4.0, 3.0)])
    def test_log_odds_are_spread_by_what_the_curve_flattens_and_three_times_at_most(self, total, flat):
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
