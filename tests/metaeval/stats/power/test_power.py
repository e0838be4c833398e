"""Power by simulation: the test's size without an effect, and more with a larger effect."""

import numpy as np
import pytest

from metaeval.stats import StudyDesign, power
from metaeval.stats.power.planned import mixed, power_plan

DESIGN = {"systems": 15, "instances": 12, "experts_per_comparison": 3, "experts": 9}


def test_without_a_correlation_the_power_is_the_size_of_the_test():
    found = power(StudyDesign(**DESIGN, correlation=0.0), n_resamples=600, n_test_resamples=199, alpha=0.1)
    assert found.low <= 0.1 <= found.high


def test_power_grows_with_the_correlation_and_with_the_study():
    weak, strong = (
        power(StudyDesign(**DESIGN, correlation=r), n_resamples=200, n_test_resamples=199) for r in (0.4, 0.9)
    )
    assert weak.high < strong.low
    small = StudyDesign(**(DESIGN | {"systems": 6}), correlation=0.9)
    assert power(small, n_resamples=200, n_test_resamples=199).high < strong.power
    assert strong.mean_observed < 0.9  # the judgements' noise


def test_a_metric_follows_the_systems_quality_as_far_as_it_is_said_to():
    design = StudyDesign(systems=4000, instances=1, experts_per_comparison=1, experts=1, correlation=0.6)
    quality, noise, _ = design.drawn(np.random.default_rng(3))
    scores = mixed(quality, noise, design.correlation)
    assert np.corrcoef([quality, noise, scores])[0].tolist() == pytest.approx([1, 0, 0.6], abs=0.06)
    for drawn in (quality, noise, scores):
        assert (drawn.mean(), drawn.std()) == pytest.approx((0, 1), abs=0.06)


def test_shards_merge_to_the_result_of_one_run():
    plan, other = (
        power_plan(
            StudyDesign(**DESIGN, correlation=0.5),
            correlations=[0.5],
            coefficient="kendall",
            n_resamples=150,
            n_test_resamples=99,
            alternative="greater",
            two_sided="double",
            seed=4,
        )
        for _ in range(2)
    )
    blocks = [other.block(b) for b in (2, 1, 0)]
    assert plan.merged(blocks[::-1]).tolist() == plan.run().tolist()


def test_a_study_in_which_all_answers_agree_finds_nothing():
    design = StudyDesign(**DESIGN, correlation=0.9, base=60.0)
    found = power(design, n_resamples=20, n_test_resamples=99)
    assert (found.power, found.undefined) == (0, 20)
    assert found.to_dict()["mean_observed"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": 2}, "systems is 2; expected at least 3"),
        ({"experts_per_comparison": 10}, "10 experts a comparison, but only 9"),
        ({"correlation": 1.2}, "correlation is 1.2"),
        ({"spread": -1.0}, "cannot be negative"),
    ],
)
def test_impossible_studies_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        StudyDesign(**(DESIGN | {"correlation": 0.5} | change))
